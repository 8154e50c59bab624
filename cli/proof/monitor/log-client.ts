import { messageOf } from '../../../domain/plain/message-of.ts'
import { TILE_WIDTH } from '../../../storage/log/nodes.ts'
import { BodyRefused, dropBody, readBody } from '../../../engine/http/read-body.ts'
import { redirectTarget } from '../../client/service-client.ts'
import { tilePath } from './tiles.ts'

/** The log could not be asked, or did not answer as a log does. It may answer later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/** The log has no such checkpoint or tile: status 404. */
class NotThere extends LogUnavailable {}

/** The address or the token is wrong, as far as can be seen: asking again does not help. */
export class WrongTarget extends LogUnavailable {}

/** The address answers with a page or with JSON, so it is no log. */
class NoLog extends WrongTarget {}

const LOG_OF_SERVICE = '/api/v1/log'

/** What a monitor reads of a log. */
export type LogClient = {
  /**
   * The newest checkpoint as it is served, byte for byte: with cosignatures of a quorum, or as it is. Throws `WrongTarget`
   * for a page or for JSON.
   */
  readonly checkpoint: (isCosigned: boolean) => Promise<Buffer>
  readonly tile: (level: number, n: number, width: number) => Promise<Buffer>
}

const HASH_BYTES = 32
/** A note may have 16 signatures of 5 KB. */
const MAX_NOTE_BYTES = 256 * 1024
/** Time of one request in milliseconds, its body included. */
const TIMEOUT_MS = 10_000

/** Specs replace the requests, and the time that each may take. */
type Options = { readonly send?: typeof fetch; readonly deadline?: () => AbortSignal }

/**
 * Reads the log at an address over HTTP. If an address without a path is not a log itself, it may be that of a service: then
 * the log of the service is read. The length of each body is bounded, and redirects are refused.
 */
export const logClient = (
  address: string,
  token: string | null,
  { send = fetch, deadline = () => AbortSignal.timeout(TIMEOUT_MS) }: Options = {},
): LogClient => {
  const site = address.endsWith('/') ? address.slice(0, -1) : address
  let base = site
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }

  const get = async (
    path: string,
    maxBytes: number,
    accept = (_: Response, bytes: Buffer) => bytes,
  ): Promise<Buffer> => {
    const url = `${base}/${path}`
    try {
      const response = await send(url, { headers, redirect: 'manual', signal: deadline() })
      if (response.status !== 200) {
        await dropBody(response)
        throw refusal(response, url, token !== null)
      }
      return accept(response, await readBody(response, { maxBytes }))
    } catch (error) {
      if (error instanceof LogUnavailable) throw error
      if (error instanceof BodyRefused) throw new LogUnavailable(`${url} ${error.message}`, { cause: error })
      const { cause } = error as { readonly cause?: unknown }
      const reason = cause instanceof Error ? cause.message : messageOf(error)
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

  const checkpoint = (isCosigned: boolean): Promise<Buffer> =>
    get(isCosigned ? 'checkpoint?cosigned=true' : 'checkpoint', MAX_NOTE_BYTES, (response, bytes) => {
      if (isPageOrJson(response, bytes)) throw new NoLog(`${base} is not a log: its address ends in ${LOG_OF_SERVICE}`)
      return bytes
    })

  return {
    checkpoint: async (isCosigned) => {
      try {
        return await checkpoint(isCosigned)
      } catch (error) {
        const isElsewhere = error instanceof NoLog || error instanceof NotThere
        if (!isElsewhere || base !== site || new URL(site).pathname !== '/') throw error
        base = `${site}${LOG_OF_SERVICE}`
        try {
          return await checkpoint(isCosigned)
        } catch (failed) {
          base = site
          throw failed instanceof NoLog || failed instanceof NotThere ? error : failed
        }
      }
    },
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

const refusal = ({ status, headers }: Response, url: string, hasToken: boolean): LogUnavailable => {
  if (status >= 300 && status < 400)
    return new WrongTarget(`${url} answers with a redirect to ${redirectTarget(headers)}; use that address`)
  const answer = `${url} answers with status ${status}`
  if (status === 401)
    return new WrongTarget(hasToken ? `${answer}: the token is not valid` : `${answer}: give a token with --token-file`)
  if (status === 403)
    return new WrongTarget(
      `${answer}: only admins may read this log: use the token of an admin, or SERVICE_CHECKPOINT_ACCESS=read or public on the server`,
    )
  return status === 404 ? new NotThere(answer) : new LogUnavailable(answer)
}

/** Whether an answer is no note, but what another server or another address answers. Notes may have any type. */
const isPageOrJson = ({ headers }: Response, bytes: Buffer): boolean => {
  if (bytes.includes('\n\n\u2014 ')) return false
  return (
    /^(?:text\/html|application\/(?:.*\+)?json)\b/i.test(headers.get('content-type') ?? '') ||
    /^\s*[<{[]/.test(bytes.toString('latin1', 0, 1024))
  )
}
