/** The most that a counter holds and a sum of counters shows: beyond it a double loses digits. */
export const MAX_COUNTED = Number.MAX_SAFE_INTEGER

/**
 * The sum of two whole numbers, which ends at `MAX_COUNTED` on either side rather than lose digits. Money may be below
 * zero.
 */
export const addCounted = (a: number, b: number): number => Math.max(-MAX_COUNTED, Math.min(MAX_COUNTED, a + b))

/** A mean of counters, which rounding may lift above every one of them. */
export const meanOfCounted = (mean: number | null): number | null =>
  mean === null ? null : Math.min(MAX_COUNTED, mean)
