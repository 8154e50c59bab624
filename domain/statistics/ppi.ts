import { SIGNIFICANCE, studentQuantile } from './quantiles.ts'
import { meanOf } from './means.ts'

// Prediction-powered inference: the judge's scores of all cases, corrected by people's scores of some.

/** A case with the judge's value; `label`: that of people, null if none. Cases of a group depend on each other. */
export type Predicted = { readonly group: unknown; readonly judged: number; readonly label: number | null }

/** `lambda`: how much weight the judge's values have, from 0 (labels alone) to 1. */
export type PpiEstimate = {
  readonly lambda: number
  readonly estimate: number
  readonly se: number
  readonly df: number
  readonly lower: number
  readonly upper: number
  /** The skewness of what the labels correct; null if all are equal. */
  readonly skewness: number | null
}

/** The sample variance of values around their mean. */
const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  let squares = 0
  for (const value of values) squares += (value - mean) ** 2
  return values.length < 2 ? 0 : squares / (values.length - 1)
}

const skewnessOf = (values: readonly number[]): number | null => {
  const mean = meanOf(values)
  let [second, third] = [0, 0]
  for (const value of values) {
    second += (value - mean) ** 2
    third += (value - mean) ** 3
  }
  return second === 0 ? null : third / values.length / (second / values.length) ** 1.5
}

type Stratum = {
  readonly lambda: number
  readonly estimate: number
  readonly variance: number
  readonly corrections: readonly number[]
  /** What each case adds to the estimate. */
  readonly influences: ReadonlyArray<readonly [group: unknown, influence: number]>
}

const estimateStratum = (cases: readonly Predicted[]): Stratum | null => {
  const labelled = cases.flatMap(({ group, judged, label }) => (label === null ? [] : [{ group, judged, label }]))
  const others = cases.filter(({ label }) => label === null)
  const [n, rest] = [labelled.length, others.length]
  if (n < 2) return null
  const [labels, judged] = [labelled.map(({ label }) => label), labelled.map((each) => each.judged)]
  const [labelMean, judgedMean] = [meanOf(labels), meanOf(judged)]
  let products = 0
  for (const each of labelled) products += (each.label - labelMean) * (each.judged - judgedMean)
  const variance = varianceOf(cases.map((each) => each.judged))
  const best = variance > 0 && rest > 0 ? products / (n - 1) / ((1 + n / rest) * variance) : 0
  const lambda = Math.min(1, Math.max(0, best))
  const corrections = labelled.map((each) => each.label - lambda * each.judged)
  const [correction, otherMean] = [meanOf(corrections), rest === 0 ? 0 : meanOf(others.map((each) => each.judged))]
  return {
    lambda,
    estimate: lambda * otherMean + correction,
    variance: (rest === 0 ? 0 : (lambda ** 2 * variance) / rest) + varianceOf(corrections) / n,
    corrections: corrections.map((value) => value - correction),
    influences: [
      ...labelled.map(({ group }, i) => [group, ((corrections[i] ?? 0) - correction) / n] as const),
      ...others.map((each) => [each.group, (lambda * (each.judged - otherMean)) / rest] as const),
    ],
  }
}

/**
 * The mean that people would give all cases, by PPI++ (A. N. Angelopoulos et al., arXiv 2311.01453): lambda times the mean of
 * the judge over cases without a label, and the mean of label - lambda times judge over those with one, lambda = Cov / ((1 + n/N)
 * Var) in [0, 1], Student's t with n - 1 degrees of freedom. `strata`: what cases were drawn by, such as the verdict; each
 * stratum weighs as its share of all cases. Where several cases are of one group, residuals are summed by group, with G / (G - 1)
 * and G - 1 degrees of freedom. Null for a stratum with fewer than two labels.
 */
export const ppiMean = (strata: ReadonlyArray<readonly Predicted[]>): PpiEstimate | null => {
  const filled = strata.filter((cases) => cases.length > 0)
  const all = filled.reduce((sum, cases) => sum + cases.length, 0)
  let [estimate, variance, labels, lambda] = [0, 0, 0, 0]
  const corrections: number[] = []
  const sums = new Map<unknown, number>()
  for (const cases of filled) {
    const found = estimateStratum(cases)
    if (found === null) return null
    const share = cases.length / all
    estimate += share * found.estimate
    variance += share ** 2 * found.variance
    lambda += share * found.lambda
    labels += found.corrections.length
    for (const value of found.corrections) corrections.push(value)
    for (const [group, influence] of found.influences) sums.set(group, (sums.get(group) ?? 0) + share * influence)
  }
  if (labels === 0) return null
  const isGrouped = sums.size < all
  if (isGrouped && sums.size < 2) return null
  let squares = 0
  for (const sum of sums.values()) squares += sum ** 2
  const se = Math.sqrt(isGrouped ? (sums.size / (sums.size - 1)) * squares : variance)
  const df = isGrouped ? Math.min(sums.size, labels) - 1 : labels - filled.length
  const margin = studentQuantile(1 - SIGNIFICANCE / 2, df) * se
  return {
    lambda,
    estimate,
    se,
    df,
    lower: estimate - margin,
    upper: estimate + margin,
    skewness: skewnessOf(corrections),
  }
}

const MOST_SKEWNESS = 1
const ENOUGH_SKEWED = 200

/** Whether what the labels correct is so skewed, and the labels so few, that the interval covers less than 95 %: 91 to 93 % in simulations. */
export const isSkewed = ({ skewness }: PpiEstimate, labels: number): boolean =>
  Math.abs(skewness ?? 0) > MOST_SKEWNESS && labels < ENOUGH_SKEWED
