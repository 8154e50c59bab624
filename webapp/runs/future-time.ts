/** Clocks of machines differ a little, so a run that has just finished is not in the future. */
const TOLERANCE_MS = 5 * 60_000

/** Whether a time is later than now, by more than clocks differ. */
export const isFuture = (time: string, nowMs: number): boolean => Date.parse(time) > nowMs + TOLERANCE_MS
