/** The maximum of a counter and of a sum of counters: a larger double loses digits. */
export const MAX_COUNT = Number.MAX_SAFE_INTEGER

/**
 * Returns the sum of two integers, limited to plus or minus `MAX_COUNT` so that no digit is lost. Money may be
 * negative.
 */
export const addCounts = (a: number, b: number): number => Math.max(-MAX_COUNT, Math.min(MAX_COUNT, a + b))

/** Limits a mean of counters to `MAX_COUNT`: rounding may make a mean larger than every counter in it. */
export const limitMean = (mean: number | null): number | null => (mean === null ? null : Math.min(MAX_COUNT, mean))
