import { performance } from 'node:perf_hooks'

/** How often the thread is looked at, and the share of that time that it may work and still counts as idle. */
const CHECK_MS = 1000
const MAX_IDLE_SHARE = 0.1

type Options = {
  /** Returns the share of the time since the last call, or since the start, in which this thread worked. */
  readonly readLoad?: () => number
  /** Calls `work` every `ms` milliseconds until the returned function is called. */
  readonly repeat?: (ms: number, work: () => void) => () => void
}

/**
 * Calls `release` once, as soon as this thread has been idle for a while: to collect garbage stops requests for some ten
 * milliseconds. V8 by itself keeps for half a minute what only the start needed. Returns a function that cancels it.
 */
export const releaseWhenIdle = (
  release: () => void,
  { readLoad = loadReader(), repeat = setTimer }: Options = {},
): (() => void) => {
  readLoad()
  const cancel = repeat(CHECK_MS, () => {
    if (readLoad() > MAX_IDLE_SHARE) return
    cancel()
    release()
  })
  return cancel
}

const loadReader = (): (() => number) => {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

const setTimer = (ms: number, work: () => void): (() => void) => {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}
