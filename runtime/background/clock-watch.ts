import type { LogTimes } from '../../queries/log-times.ts'

const DAY_MS = 86_400_000

/** How far the clock may be behind the newest record without a warning: clocks of replicas differ. */
const MAX_BEHIND_MS = 60_000

/** A day ago, in epoch milliseconds. A start reads the times of the log around this instant. */
export const aDayBefore = (now: number): number => now - DAY_MS

export type Clocks = {
  /** The system's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds since the process started, by a monotonic clock. */
  readonly uptime: () => number
}

/** Two contradicting times, in epoch milliseconds. */
export type ClockGap = { readonly clock: number; readonly newest_record: number }

/** Both times if the clock is behind the newest record by more than a minute, or null. */
export const clockBehind = ({ newest }: LogTimes, now: number): ClockGap | null =>
  newest !== null && now < newest - MAX_BEHIND_MS ? { clock: now, newest_record: newest } : null

/** Returns both times if the clock seems to have jumped ahead, or null if it can be trusted. */
export type ClockWatch = () => ClockGap | null

/**
 * Detects a clock that jumped ahead by more than a day, either between the newest record of the log and this start, or
 * while the process runs. The clock is not trusted for a day of uptime, in which it can be corrected; after that it is
 * trusted. The same holds if the log has a gap of more than a day that ended less than a day ago: another start or
 * replica may have recorded under the same wrong clock. `times` is the result of a read around `aDayBefore(now())` at
 * the start.
 */
export const watchClock = (times: LogTimes, { now, uptime }: Clocks): ClockWatch => {
  const { last_before, first_after } = times
  const start = now()
  const isSilent = last_before !== null && (first_after ?? start) - last_before > DAY_MS
  /** A trusted time of the clock, and the uptime at that time. */
  let trusted = { clock: isSilent ? last_before : start, uptimeMs: uptime() }
  return () => {
    const clock = now()
    const uptimeMs = uptime()
    const elapsedMs = uptimeMs - trusted.uptimeMs
    const aheadMs = clock - trusted.clock - elapsedMs
    if (aheadMs > DAY_MS && elapsedMs < DAY_MS) return { clock, newest_record: trusted.clock }
    trusted = { clock, uptimeMs }
    return null
  }
}
