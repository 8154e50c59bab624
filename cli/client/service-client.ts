import { Option } from 'commander'
import * as z from 'zod'
import { TransientError, retryAfterMs, withRetries } from './backoff.ts'
import type { Patience } from './backoff.ts'
import { UserError } from '../../maintenance/user-error.ts'

const DEFAULT_SERVER_URL = 'http://localhost:8321'
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type ServiceClient = {
  readonly url: string
  /**
   * One request, and `read` on its answer. Throws `TransientError` when nobody answers, the answer breaks off, or the
   * service is too busy; `UserError` on a redirect, which no service of this kind sends and which would turn an upload
   * into a GET.
   */
  readonly once: <T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>) => Promise<T>
  /** The same, tried again while it is `TransientError`. */
  readonly request: <T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>) => Promise<T>
}

export const serverOption = (): Option =>
  new Option('--server <url>', `the service to talk to (default SERVICE_SERVER_URL, else ${DEFAULT_SERVER_URL})`)

/** The server that `--server` names, else SERVICE_SERVER_URL, else the default; an empty variable counts as unset. */
export const serverOf = (given: string | undefined, env: NodeJS.ProcessEnv): string =>
  given ?? (env['SERVICE_SERVER_URL'] || DEFAULT_SERVER_URL)

/**
 * A client of the service at `server` (under it, `/api/v1`), with SERVICE_TOKEN as its credential when there is one.
 */
export const serviceClient = (server: string, token: string | undefined, patience: Patience): ServiceClient => {
  const url = baseUrl(server)
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}

  const once: ServiceClient['once'] = async (path, init, read) => {
    let response: Response
    try {
      const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) }
      response = await fetch(`${url}/api/v1${path}`, { ...init, headers, redirect: 'manual' })
    } catch (error) {
      throw new TransientError(`${url} cannot be reached: ${causeOf(error)}`, { cause: error })
    }
    const { status, headers } = response
    if (status >= 300 && status < 400) {
      await response.body?.cancel()
      throw new UserError(
        `${url} answers with a redirect to ${headers.get('location') ?? 'nowhere'}; give the address it leads to`,
      )
    }
    if (RETRIED.has(status))
      throw new TransientError(await errorText(response), {
        status,
        retry_after_ms: retryAfterMs(headers.get('retry-after'), Date.now()),
      })
    return read(response)
  }

  return { url, once, request: (path, init, read) => withRetries(() => once(path, init, read), patience) }
}

const ErrorBody = z.object({ error: z.string() })

/** What an answer says went wrong; reads its body. */
export const errorText = async (response: Response): Promise<string> => {
  const text = await bodyText(response)
  try {
    return ErrorBody.parse(JSON.parse(text)).error
  } catch {
    // A proxy in between answers in its own words.
    return response.statusText || 'no reason given'
  }
}

/** The whole body; one that breaks off is `TransientError`. */
export const bodyText = async (response: Response): Promise<string> => {
  try {
    return await response.text()
  } catch (error) {
    throw new TransientError(`the answer broke off: ${causeOf(error)}`, { status: response.status, cause: error })
  }
}

/** The innermost reason of a failed request: fetch itself only says that it failed. */
export const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return causeOf(error.cause)
  return error.message || (error as { code?: string }).code || error.name
}

/** Why a credential was not enough, in words that say what to do. */
export const unauthorized = (url: string, status: number, reason: string, token: string | undefined): UserError =>
  new UserError(
    `${url} refuses: ${status} ${reason}${token ? ' (check SERVICE_TOKEN)' : ' (SERVICE_TOKEN is not set)'}`,
  )

const baseUrl = (server: string): string => {
  const url = URL.canParse(server) ? new URL(server) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UserError(`the server must be a URL like ${DEFAULT_SERVER_URL}, not ${server}`)
  // fetch refuses a URL with credentials, and would name them in its error.
  if (url.username || url.password)
    throw new UserError('the server URL must hold no user and no password; use SERVICE_TOKEN')
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}
