import { shallowRef } from 'vue'

/** How far the clock of the server is ahead of this one, in milliseconds. */
const aheadMs = shallowRef<number | null>(null)

/**
 * Remembers the time of an answer, the header `Date`. An answer from a cache has an earlier one, so the latest counts. A
 * page that is one file has no server: its own clock counts.
 */
export const noteServerTime = (date: string | null, now = Date.now()): void => {
  const ahead = date === null ? Number.NaN : Date.parse(date) - now
  if (!Number.isNaN(ahead) && (aheadMs.value === null || ahead > aheadMs.value)) aheadMs.value = ahead
}

/** The time of the server when the clock of this machine shows `now`. */
export const serverTime = (now: number): number => now + (aheadMs.value ?? 0)
