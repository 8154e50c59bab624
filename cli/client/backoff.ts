import { setTimeout as delay } from 'node:timers/promises'

/** A failure that may be temporary: no response, or a server that asks the client to retry later. */
export class TransientError extends Error {
  override readonly name = 'TransientError'
  /** The response status; null without a response. */
  readonly status: number | null
  /** The delay that the server asks for; null if it names none. */
  readonly retry_after_ms: number | null

  constructor(
    message: string,
    {
      status = null,
      retry_after_ms = null,
      cause,
    }: { status?: number | null; retry_after_ms?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
    this.retry_after_ms = retry_after_ms
  }
}

export const MAX_ATTEMPTS = 7
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 8_000
const MAX_RETRY_AFTER_MS = 60_000

/**
 * Returns the delay before retry `n` (from 1) in milliseconds. It doubles each time, and half of it is random, so that
 * many clients do not retry at once. The delay that the server asked for, up to a minute, is added.
 */
export const delayBefore = (n: number, requestedMs: number | null, random: () => number): number => {
  const full = Math.min(FIRST_DELAY_MS * 2 ** (n - 1), MAX_DELAY_MS)
  return Math.round(full / 2 + (full / 2) * random() + Math.min(requestedMs ?? 0, MAX_RETRY_AFTER_MS))
}

export type RetryOptions = {
  /** After an abort there is no further attempt. */
  readonly signal: AbortSignal
  readonly random?: () => number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onRetry?: (error: TransientError) => void
}

/**
 * Runs `attempt` up to `MAX_ATTEMPTS` times, as long as it throws `TransientError`. Throws the last error, also after
 * an abort. The library p-retry could replace only this loop, not `delayBefore`: its delay cannot depend on the error,
 * and its randomness cannot be injected.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  { signal, random = Math.random, wait = pause, onRetry }: RetryOptions,
): Promise<T> => {
  for (let n = 1; ; n++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TransientError) || n === MAX_ATTEMPTS || signal.aborted) throw error
      onRetry?.(error)
      await wait(delayBefore(n, error.retry_after_ms, random), signal)
      if (signal.aborted) throw error
    }
  }
}

// An abort ends the wait without an error: the caller reads the signal.
export const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal }).catch(() => undefined)
