import { Option } from 'commander'
import { WrongAnswer, asUserError, errorText } from './answer.ts'
import { TransientError, withRetries, type RetryOptions } from './backoff.ts'
import { dropBody } from '../../engine/http/read-body.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { causeText } from '../../domain/plain/cause-text.ts'
import { retryAfterMs } from '../../engine/providers/wire/retry-after.ts'

const DEFAULT_SERVER_URL = 'http://localhost:8321'
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type ServiceClient = {
  readonly url: string
  /**
   * Sends one request and passes its response to `read`. Throws `TransientError` if there is no response, the body is
   * interrupted, or the service is too busy. Throws `UserError` on a redirect: this service sends none, and following
   * one would turn an upload into a GET. Also for a `WrongAnswer` of `read`, which is not tried again.
   */
  readonly once: <T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>) => Promise<T>
  /** Like `once`, with retries on `TransientError`. */
  readonly request: <T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>) => Promise<T>
}

export const serverOption = (): Option =>
  new Option('--server <url>', `the service to talk to (default SERVICE_SERVER_URL, else ${DEFAULT_SERVER_URL})`)

/** The server that `--server` names, else SERVICE_SERVER_URL, else the default; an empty variable counts as unset. */
export const serverOf = (given: string | undefined, env: NodeJS.ProcessEnv): string =>
  given ?? (env['SERVICE_SERVER_URL'] || DEFAULT_SERVER_URL)

/**
 * Returns a client of the API below `server`. `token` is its bearer token, if there is one. `send` sends its requests:
 * the global `fetch` unless another one is given.
 */
export const serviceClient = (
  server: string,
  token: string | undefined,
  retry: RetryOptions,
  send = fetch,
): ServiceClient => {
  const url = baseUrl(server)
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}

  const once: ServiceClient['once'] = async (path, init, read) => {
    let response: Response
    try {
      const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) }
      response = await send(`${url}/api/v1${path}`, { ...init, headers, redirect: 'manual' })
    } catch (error) {
      if (isSlow(error)) throw new UserError(`${url} did not answer within 5 minutes`, { cause: error })
      throw new TransientError(`${url} cannot be reached: ${causeText(error)}`, { cause: error })
    }
    const { status, headers } = response
    if (status >= 300 && status < 400) {
      await dropBody(response)
      throw new UserError(`${url} answers with a redirect to ${redirectTarget(headers)}; use that address`)
    }
    if (RETRIED_STATUSES.has(status))
      throw new TransientError(await errorText(response), {
        status,
        retry_after_ms: retryAfterMs(headers.get('retry-after'), Date.now()),
      })
    try {
      return await read(response)
    } catch (error) {
      throw error instanceof WrongAnswer ? asUserError(url, error) : error
    }
  }

  return { url, once, request: (path, init, read) => withRetries(() => once(path, init, read), retry) }
}

const MAX_SHOWN_TARGET = 200

/** The address to which a response redirects, for a message. */
export const redirectTarget = (headers: Pick<Headers, 'get'>): string =>
  (headers.get('location') ?? 'nowhere').slice(0, MAX_SHOWN_TARGET)

/** Whether `fetch` has waited for the head of a response as long as it does. Waiting seven times would take half an hour. */
const isSlow = (error: unknown): boolean =>
  error instanceof Error && ((error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT' || isSlow(error.cause))

/** The error for a rejected credential. Its message says what to check. */
export const unauthorized = (url: string, status: number, reason: string, token: string | undefined): UserError =>
  new UserError(
    `${url} rejects the request: ${status} ${reason}${token ? ' (check SERVICE_TOKEN)' : ' (SERVICE_TOKEN is not set)'}`,
  )

/** The error for an answer that is no success. Reads its body. */
export const readRefusal = async (url: string, response: Response, token: string | undefined): Promise<UserError> => {
  const { status } = response
  const reason = await errorText(response)
  return status === 401 || status === 403
    ? unauthorized(url, status, reason, token)
    : new UserError(`${url} answers ${status}: ${reason}`)
}

/** Turns the error of a last attempt, a `TransientError`, into a `UserError`. */
export const asFinal = (error: unknown): unknown =>
  error instanceof TransientError ? new UserError(error.message, { cause: error }) : error

const baseUrl = (server: string): string => {
  const url = URL.canParse(server) ? new URL(server) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UserError(`the server must be a URL like ${DEFAULT_SERVER_URL}, not ${server}`)
  // fetch rejects a URL with credentials, and its error would contain them.
  if (url.username || url.password)
    throw new UserError('the server URL must not contain a user or password; use SERVICE_TOKEN')
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}
