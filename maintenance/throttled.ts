import type { ReplayPosition } from '../projections/replay.ts'

const PACE_MS = 1000

/** Tells how far a replay is once a second at most, and when it is through. `clock` only goes forward. */
export const throttled = (
  clock: () => number,
  tell: (reached: ReplayPosition) => void,
): ((reached: ReplayPosition) => void) => {
  let told = clock()
  return (reached) => {
    if (reached.position < reached.size && clock() - told < PACE_MS) return
    told = clock()
    tell(reached)
  }
}
