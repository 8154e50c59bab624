import { segmentTrend } from '../statistics/change-points.ts'
import type { Segment, TrendPoint } from '../statistics/change-points.ts'

const SIGNIFICANCE = 0.05

/** What a paired comparison of two runs counts, and the p-value of the exact test. */
type Counted = { readonly worse: number; readonly better: number; readonly p: number }

/** Whether a run is worse than the one it is compared with, by the exact test of McNemar. */
export const isWorse = ({ worse, better, p }: Counted): boolean => worse > better && p < SIGNIFICANCE

/** Whether a run is better than the one it is compared with, by the same test. */
export const isBetter = ({ worse, better, p }: Counted): boolean => better > worse && p < SIGNIFICANCE

/** How far the estimated place of a change may move when one more run is known. */
const MAX_SHIFT = 2

/** The newest change of a trend: the index of its first run, and the runs before and after it. */
export type TrendChange = { readonly from: number; readonly before: Segment; readonly after: Segment }

/**
 * The newest change of a trend if its last run made it visible, else null. The points are of like runs, oldest first. A
 * change that the earlier runs showed already, also one or two runs away, is not new.
 */
export const newChange = (points: readonly TrendPoint[]): TrendChange | null => {
  const { segments } = segmentTrend(points)
  const [before, after] = segments.slice(-2)
  if (!before || !after) return null
  const earlier = segmentTrend(points.slice(0, -1)).segments
  const isKnown = earlier.slice(1).some(({ from }) => Math.abs(from - after.from) <= MAX_SHIFT)
  return isKnown ? null : { from: after.from, before, after }
}
