import { ErsError } from './error.ts'

export type RetryOptions = {
  readonly fetch: typeof globalThis.fetch
  /** How often a request is sent at most. */
  readonly maxTries: number
  readonly waitMs: (ms: number, signal: AbortSignal) => Promise<void>
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000

/** Refused before anything was done, so any request may be sent again. */
const REFUSED = [429, 503]
/** A proxy had no answer. What the server did is not known. */
const UNKNOWN = [502, 504]

/** Sent twice, these do what they do once. An upload of the same run changes nothing. */
const isRepeatable = ({ method, url }: Request): boolean =>
  ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method) || (method === 'POST' && new URL(url).pathname.endsWith('/runs'))

/**
 * Returns a `fetch` that sends a request again when the server asks for it (429 and 503, after `Retry-After`), and when a
 * connection failed and a second request does no harm. No other 4xx is sent again. Throws ErsError with status 0 when no
 * try gets an answer.
 */
export const retrying =
  ({ fetch, maxTries, waitMs }: RetryOptions) =>
  async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= maxTries
      // A body can be read once, so each try but the last sends a copy.
      const answer = await fetch(isLast ? request : request.clone()).catch((cause: unknown) => {
        if (request.signal.aborted) throw cause
        if (isLast || !isRepeatable(request))
          throw new ErsError(0, `the server at ${new URL(request.url).origin} could not be reached`, null, { cause })
        return null
      })
      const isOver =
        answer &&
        (isLast || !(REFUSED.includes(answer.status) || (UNKNOWN.includes(answer.status) && isRepeatable(request))))
      if (isOver) return answer
      await answer?.body?.cancel()
      await waitMs(retryAfterMs(answer) ?? Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)), request.signal)
    }
  }

/** How long the server asks to wait, at most a minute; null if it says nothing (RFC 9110, 10.2.3). */
const retryAfterMs = (response: Response | null): number | null => {
  const value = response?.headers.get('retry-after')?.trim() ?? ''
  if (value === '') return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(MAX_WAIT_MS, Math.max(0, ms))
}

/** Waits. Rejects with the reason of the signal when it aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
