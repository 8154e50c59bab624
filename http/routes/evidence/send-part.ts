import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readByteRange } from '../../../domain/evidence/byte-range.ts'
import {
  contentTypeOf,
  dispositionOf,
  fileNameOf,
  TYPE_BYTES,
  type ContentType,
} from '../../../domain/evidence/content-type.ts'
import { isStillAllowed } from '../../../queries/access/current-access.ts'
import { findPartName, findRunPart } from '../../../queries/evidence/evidence.ts'
import { sendError } from '../../answer-error.ts'
import { matches } from '../../answers/cache-rules.ts'
import { bytesHeldBy, EXPORT_BYTES } from '../../answers/outgoing-bytes.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

/** What a browser may do with a part: nothing. It is of strangers. */
const NOTHING_RUNS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const

type Named = { readonly run_id: string; readonly sha256: string }

/** The name and the type of a part whose form the server knows. `within`: only these bytes of it are sent, as a whole of their own. */
type Known = {
  readonly name: string
  readonly type: string
  readonly within?: { readonly etag: string; readonly from: number; readonly to: number }
}

/**
 * Answers with a part of a run that the viewer can see, or with the range of it that is asked for. The type is that of the bytes. Each further
 * piece is read only while the viewer may still have it, and no byte is sent that was not stored. Refuses: not_found, as for an absent run.
 */
export const sendPart = async (
  { viewer, headers, method }: Pick<FastifyRequest, 'viewer' | 'headers' | 'method'>,
  reply: FastifyReply,
  { reader, partStore }: Pick<Services, 'reader' | 'partStore'>,
  { run_id, sha256 }: Named,
  known?: Known,
): Promise<FastifyReply> => {
  const part = mustExist(await reader.read(findRunPart(viewer, run_id, sha256)), 'run')
  const { run_no, part_no } = part
  const { etag, from: start, to: end } = known?.within ?? { etag: `"${sha256}"`, from: 0, to: part.bytes }
  const bytes = end - start
  /** A run that was deleted since is absent. Bytes that are missing of one that is there are damage. */
  const unlessGone = async (error: unknown): Promise<never> => {
    mustExist(await reader.read(findRunPart(viewer, run_id, sha256)), 'run')
    throw error
  }
  const always = { ...NOTHING_RUNS, etag, 'accept-ranges': 'bytes' }
  if (matches(headers['if-none-match'], etag)) return reply.headers(always).code(304).send()

  const ifRange = headers['if-range']
  const asked = ifRange === undefined || ifRange === etag ? headers.range : undefined
  const range = readByteRange(asked, bytes)
  if (range === 'unsatisfiable') {
    void reply.headers({ ...NOTHING_RUNS, 'accept-ranges': 'bytes', 'content-range': `bytes */${bytes}` })
    return sendError(reply, 416, `the part has ${bytes} bytes: no byte of this range`)
  }
  const { from, to } = range ?? { from: 0, to: bytes }
  const found: ContentType = known
    ? { type: known.type, isInline: false }
    : await typeOf(partStore, part_no, bytes).catch(unlessGone)
  const name = known ? known.name : await reader.read(findPartName(run_no, sha256))
  // Not before: a run that was deleted meanwhile is answered like an absent one.
  void reply.headers({
    ...always,
    'content-disposition': dispositionOf(found, fileNameOf(name, sha256)),
    'content-length': to - from,
    ...(range && { 'content-range': `bytes ${from}-${to - 1}/${bytes}` }),
  })
  void reply.type(found.type).code(range ? 206 : 200)
  // For HEAD the part is not read.
  if (method === 'HEAD' || from === to) return reply.send(Readable.from([]))
  const mayContinue = async (): Promise<boolean> =>
    (await isStillAllowed(reader, viewer)) &&
    (await reader.read(findRunPart(viewer, run_id, sha256)))?.run_no === run_no
  const isWhole = start + from === 0 && start + to === part.bytes
  const raw = isWhole
    ? partStore.readWhole(part_no, { sha256, bytes: part.bytes }, mayContinue)
    : partStore.read(part_no, start + from, start + to, mayContinue)
  const body = Readable.from(raw, {
    objectMode: false,
    highWaterMark: 512 * 1024,
  })
  return reply.send(bytesHeldBy(body, EXPORT_BYTES))
}

const typeOf = async (partStore: Services['partStore'], part_no: number, bytes: number): Promise<ContentType> => {
  const start: Buffer[] = []
  for await (const raw of partStore.read(part_no, 0, Math.min(TYPE_BYTES, bytes))) start.push(raw)
  return contentTypeOf(Buffer.concat(start))
}
