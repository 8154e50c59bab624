import type { RouteLocationRaw } from 'vue-router'
import { formatCount, formatRate, plural } from '../../text/format.ts'
import { dayLabel } from './scale.ts'

/** A run of a trend, oldest first. */
export type TrendPoint = {
  readonly id: string
  readonly created_at: string
  readonly name: string
  readonly passed: number
  readonly total: number
  readonly rate: number
  readonly lower: number
  readonly upper: number
  /** It has few of the newest run's cases, so the line leaves it out. */
  readonly partial: boolean
  /** Null if the run has no address. */
  readonly to: RouteLocationRaw | null
}

/** The first run after a change of the pass rate, and the rates before and after it. */
export type TrendChange = { readonly run_id: string; readonly before: number; readonly after: number }

/** `11 of 40 passed, 27.5%; 95% interval 16.1% to 42.8%` */
export const pointWords = ({ passed, total, rate, lower, upper }: TrendPoint): string =>
  total === 0
    ? 'no cases'
    : `${formatCount(passed)} of ${formatCount(total)} passed, ${formatRate(rate)}; 95% interval ${formatRate(lower)} to ${formatRate(upper)}`

/** One sentence that says what a trend shows. */
export const trendWords = (
  points: readonly TrendPoint[],
  baseline: number | null,
  changes: readonly TrendChange[],
  timeZone: string,
): string => {
  const line = points.filter(({ partial }) => !partial)
  const [first, newest] = [line[0], line.at(-1)]
  if (!first || !newest) return 'No run to show.'
  const rates = line.map(({ rate }) => rate)
  const partial = points.length - line.length
  return [
    `Pass rate of ${plural(line.length, 'like run')} from ${dayLabel(first.created_at, true, timeZone)} to ${dayLabel(newest.created_at, true, timeZone)}: ${formatRate(first.rate)} at first, ${formatRate(newest.rate)} now, between ${formatRate(Math.min(...rates))} and ${formatRate(Math.max(...rates))}`,
    ...(baseline === null ? [] : [`baseline ${formatRate(baseline)}`]),
    ...(changes.length === 0 ? [] : [`${plural(changes.length, 'change')} of the level`]),
    ...(partial === 0 ? [] : [`${plural(partial, 'partial run')} off the line`]),
  ].join('; ')
}
