import type { FastifyRequest } from 'fastify'
import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import { Refused } from '../../../commands/refused.ts'
import { readContentRange, type ContentRange } from '../../../domain/evidence/byte-range.ts'
import { PIECE_BYTES, type PartReceived } from '../../../runtime/evidence/part-store.ts'
import { encodingOf, receive } from '../../requests/body.ts'
import type { byteBudget } from '../../requests/byte-budget.ts'
import type { Services } from '../../services.ts'

const checkType = ({ contentType }: FastifyRequest): void => {
  if (contentType === undefined || !/^application\/octet-stream\s*(?:;|$)/i.test(contentType.trim()))
    throw new Refused('bad_request', 'Content-Type must be application/octet-stream')
}

/** Where the bytes of a request are in their part; null for a whole one. Refuses: bad_request. */
const rangeOf = ({ headers }: FastifyRequest): ContentRange | null => {
  const header = headers['content-range']
  if (header === undefined) return null
  const range = readContentRange(header)
  if (!range) throw new Refused('bad_request', 'Content-Range must be bytes FIRST-LAST/TOTAL')
  const { from, to, total } = range
  if (from % PIECE_BYTES !== 0 || to !== Math.min(total, from + PIECE_BYTES))
    throw new Refused(
      'bad_request',
      `Content-Range: a piece has ${PIECE_BYTES} bytes from a multiple of that on, and the last one the rest`,
    )
  return range
}

/**
 * Receives a part or a piece of one, and stores it. Nothing of the answer depends on what the server had before. Refuses: bad_request,
 * too_large, unsupported_encoding, unprocessable (the digest), conflict.
 */
export const receivePart = async (
  request: FastifyRequest,
  sha256: string,
  { partStore, config }: Pick<Services, 'partStore' | 'config'>,
  uploads: ReturnType<typeof byteBudget>,
): Promise<PartReceived> => {
  checkType(request)
  if (encodingOf(request.raw) !== null)
    throw new Refused('unsupported_encoding', 'a part is sent as it is, without a Content-Encoding')
  const { maxBytes } = config.parts
  const range = rangeOf(request)
  if (range && range.total > maxBytes) throw new Refused('too_large', `the part is larger than ${maxBytes} bytes`)
  const expected = range ? range.to - range.from : null
  const reservation = uploads.enter()
  try {
    const body = await receive(request.raw, expected ?? Math.min(maxBytes, MAX_BODY_BYTES), reservation.grow, {
      into: expected === null ? null : partStore.takeBuffer(expected),
    })
    if (expected !== null && body.length !== expected)
      throw new Refused('bad_request', `the body has ${body.length} bytes, but Content-Range says ${expected}`)
    const { viewer } = request
    if (!range || range.total === body.length) return await partStore.storeWhole(viewer, sha256, body)
    return await partStore.storePiece(viewer, sha256, { n: range.from / PIECE_BYTES, total: range.total, body })
  } finally {
    reservation.leave()
  }
}
