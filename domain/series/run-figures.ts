import { segmentValues } from '../statistics/change-points.ts'
import { clusteredMean, meanOf, median } from '../statistics/means.ts'
import { quantileIntervals, type QuantileInterval, type RanksOf } from '../statistics/quantile-interval.ts'
import type { Measures, StoredMeasure } from './measures.ts'
import type { Outline } from './outline.ts'

// What the cases of a run measured, as one number for each measure with its interval.

/** The measures of a run that a trend can show. Money is micro-USD. */
export type FigureName = 'score' | 'cost' | 'latency_p50' | 'latency_p95' | 'tokens'

export type Figure = QuantileInterval & {
  /** Cases that the number is made of. */
  readonly cases: number
  /** Cases that recorded the measure, and that are left out because an answer was read from a cache. */
  readonly from_cache: number
}

const known = (value: number): number => (Number.isNaN(value) ? 0 : value)

/** Input and output tokens of a case together; those of one side where the other is not recorded. NaN without both. */
export const tokensOf = (measures: Measures, i: number): number => {
  const [input, output] = [measures.value('input_tokens', i), measures.value('output_tokens', i)]
  return Number.isNaN(input) && Number.isNaN(output) ? NaN : known(input) + known(output)
}

/** Which cases are trials of one test with the same provider and prompt, by place; null if each test has one. */
const trialsOf = (outline: Outline): ((i: number) => number) | null => {
  const units = new Set<number>()
  for (let i = 0; i < outline.size; i++) units.add(outline.unitKey(i))
  return units.size < outline.size ? outline.unitKey : null
}

/** The mean score, with Student's t over tests. */
const meanScore = (measures: Measures, unitOf: (i: number) => number): Figure | null => {
  const [scores, units]: [number[], number[]] = [[], []]
  for (let i = 0; i < measures.size; i++) {
    const score = measures.value('score', i)
    if (Number.isNaN(score)) continue
    scores.push(score)
    units.push(unitOf(i))
  }
  if (scores.length === 0) return null
  const { lower = null, upper = null } = clusteredMean(scores, units) ?? {}
  return { value: meanOf(scores), lower, upper, cases: scores.length, from_cache: 0 }
}

const quantiles = (
  measures: Measures,
  valueOf: (i: number) => number,
  shares: readonly number[],
  trials: ((i: number) => number) | null,
  ranksOf: RanksOf,
): Array<Figure | null> => {
  const [values, groups]: [number[], number[]] = [[], []]
  let from_cache = 0
  for (let i = 0; i < measures.size; i++) {
    const value = valueOf(i)
    if (Number.isNaN(value)) continue
    if (measures.isCached(i)) {
      from_cache++
      continue
    }
    values.push(value)
    if (trials) groups.push(trials(i))
  }
  const found = quantileIntervals(values, shares, trials && groups, ranksOf)
  return shares.map((_, at) => {
    const interval = found?.[at]
    return interval ? { ...interval, cases: values.length, from_cache } : null
  })
}

/**
 * The figures of a run; null for what none of its cases recorded: the mean score, the median cost, latency (also its 95th
 * percentile) and tokens of a case. An answer from a cache takes no time and costs nothing, so such cases are left out of all
 * but the score.
 */
export const runFigures = (
  outline: Outline,
  measures: Measures,
  ranksOf: RanksOf,
): Readonly<Record<FigureName, Figure | null>> => {
  const trials = trialsOf(outline)
  const of = (measure: StoredMeasure) => (i: number) => measures.value(measure, i)
  const [cost = null] = quantiles(measures, of('cost_micro'), [0.5], trials, ranksOf)
  const [latency_p50 = null, latency_p95 = null] = quantiles(measures, of('latency_ms'), [0.5, 0.95], trials, ranksOf)
  const [all = null] = quantiles(measures, (i) => tokensOf(measures, i), [0.5], trials, ranksOf)
  return { score: meanScore(measures, outline.unitKey), cost, latency_p50, latency_p95, tokens: all }
}

/** Where the level of a figure changed: the index of the first value after the change, and the levels before and after. */
type LevelChange = { readonly from: number; readonly before: number; readonly after: number }

/**
 * The changes of the level of a figure over like runs, oldest first: of its logarithm, since costs and times change by
 * factors, but of scores, and of what is not always above 0, itself.
 */
export const levelChanges = (name: FigureName, values: readonly number[]): LevelChange[] => {
  const isByFactor = name !== 'score' && values.every((value) => value > 0)
  const segments = segmentValues(isByFactor ? values.map(Math.log) : values)
  const levelOf = (segment: (typeof segments)[number]): number => (isByFactor ? Math.exp(segment.level) : segment.level)
  return segments.flatMap((segment, i) => {
    const before = segments[i - 1]
    return before ? [{ from: segment.from, before: levelOf(before), after: levelOf(segment) }] : []
  })
}

/**
 * The median cost (micro-USD) and latency of a case, without intervals; null for what no case recorded. Cases with an answer
 * from a cache are left out.
 */
export const runMedians = (measures: Measures): { readonly cost: number | null; readonly latency: number | null } => {
  const of = (measure: StoredMeasure): number | null => {
    const values: number[] = []
    for (let i = 0; i < measures.size; i++) {
      const value = measures.value(measure, i)
      if (!Number.isNaN(value) && !measures.isCached(i)) values.push(value)
    }
    return median(values)
  }
  return { cost: of('cost_micro'), latency: of('latency_ms') }
}
