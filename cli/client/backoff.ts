import { setTimeout as delay } from 'node:timers/promises'

/** An attempt failed in a way that may pass: nobody answers, or the other side asks for patience. */
export class TransientError extends Error {
  override readonly name = 'Transient'
  /** The status answered, null when nothing was. */
  readonly status: number | null
  /** How long the other side asks to wait. */
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

export const ATTEMPTS = 7
const FIRST_MS = 250
const LONGEST_MS = 8_000
const LONGEST_ASKED_MS = 60_000

/**
 * How long to wait before retry `n` (from 1): doubled each time, half of it at random so that many clients do not come
 * back at once. What the other side asked for is the least, up to a minute.
 */
export const delayBefore = (n: number, askedMs: number | null, random: () => number): number => {
  const full = Math.min(FIRST_MS * 2 ** (n - 1), LONGEST_MS)
  return Math.round(full / 2 + (full / 2) * random() + Math.min(askedMs ?? 0, LONGEST_ASKED_MS))
}

/** What a Retry-After header asks for in milliseconds: seconds, or a date; null when it says neither. */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  if (header === null || header.trim() === '') return null
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

export type Patience = {
  /** Once aborted, nothing is tried again. */
  readonly signal: AbortSignal
  readonly random?: () => number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Told before each wait. */
  readonly onRetry?: (error: TransientError) => void
}

/**
 * Runs `attempt` until it gives an answer or throws something else than `TransientError`; the last of `ATTEMPTS` tries
 * decides.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  { signal, random = Math.random, wait = pause, onRetry }: Patience,
): Promise<T> => {
  for (let n = 1; ; n++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TransientError) || n === ATTEMPTS || signal.aborted) throw error
      onRetry?.(error)
      await wait(delayBefore(n, error.retry_after_ms, random), signal)
      if (signal.aborted) throw error
    }
  }
}

// An abort only ends the wait: what follows is decided by the caller.
const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal }).catch(() => undefined)
