import type { ReplayPosition } from '../projections/replay.ts'

const INTERVAL_MS = 1000

/**
 * Returns a function that reports the progress of a replay at most once a second, and when it is complete. `clock` is
 * monotonic.
 */
export const throttled = (
  clock: () => number,
  report: (reached: ReplayPosition) => void,
): ((reached: ReplayPosition) => void) => {
  let reportedAt = clock()
  return (reached) => {
    if (reached.position < reached.size && clock() - reportedAt < INTERVAL_MS) return
    reportedAt = clock()
    report(reached)
  }
}
