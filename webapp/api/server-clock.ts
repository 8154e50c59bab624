import { shallowRef } from 'vue'

/** How far the clock of the server is ahead of this one, in milliseconds. */
const aheadMs = shallowRef<number | null>(null)

/**
 * Remembers the time of an answer, from its header `Date`. A cached answer has an earlier time, so the latest one is used. A
 * page that is one file has no server and uses the clock of its machine.
 */
export const noteServerTime = (date: string | null, now = Date.now()): void => {
  const ahead = date === null ? Number.NaN : Date.parse(date) - now
  if (!Number.isNaN(ahead) && (aheadMs.value === null || ahead > aheadMs.value)) aheadMs.value = ahead
}

/** The time of the server when the clock of this machine shows `now`. */
export const serverTime = (now: number): number => now + (aheadMs.value ?? 0)
