import { TILE_WIDTH } from '../../../storage/log/nodes.ts'
import { tilePath } from './tiles.ts'

/** The log could not be asked, or did not answer as a log does. It may answer later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/** The log has no such checkpoint or tile: status 404. */
class NotThere extends LogUnavailable {}

/** What a monitor reads of a log. */
export type LogClient = {
  /** The newest checkpoint as it is served: with cosignatures of a quorum, or as it is. */
  readonly checkpoint: (isCosigned: boolean) => Promise<string>
  readonly tile: (level: number, n: number, width: number) => Promise<Buffer>
}

const HASH_BYTES = 32
/** A note may have 16 signatures of 5 KB. */
const MAX_NOTE_BYTES = 256 * 1024
/** Time of one request in milliseconds, its body included. */
const TIMEOUT_MS = 10_000

/** Specs replace the requests, and the time that each may take. */
type Options = { readonly send?: typeof fetch; readonly deadline?: () => AbortSignal }

/** Reads the log at an address over HTTP. Bodies are read up to the length that they may have, and redirects are refused. */
export const logClient = (
  address: string,
  token: string | null,
  { send = fetch, deadline = () => AbortSignal.timeout(TIMEOUT_MS) }: Options = {},
): LogClient => {
  const base = address.endsWith('/') ? address.slice(0, -1) : address
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }

  const get = async (path: string, maxBytes: number): Promise<Buffer> => {
    const url = `${base}/${path}`
    try {
      const response = await send(url, { headers, redirect: 'manual', signal: deadline() })
      if (response.status !== 200) {
        await response.body?.cancel()
        const failed = response.status === 404 ? NotThere : LogUnavailable
        throw new failed(`${url} answers with status ${response.status}`)
      }
      return await readBody(response, url, maxBytes)
    } catch (error) {
      if (error instanceof LogUnavailable) throw error
      const { cause } = error as { readonly cause?: unknown }
      const reason = cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
      throw new LogUnavailable(`${url} cannot be read: ${reason}`, { cause: error })
    }
  }

  const exactly = async (level: number, n: number, width: number): Promise<Buffer> => {
    const path = tilePath(level, n, width)
    const bytes = await get(path, width * HASH_BYTES)
    if (bytes.length !== width * HASH_BYTES)
      throw new LogUnavailable(`${base}/${path} has ${bytes.length} bytes instead of ${width * HASH_BYTES}`)
    return bytes
  }

  return {
    checkpoint: async (isCosigned) =>
      (await get(isCosigned ? 'checkpoint?cosigned=true' : 'checkpoint', MAX_NOTE_BYTES)).toString('utf8'),
    tile: async (level, n, width) => {
      try {
        return await exactly(level, n, width)
      } catch (error) {
        // A partial tile may be gone once the full one is there.
        if (!(error instanceof NotThere) || width === TILE_WIDTH) throw error
        return (await exactly(level, n, TILE_WIDTH)).subarray(0, width * HASH_BYTES)
      }
    },
  }
}

const readBody = async (response: Response, url: string, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new LogUnavailable(`${url} has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
