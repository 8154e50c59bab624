import { waitForEnd } from '../abortable.ts'
import type { Ports } from '../ports.ts'
import type { RunnerSpec } from '../suite/suite.ts'
import { ProviderFailure, type PreparedCall, type ProviderResponse } from './provider.ts'

type RetrySpec = RunnerSpec['retries']
type RetryPorts = Pick<Ports, 'monotonic' | 'random' | 'sleep'>

/** A response, the number of times the request was sent, and the time that was in flight, in whole milliseconds. */
export type CompletedCall = {
  readonly response: ProviderResponse
  readonly attempts: number
  readonly latency_ms: number
}

/** A call that got no response after all its attempts. `message` is the `error` of a case. */
export class FailedCall extends ProviderFailure {
  readonly attempts: number

  constructor(failure: ProviderFailure, attempts: number, isSuffixed: boolean) {
    super(`provider error${isSuffixed ? ` after ${attempts} attempt(s)` : ''}: ${failure.message}`, {
      errorClass: failure.errorClass,
      retriable: failure.retriable,
      retryAfterMs: failure.retryAfterMs,
      ...(failure.details === undefined ? {} : { details: failure.details }),
      parts: failure.parts,
      cause: failure,
    })
    this.attempts = attempts
  }
}

/** Resolves when the next call of a provider may start. */
export type RateLimiter = (signal: AbortSignal) => Promise<void>

/**
 * Spaces the calls of one provider, so that at most `rps` start in a second, in the order in which they asked. A call
 * that is aborted while it waits takes no place.
 */
export const createRateLimiter = (
  rps: number,
  { monotonic, sleep }: Pick<Ports, 'monotonic' | 'sleep'>,
): RateLimiter => {
  const spacing = 1000 / rps
  let next = Number.NEGATIVE_INFINITY
  let last = Promise.resolve()
  return async (signal) => {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    try {
      await waitForEnd(before, signal)
      const now = monotonic()
      const start = Math.max(now, next)
      if (start > now) await sleep(start - now, signal)
      next = start + spacing
    } finally {
      // The next call follows the one before this one, if this one left the queue.
      void before.then(resolve)
    }
  }
}

/**
 * Sends a call, and again after retriable failures, at most `retries.max` + 1 times. Waits
 * `initial_ms`, doubled each time up to `max_ms`, or exactly as long as `Retry-After` asks; a longer one than
 * `retry_after_max_ms` ends the attempts. Throws `FailedCall`, or the reason of the signal.
 */
export const callWithRetries = async (
  prepared: Pick<PreparedCall, 'send'>,
  retries: RetrySpec,
  ports: RetryPorts,
  signal: AbortSignal,
  limiter?: RateLimiter,
): Promise<CompletedCall> => {
  let latency = 0
  for (let attempts = 1; ; attempts++) {
    await limiter?.(signal)
    const started = ports.monotonic()
    try {
      const response = await prepared.send(signal)
      return { response, attempts, latency_ms: Math.round(latency + ports.monotonic() - started) }
    } catch (error) {
      latency += ports.monotonic() - started
      if (!(error instanceof ProviderFailure)) throw error
      const { retriable, retryAfterMs } = error
      const isTooLong = retryAfterMs !== null && retryAfterMs > retries.retry_after_max_ms
      if (!retriable || isTooLong || attempts > retries.max)
        throw new FailedCall(error, attempts, retriable && !isTooLong)
      await ports.sleep(retryAfterMs ?? backoff(attempts, retries, ports.random), signal)
    }
  }
}

const backoff = (attempt: number, { initial_ms, max_ms, jitter }: RetrySpec, random: Ports['random']): number => {
  const wait = Math.min(initial_ms * 2 ** (attempt - 1), max_ms)
  return jitter && wait >= 1 ? 1 + Math.floor(random() * Math.floor(wait)) : wait
}
