import PQueue from 'p-queue'
import * as z from 'zod'
import { UserError } from '../../maintenance/user-error.ts'
import { errorText, isAbsent, readAnswer } from '../client/answer.ts'
import { TransientError } from '../client/backoff.ts'
import { readStored, type StoredBytes } from './stored-bytes.ts'
import { readRefusal, type ServiceClient } from '../client/service-client.ts'

/** Bytes of a piece, and pieces that are sent, and in memory, at the same time. A small file is one. */
const PIECE_BYTES = 8 * 1024 * 1024
const CONCURRENT_PIECES = 4
/** Digests of one request. */
const MAX_ASKED = 10_000

const Missing = z.object({ missing: z.array(z.string()) })

export type Asked = { readonly token: string | undefined; readonly signal: AbortSignal }

/** The service does not take a part. */
export class PartRefused extends UserError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The service is older than evidence. */
export class EvidenceUnknown extends UserError {}

/** The error for an answer about a part that is no success: what concerns all parts is a `UserError` alone. */
const refusalOf = async (client: ServiceClient, response: Response, token: string | undefined): Promise<Error> => {
  const { status } = response
  if (status === 401 || status === 403) return readRefusal(client.url, response, token)
  const reason = await errorText(response)
  return status >= 500
    ? new TransientError(`${status}: ${reason}`, { status })
    : new PartRefused(status, `${client.url} answers ${status}: ${reason}`)
}

/**
 * Sends files by their digests: those that the service lacks, or all. A run that is about to be deleted may have the others. Returns their number.
 * Throws `PartRefused` for a part that is not taken, `UserError` if none is, and `TransientError` if the service cannot be reached.
 */
export const sendParts = async (
  client: ServiceClient,
  files: ReadonlyMap<string, StoredBytes>,
  asked: Asked,
  { isAll = false }: { readonly isAll?: boolean } = {},
): Promise<number> => {
  const missing = isAll ? [...files.keys()] : await findMissing(client, files, asked)
  const pieces = missing.flatMap((sha256) => {
    const stored = files.get(sha256)
    if (stored === undefined)
      throw new UserError(`${client.url} asks for the part ${sha256.slice(0, 64)}, which was not offered`)
    return piecesOf(client, stored, sha256, asked)
  })
  const queue = new PQueue({ concurrency: CONCURRENT_PIECES })
  await queue.addAll(pieces).catch(async (error: unknown) => {
    queue.clear()
    await queue.onIdle()
    throw error
  })
  return missing.length
}

const findMissing = async (
  client: ServiceClient,
  files: ReadonlyMap<string, StoredBytes>,
  { token, signal }: Asked,
): Promise<string[]> => {
  const missing: string[] = []
  for (let at = 0; at < files.size; at += MAX_ASKED) {
    const body = JSON.stringify({ sha256: [...files.keys()].slice(at, at + MAX_ASKED) })
    const headers = { 'content-type': 'application/json' }
    const answer = await client.request(
      '/parts/missing',
      { method: 'POST', headers, body, signal },
      async (response) => {
        if (await isAbsent(response))
          throw new EvidenceUnknown(`${client.url} is older than evidence, and keeps none: use --evidence none`)
        if (response.status !== 200) throw await readRefusal(client.url, response, token)
        return readAnswer(response, Missing)
      },
    )
    missing.push(...answer.missing)
  }
  return missing
}

/** What sends a part: in pieces if it is large. */
const piecesOf = (
  client: ServiceClient,
  stored: StoredBytes,
  sha256: string,
  { token, signal }: Asked,
): Array<() => Promise<void>> => {
  const { path, offset, bytes: size } = stored
  const put = async (from: number, to: number): Promise<void> => {
    const body = await readStored({ path, offset: offset + from, bytes: to - from }).catch((error: unknown): never => {
      throw new PartRefused(0, `${path} cannot be read any more: ${(error as Error).message}`)
    })
    const range = size > PIECE_BYTES ? `bytes ${from}-${to - 1}/${size}` : null
    await client.request(
      `/parts/${sha256}`,
      {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', ...(range !== null && { 'content-range': range }) },
        body,
        signal,
      },
      async (response) => {
        if (response.status !== 200) throw await refusalOf(client, response, token)
        await readAnswer(response, z.object({ sha256: z.literal(sha256) }))
      },
    )
  }
  return Array.from(
    { length: Math.max(1, Math.ceil(size / PIECE_BYTES)) },
    (_, n) => () => put(n * PIECE_BYTES, Math.min(size, (n + 1) * PIECE_BYTES)),
  )
}
