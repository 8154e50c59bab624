import type { RouteLocationRaw } from 'vue-router'
import { plural } from '../../text/format.ts'
import { dayLabel } from './scale.ts'

/** The rate that people would give a run, by what they said of its judge, with its 95 % interval. */
export type PeopleRate = { readonly value: number; readonly lower: number; readonly upper: number }

/** `68.8% (60.8% to 75.3%)` */
export const peopleText = ({ value, lower, upper }: PeopleRate, format: (value: number) => string): string =>
  `${format(value)} (${format(lower)} to ${format(upper)})`

/** A run of a trend, oldest first. */
export type TrendPoint = {
  readonly id: string
  readonly created_at: string
  readonly name: string
  /** Null if the run did not record it. */
  readonly value: number | null
  /** The ends of the 95 % interval; null without one. */
  readonly lower: number | null
  readonly upper: number | null
  /** `11 of 40 passed`: what the value is of. */
  readonly cases: string
  /** The interval in words; empty without one. */
  readonly interval: string
  /** It has few of the newest run's cases, so the line leaves it out. */
  readonly partial: boolean
  /** What of the judge changed, if it is the first run of another one: the line begins again. */
  readonly judge?: string | undefined
  /** Where labels of people say it. */
  readonly people?: PeopleRate | undefined
  /** Null if the run has no address. */
  readonly to: RouteLocationRaw | null
}

/** The first run after a change of the level, and the levels before and after it. */
export type TrendChange = { readonly run_id: string; readonly before: number; readonly after: number }

/** The vertical axis of a chart: its ends, and where it has lines. */
export type Axis = { readonly from: number; readonly to: number; readonly ticks: readonly number[] }

export const SHARE_AXIS: Axis = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] }

/** An axis from 0, or from below it for negative values, with two to five steps that are round in a unit. */
export const roundAxis = (values: readonly number[], unit = 1): Axis => {
  const low = Math.min(0, ...values) / unit
  const high = Math.max(0, ...values) / unit || (low === 0 ? 1 : 0)
  const span = high - low
  const size = 10 ** Math.floor(Math.log10(span / 2))
  const step = size * ([1, 2, 5, 10].find((factor) => span / (size * factor) <= 5) ?? 10)
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step * unit)
  return { from: first * step * unit, to: last * step * unit, ticks }
}

/** Parts of a list without the items for which `isGap` holds. One for which `begins` holds is the first of a part. */
export const stretches = <T>(
  items: readonly T[],
  isGap: (item: T) => boolean,
  begins: (item: T) => boolean = () => false,
): T[][] => {
  const parts: T[][] = [[]]
  for (const item of items) {
    if (isGap(item) || begins(item)) parts.push([])
    if (!isGap(item)) parts.at(-1)?.push(item)
  }
  return parts.filter((part) => part.length > 0)
}

/** One sentence that says what a trend shows. */
export const trendWords = (
  title: string,
  points: readonly TrendPoint[],
  baseline: number | null,
  changes: readonly TrendChange[],
  format: (value: number) => string,
  timeZone: string,
): string => {
  const like = points.filter(({ partial }) => !partial)
  const line = like.flatMap(({ value, created_at }) => (value === null ? [] : [{ value, created_at }]))
  const [first, newest] = [line[0], line.at(-1)]
  if (!first || !newest) return 'No run to show.'
  const values = line.map(({ value }) => value)
  const judges = like.filter(({ judge }) => judge !== undefined).length
  const people = like.flatMap((point) => point.people ?? []).at(-1)
  const [partial, unknown] = [points.length - like.length, like.length - line.length]
  return [
    `${title} of ${plural(line.length, 'like run')} from ${dayLabel(first.created_at, true, timeZone)} to ${dayLabel(newest.created_at, true, timeZone)}: ${format(first.value)} at first, ${format(newest.value)} now, between ${format(Math.min(...values))} and ${format(Math.max(...values))}`,
    ...(baseline === null ? [] : [`baseline ${format(baseline)}`]),
    ...(changes.length === 0 ? [] : [`${plural(changes.length, 'change')} of the level`]),
    ...(judges === 0 ? [] : [`the judge changed ${judges === 1 ? 'once' : `${judges} times`}`]),
    ...(people ? [`people would pass ${format(people.value)} of the newest run that they checked`] : []),
    ...(unknown === 0 ? [] : [`not recorded by ${plural(unknown, 'run')}`]),
    ...(partial === 0 ? [] : [`${plural(partial, 'partial run')} off the line`]),
  ].join('; ')
}
