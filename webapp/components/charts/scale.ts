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

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `9 Feb`, in UTC; `9 Feb 2026` with the year. */
export const dayLabel = (time: string, withYear = false): string => {
  const date = new Date(time)
  return withYear ? `${DAY.format(date)} ${date.getUTCFullYear()}` : DAY.format(date)
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

/** Labels of days at some indexes; a label has its year where that differs from the label before, unless it is this year. */
export const dayLabels = (
  times: readonly string[],
  indexes: readonly number[],
  thisYear = new Date().getUTCFullYear(),
): Array<{ readonly index: number; readonly text: string }> => {
  let shownYear = thisYear
  return indexes.flatMap((index) => {
    const time = times[index]
    if (time === undefined) return []
    const year = new Date(time).getUTCFullYear()
    const text = dayLabel(time, year !== shownYear)
    shownYear = year
    return [{ index, text }]
  })
}
