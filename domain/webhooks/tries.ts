const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The wait before each try, from the end of the one before it. */
const WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
] as const

/** The number of tries after which a delivery is parked. */
export const MAX_TRIES = WAITS_MS.length

/** Each wait is up to 20 % shorter or longer, so that a receiver that was down does not get everything at once. */
const JITTER = 0.2

/**
 * When a delivery is tried again after `tries` failed tries, in epoch milliseconds; null if it has had all its tries.
 * `random` is from 0 (inclusive) to 1 (exclusive).
 */
export const nextTryAt = (tries: number, now: number, random: number): number | null => {
  const wait = WAITS_MS[tries]
  return wait === undefined ? null : now + Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}
