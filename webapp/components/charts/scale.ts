import { timeFormat } from '../../text/format.ts'

/** A point's place between `from` and `to` pixels, in equal steps; a single point is in the middle. */
export const stepX = (index: number, count: number, from: number, to: number): number =>
  count < 2 ? (from + to) / 2 : from + (index / (count - 1)) * (to - from)

/** A number for an SVG attribute, with at most one decimal. */
export const px = (value: number): number => Math.round(value * 10) / 10

type XY = readonly [x: number, y: number]

/** A line through points, as the data of a path; empty for none. */
export const linePath = (points: readonly XY[]): string =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('')

/** The area between two lines with the same x, as the data of a path. */
export const bandPath = (upper: readonly XY[], lower: readonly XY[]): string =>
  upper.length === 0 ? '' : `${linePath([...upper, ...lower.toReversed()])}Z`

const dayIn = timeFormat('en-GB', { day: 'numeric', month: 'short' })
const yearIn = timeFormat('en-GB', { year: 'numeric' })
const minuteIn = timeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** `9 Feb`; `9 Feb 2026` with the year. A day without a time, such as `2026-02-09`, is a day in UTC. */
export const dayLabel = (time: string, withYear = false, timeZone = 'UTC'): string => {
  const date = new Date(time)
  const day = dayIn(date, timeZone)
  return withYear ? `${day} ${yearIn(date, timeZone)}` : day
}

/**
 * The indexes that get a label, newest last, `every` steps apart: as many as fit. The newest one always has one, and the
 * oldest one too if it does not run into the next.
 */
export const labelled = (count: number, space: number, labelWidth: number): number[] => {
  if (count === 0) return []
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(0.1, space / Math.max(1, count - 1))))
  const found: number[] = []
  for (let i = count - 1; i >= 0; i -= every) found.unshift(i)
  return found
}

/** An axis over less than this is short. */
const SHORT_AXIS_MS = 2 * 86_400_000

/** The width of a label, in pixels: `day` for days, more on a short axis, whose labels may have a day and a time. */
export const labelWidth = (times: readonly string[], day: number): number =>
  Math.abs(Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '')) < SHORT_AXIS_MS ? 120 : day

/**
 * Labels of days at some indexes, in `timeZone`; a label has its year where that differs from the label before, unless it is
 * this year, and none that equals the label before. On a short axis days would repeat: its labels are times, the first of each day with the day, as `9 Feb, 14:05`.
 */
export const dayLabels = (
  times: readonly string[],
  indexes: readonly number[],
  timeZone: string,
  thisYear = new Date().getUTCFullYear(),
): Array<{ readonly index: number; readonly text: string }> => {
  const labels = indexes.flatMap((index) => {
    const time = times[index]
    return time === undefined ? [] : [{ index, time, day: dayLabel(time, true, timeZone) }]
  })
  const [first, last] = [labels[0], labels.at(-1)]
  const isShort =
    first !== undefined &&
    last !== undefined &&
    Math.abs(Date.parse(last.time) - Date.parse(first.time)) < SHORT_AXIS_MS &&
    labels.some(({ day }, i) => day === labels[i - 1]?.day)
  let shownYear = String(thisYear)
  let before = ''
  return labels.flatMap(({ index, time, day }, i) => {
    const date = new Date(time)
    const year = yearIn(date, timeZone)
    const text = dayLabel(time, year !== shownYear, timeZone)
    shownYear = year
    const minute = minuteIn(date, timeZone)
    const onSameDay = day === labels[i - 1]?.day
    const label = !isShort ? text : onSameDay ? minute : `${text}, ${minute}`
    if (onSameDay && label === before) return []
    before = label
    return { index, text: label }
  })
}
