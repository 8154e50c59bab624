import { segmentTrend, type Segment, type TrendPoint } from '../statistics/change-points.ts'

const SIGNIFICANCE = 0.05

/** What a paired comparison of two runs counts, and the p-value of the exact test. */
type Counted = { readonly worse: number; readonly better: number; readonly p: number }

/** Whether a run is worse than the one it is compared with, by the exact test of McNemar. */
export const isWorse = ({ worse, better, p }: Counted): boolean => worse > better && p < SIGNIFICANCE

/** Whether a run is better than the one it is compared with, by the same test. */
export const isBetter = ({ worse, better, p }: Counted): boolean => better > worse && p < SIGNIFICANCE

/** The newest change of a trend: the index of its first run, and the runs before and after it. */
export type TrendChange = { readonly from: number; readonly before: Segment; readonly after: Segment }

const lastChange = (points: readonly TrendPoint[]): TrendChange | null => {
  const [before, after] = segmentTrend(points).segments.slice(-2)
  return before && after ? { from: after.from, before, after } : null
}

/**
 * The newest change of a trend if its last run confirmed it, else null. The points are of like runs, oldest first. While a
 * change has fewer than three runs, its place is estimated too early, and one bad run looks like a change. So a change is
 * confirmed by the first run that does not move it.
 */
export const newChange = (points: readonly TrendPoint[]): TrendChange | null => {
  const change = lastChange(points)
  if (!change) return null
  const [one, two] = [1, 2].map((fewer) => lastChange(points.slice(0, -fewer))?.from)
  return one === change.from && two !== change.from ? change : null
}
