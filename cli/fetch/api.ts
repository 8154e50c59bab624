import PQueue from 'p-queue'
import { pause, MAX_ATTEMPTS, TransientError, delayBefore } from '../client/backoff.ts'
import { redirectTarget } from '../client/service-client.ts'
import { BodyRefused, dropBody, readBody, readReason } from '../../engine/http/read-body.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { DOT_NAME, isDotName } from '../../domain/run/dot-names.ts'
import { causeText } from '../../domain/plain/cause-text.ts'
import { retryAfterMs } from '../../engine/providers/wire/retry-after.ts'

/** A request to the API of a tool. Segments of the path are escaped, and values of the query that are undefined left out. */
export type ApiRequest = {
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | undefined>> | ReadonlyArray<readonly [string, string]>
  /** Makes it a POST of this JSON. */
  readonly body?: unknown
}

export type Credentials = {
  readonly headers: Readonly<Record<string, string>>
  /** What must appear in no file and no message. */
  readonly secrets: readonly string[]
  /** The environment variables that an error names. */
  readonly variables: string
}

export type Api = {
  readonly url: string
  readonly read: (request: ApiRequest) => Promise<Buffer>
}

/** The API refuses one request, or answers it with something else than a page. Other requests may succeed. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
  /** The response status; null if the answer cannot be used. */
  readonly status: number | null

  constructor(message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Maximum bytes of an answer, decompressed: `ers import` reads no larger element. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024
const MAX_CONCURRENCY = 4
/** A longer `Retry-After` ends the command: it continues where it was when it is started again. */
const MAX_RETRY_AFTER_MS = 60 * 60_000
const REQUEST_TIMEOUT_MS = 5 * 60_000
const MAX_ERROR_BYTES = 2_000
/** Shorter secrets, such as the password `ada`, are also ordinary text. */
const MIN_SECRET_LENGTH = 12

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

export type ApiOptions = {
  readonly signal: AbortSignal
  readonly send: typeof fetch
  readonly onWait?: (error: TransientError, ms: number) => void
  /** Specs replace the clock and chance. */
  readonly now?: () => number
  readonly random?: () => number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * The API of a tool at `base`, at most four requests at once. When an answer asks to wait (`Retry-After`), all requests wait.
 * `read` throws `UserError` if the key is refused, the server cannot be reached or asks to wait for more than an hour, and
 * after an abort; `FetchFailed` for any other answer that is no page. Redirects are not followed: they would carry the key
 * to another address.
 */
export const apiAt = (base: string, { headers, secrets, variables }: Credentials, options: ApiOptions): Api => {
  const { signal, send, onWait, now = Date.now, random = Math.random, wait = pause } = options
  const url = checkedBase(base)
  const queue = new PQueue({ concurrency: MAX_CONCURRENCY })
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
  let notBeforeMs = 0

  const hidden = (text: string): string => long.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)

  const once = async (request: ApiRequest): Promise<Buffer> => {
    const { address, name } = requestAddress(url, request)
    const response = await reached(() =>
      send(address, {
        method: request.body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      }),
    )
    const { status } = response
    if (status >= 200 && status < 300)
      return checked(await reached(() => readBody(response, { maxBytes: MAX_PAGE_BYTES })), name)
    if (status >= 300 && status < 400) {
      await dropBody(response)
      const target = hidden(redirectTarget(response.headers))
      throw new UserError(`${url} answers with a redirect to ${target}; name the right address with --url`)
    }
    const reason = hidden(await readError(response))
    if (status === 401 || status === 403) {
      const [fault, advice] = secrets.length === 0 ? ['needs a key', 'set'] : ['refuses the key', 'check']
      throw new UserError(`${url} ${fault}: ${status} ${reason} at ${name} (${advice} ${variables})`)
    }
    if (RETRIED_STATUSES.has(status))
      throw new TransientError(`${url} answers ${status} ${reason} at ${name}`, {
        status,
        retry_after_ms: retryAfterMs(response.headers.get('retry-after'), now()),
      })
    throw new FetchFailed(`${status} ${reason} at ${name}`, status)
  }

  const reached = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof BodyRefused) throw new FetchFailed(`${url} ${error.message}`, null, { cause: error })
      throw new TransientError(hidden(`${url} cannot be reached: ${causeText(error)}`), { cause: error })
    }
  }

  const checked = (body: Buffer, name: string): Buffer => {
    if (long.some((secret) => body.includes(secret)))
      throw new FetchFailed(`the answer of ${name} contains the key, so it is not written`)
    return body
  }

  const withRetries = async (request: ApiRequest): Promise<Buffer> => {
    for (let attempt = 1; ; attempt++) {
      const pausedMs = notBeforeMs - now()
      if (pausedMs > 0) await wait(pausedMs, signal)
      if (signal.aborted) throw new UserError('interrupted')
      try {
        return await once(request)
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        if (signal.aborted) throw new UserError('interrupted', { cause: error })
        const { status, retry_after_ms: askedMs } = error
        if (askedMs !== null && askedMs > MAX_RETRY_AFTER_MS)
          throw new UserError(`${error.message}: try again in ${Math.ceil(askedMs / 60_000)} minutes`, { cause: error })
        if (attempt >= MAX_ATTEMPTS) {
          if (status === 500) throw new FetchFailed(error.message, status, { cause: error })
          throw new UserError(error.message, { cause: error })
        }
        const ownMs = delayBefore(attempt, null, random)
        onWait?.(error, Math.max(askedMs ?? 0, ownMs))
        if (askedMs !== null) notBeforeMs = Math.max(notBeforeMs, now() + askedMs)
        await wait(ownMs, signal)
      }
    }
  }

  return { url, read: (request) => queue.add(() => withRetries(request)) }
}

/** The address of a request, and how messages name it: without the query, which may be long. */
const requestAddress = (url: string, { path, query = {} }: ApiRequest) => {
  const dots = path.find(isDotName)
  if (dots !== undefined) throw new FetchFailed(`an id ${DOT_NAME}: ${dots}`)
  const name = `/${path.map((segment) => encodeSegment(segment)).join('/')}`
  const pairs: ReadonlyArray<readonly [string, string | undefined]> = Array.isArray(query)
    ? (query as ReadonlyArray<readonly [string, string]>)
    : Object.entries(query as Readonly<Record<string, string | undefined>>)
  const given = pairs.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
  return { address: `${url}${name}${search}`, name: name.slice(0, 200) }
}

const encodeSegment = (segment: string): string => {
  try {
    return encodeURIComponent(segment)
  } catch (error) {
    throw new FetchFailed('an id is no valid text', null, { cause: error })
  }
}

const checkedBase = (base: string): string => {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UserError('--url must be an http or https address, such as https://cloud.langfuse.com')
  if (url.username || url.password || url.search || url.hash)
    throw new UserError('--url must have no user, password, query or fragment; the key is read from the environment')
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** What an error answer says: its message if it is JSON with one, else its beginning, on one line. */
const readError = async (response: Response): Promise<string> => {
  let text = ''
  try {
    text = (await readReason(response)).slice(0, MAX_ERROR_BYTES)
    const body = JSON.parse(text) as Record<string, unknown>
    for (const key of ['message', 'error', 'detail']) {
      const value = body[key]
      const found = typeof value === 'object' && value !== null ? (value as { message?: unknown }).message : value
      if (typeof found === 'string' && found !== '') return found.slice(0, 300)
    }
  } catch {
    // The connection broke, or a proxy answered in a format of its own: the status says enough.
  }
  const isMarkup = text.trimStart().startsWith('<')
  return (isMarkup ? '' : text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)) || response.statusText || 'no reason given'
}
