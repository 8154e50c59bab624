import type { LogGap } from '../../queries/silence.ts'

const DAY_MS = 86_400_000

/** By how much the clock of a start may be behind the newest record without a word: clocks of replicas differ. */
const BEHIND_MS = 60_000

/** The instant of the log that a start asks about, in epoch milliseconds: a day ago. */
export const aDayBefore = (now: number): number => now - DAY_MS

export type Clocks = {
  /** The system's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds since the process began, by a clock that only goes forward. */
  readonly uptime: () => number
}

/** Two times that do not fit each other, in epoch milliseconds. */
export type ClockGap = { readonly clock: number; readonly newest_record: number }

/** Where the clock of a start is behind the newest record by more than a minute: both times. Null otherwise. */
export const behind = ({ newest }: LogGap, now: number): ClockGap | null =>
  newest !== null && now < newest - BEHIND_MS ? { clock: now, newest_record: newest } : null

/** Where the clock seems to have jumped ahead: both times. Null where it may be trusted. */
export type ClockWatch = () => ClockGap | null

/**
 * Watches for a clock that jumped ahead by more than a day: from the log to this start, or while the process runs. It
 * is doubted for a day of uptime, in which the clock can be put right; then it is believed. A log that was silent for
 * more than a day until less than a day ago is doubted too: another start, or another replica, may have recorded under
 * the same wrong clock just before. `silence` is asked of `aDayBefore(now())` at the start.
 */
export const watchClock = ({ before, after }: LogGap, { now, uptime }: Clocks): ClockWatch => {
  const start = now()
  const isSilent = before !== null && (after ?? start) - before > DAY_MS
  /** A time of the clock that is believed, and the uptime then. */
  let believed = { clock: isSilent ? before : start, at: uptime() }
  return () => {
    const clock = now()
    const at = uptime()
    const ahead = clock - believed.clock - (at - believed.at)
    if (ahead > DAY_MS && at - believed.at < DAY_MS) return { clock, newest_record: believed.clock }
    believed = { clock, at }
    return null
  }
}
