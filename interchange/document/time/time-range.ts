import { newLosses, type Losses } from '../losses.ts'
import { sourceTime, type TimeOptions } from './source-time.ts'

/** Collects the times of the parts of a run: when the first began and the last ended, as RFC 3339. */
export const timeRange = (options: TimeOptions = {}, losses: Losses = newLosses()) => {
  let first: string | null = null
  let last: string | null = null
  return {
    /** Adds times as the source writes them; impossible times are left out, see `sourceTime`. */
    add: (start: unknown, end: unknown, usual?: Parameters<typeof sourceTime>[4]): void => {
      for (const value of [start, end]) {
        const time = sourceTime(value, options, losses, '(time)', usual)
        if (time === null) continue
        if (first === null || Date.parse(time) < Date.parse(first)) first = time
        if (last === null || Date.parse(time) > Date.parse(last)) last = time
      }
    },
    first: (): string | null => first,
    last: (): string | null => last,
  }
}
