/** A run of a trend: passed cases of all its cases. */
export type TrendPoint = { readonly passed: number; readonly total: number }

/** Runs with one pass rate: the indexes `from` (inclusive) to `to` (exclusive). */
export type Segment = {
  readonly from: number
  readonly to: number
  readonly passed: number
  readonly total: number
  readonly rate: number | null
}

/** The newest runs that are searched for changes: the time grows with the square of their number. */
export const MAX_TREND_RUNS = 200
const MIN_SEGMENT = 3

/** The cost of one change, for a series of this length. A hundredth of all level series of 50 runs has a change. */
export const changePenalty = (runs: number): number => 3 * Math.log(runs)

const logTerm = (n: number, of: number): number => (n === 0 ? 0 : n * Math.log(n / of))

/** -2 ln of the binomial likelihood of one rate, without the coefficients, which are equal for all partitions. */
const segmentCost = (passed: number, total: number): number =>
  total === 0 ? 0 : -2 * (logTerm(passed, total) + logTerm(total - passed, total))

const sums = (values: readonly number[]): number[] => {
  const result = [0]
  let sum = 0
  for (const value of values) result.push((sum += value))
  return result
}

/**
 * Divides runs, oldest first, into segments of at least three runs with one pass rate each: the partition with the
 * smallest sum of -2 ln L and of a penalty for each change, by dynamic programming over all partitions (B. Jackson et
 * al., IEEE Signal Proc. Lett. 12, 2005, 105-108). `objective` is that sum, null for fewer than three runs, which are
 * one segment. Throws for more than `MAX_TREND_RUNS` runs.
 */
export const segmentTrend = (points: readonly TrendPoint[]): { segments: Segment[]; objective: number | null } => {
  const runs = points.length
  if (runs > MAX_TREND_RUNS) throw new Error(`a trend has ${runs} runs, more than ${MAX_TREND_RUNS}`)
  const passed = sums(points.map((point) => Math.min(point.passed, point.total)))
  const total = sums(points.map((point) => point.total))
  const between = (all: readonly number[], from: number, to: number): number => (all[to] ?? 0) - (all[from] ?? 0)
  const segment = (from: number, to: number): Segment => {
    const counts = { passed: between(passed, from, to), total: between(total, from, to) }
    return { from, to, ...counts, rate: counts.total === 0 ? null : counts.passed / counts.total }
  }
  if (runs < MIN_SEGMENT) return { segments: runs === 0 ? [] : [segment(0, runs)], objective: null }

  const penalty = changePenalty(runs)
  const best = new Array<number>(runs + 1).fill(Infinity)
  const start = new Array<number>(runs + 1).fill(0)
  best[0] = -penalty
  for (let to = MIN_SEGMENT; to <= runs; to++)
    for (let from = 0; from <= to - MIN_SEGMENT; from++) {
      const cost = (best[from] ?? Infinity) + penalty + segmentCost(between(passed, from, to), between(total, from, to))
      if (cost < (best[to] ?? Infinity)) [best[to], start[to]] = [cost, from]
    }

  const segments: Segment[] = []
  for (let to = runs; to > 0; to = start[to] ?? 0) segments.unshift(segment(start[to] ?? 0, to))
  return { segments, objective: best[runs] ?? null }
}
