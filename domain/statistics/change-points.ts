import { studentQuantile } from './quantiles.ts'

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

/** Values with one level: the indexes `from` (inclusive) to `to` (exclusive), and their mean. */
type LevelSegment = { readonly from: number; readonly to: number; readonly level: number }

/** The share of level series of independent normal values that have a change, at most. */
const FALSE_CHANGES = 0.01
const MAX_LEVEL_CHANGES = 20

/**
 * What the n-th change must save of T ln RSS in a series of T values: what a two-sample t test saves at its quantile, with
 * the degrees of freedom that are left and Bonferroni's correction for the places of one change.
 */
const levelPenalty = (runs: number, change: number): number => {
  const places = runs - 2 * MIN_SEGMENT + 1
  const df = runs - change - 1
  return runs * Math.log1p(studentQuantile(1 - FALSE_CHANGES / (2 * places), df) ** 2 / df)
}

/**
 * Divides values of runs, oldest first, into segments of at least three with one level each and one variance: for each
 * number of changes the partition with the smallest residual sum of squares, by dynamic programming, and of these the one
 * with the smallest T ln RSS and penalties (Y.-C. Yao, Stat. Probab. Lett. 6, 1988, 181-189; the penalty is ours). Throws for
 * more than `MAX_TREND_RUNS` values.
 */
export const segmentValues = (values: readonly number[]): LevelSegment[] => {
  const runs = values.length
  if (runs > MAX_TREND_RUNS) throw new Error(`a trend has ${runs} runs, more than ${MAX_TREND_RUNS}`)
  if (runs === 0) return []
  const mean = values.reduce((sum, value) => sum + value / runs, 0)
  const centred = values.map((value) => value - mean)
  const [sum, squares] = [sums(centred), sums(centred.map((value) => value ** 2))]
  const total = (all: readonly number[], from: number, to: number): number => (all[to] ?? 0) - (all[from] ?? 0)
  const residual = (from: number, to: number): number =>
    Math.max(0, total(squares, from, to) - total(sum, from, to) ** 2 / (to - from))
  const segment = (from: number, to: number): LevelSegment => ({
    from,
    to,
    level: mean + total(sum, from, to) / (to - from),
  })
  const level = residual(0, runs)
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  // Differences that only rounding makes are none.
  if (level <= runs * (largest * 1e-12) ** 2) return [segment(0, runs)]

  const most = Math.min(MAX_LEVEL_CHANGES, Math.floor(runs / MIN_SEGMENT) - 1)
  let best = Array.from({ length: runs + 1 }, (_, to) => (to < MIN_SEGMENT ? Infinity : residual(0, to)))
  const starts: number[][] = []
  let [chosen, smallest, penalties] = [0, runs * Math.log(level), 0]
  for (let change = 1; change <= most; change++) {
    const next = new Array<number>(runs + 1).fill(Infinity)
    const start = new Array<number>(runs + 1).fill(0)
    for (let to = (change + 1) * MIN_SEGMENT; to <= runs; to++)
      for (let from = change * MIN_SEGMENT; from <= to - MIN_SEGMENT; from++) {
        const cost = (best[from] ?? Infinity) + residual(from, to)
        if (cost < (next[to] ?? Infinity)) [next[to], start[to]] = [cost, from]
      }
    starts.push(start)
    best = next
    penalties += levelPenalty(runs, change)
    const criterion = runs * Math.log(Math.max(best[runs] ?? Infinity, level * 1e-12)) + penalties
    if (criterion < smallest) [chosen, smallest] = [change, criterion]
  }

  const segments: LevelSegment[] = []
  let to = runs
  for (let change = chosen; change > 0; change--) {
    const from = starts[change - 1]?.[to] ?? 0
    segments.unshift(segment(from, to))
    to = from
  }
  return [segment(0, to), ...segments]
}
