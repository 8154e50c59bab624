import { meanOf } from './means.ts'

/** How values differ within and between cases, if cases have several trials. */
export type Trials = {
  readonly cases: number
  readonly trials: number
  readonly within: number
  readonly between: number
  /** The share of the variance that lies between cases; null if no value differs from another. */
  readonly icc: number | null
  readonly mean: number
  /** The error of the mean if the cases are a sample of all possible cases. */
  readonly se_cases_sampled: number
  /** The error of the mean if only these cases matter, so that only trials vary. */
  readonly se_cases_fixed: number
}

/**
 * One-way random effects of trials with unequal numbers per case (S. R. Searle, Linear Models, 1971, chapter 11): the
 * variances within and between cases. Null without two cases and a second trial.
 */
export const variancesOf = (cases: ReadonlyArray<readonly number[]>): Trials | null => {
  const trials = cases.reduce((sum, { length }) => sum + length, 0)
  const count = cases.length
  if (count < 2 || trials <= count) return null
  const means = cases.map(meanOf)
  const grand = meanOf(cases.flat())
  const mean = meanOf(means)
  let [withinSquares, betweenSquares, sizes, meanSquares, inverse] = [0, 0, 0, 0, 0]
  cases.forEach((values, i) => {
    const own = means[i] ?? 0
    for (const value of values) withinSquares += (value - own) ** 2
    betweenSquares += values.length * (own - grand) ** 2
    sizes += values.length ** 2
    meanSquares += (own - mean) ** 2
    inverse += 1 / values.length
  })
  const within = withinSquares / (trials - count)
  const size = (trials - sizes / trials) / (count - 1)
  const between = Math.max(0, (betweenSquares / (count - 1) - within) / size)
  const all = {
    cases: count,
    trials,
    within,
    between,
    icc: within + between === 0 ? null : between / (between + within),
    mean,
    se_cases_sampled: Math.sqrt(meanSquares / (count - 1) / count),
    se_cases_fixed: Math.sqrt(within * inverse) / count,
  }
  return Object.values(all).every((value) => value === null || Number.isFinite(value)) ? all : null
}

/**
 * The probability that at least one of k trials passes, if c of n did, without bias: 1 - C(n - c, k) / C(n, k) (M. Chen
 * et al., arXiv 2107.03374). Null for fewer than k trials.
 */
export const passAtK = (n: number, c: number, k: number): number | null => {
  if (n < k) return null
  let none = 1
  for (let i = 0; i < k; i++) none *= Math.max(0, n - c - i) / (n - i)
  return 1 - none
}

/** The probability that all of k trials pass, if c of n did: C(c, k) / C(n, k) (S. Yao et al., arXiv 2406.12045). */
export const passHatK = (n: number, c: number, k: number): number | null => {
  if (n < k) return null
  let all = 1
  for (let i = 0; i < k; i++) all *= Math.max(0, c - i) / (n - i)
  return all
}

/** The trials of a test in one column, and how many of them passed. */
export type PassedTrials = { readonly n: number; readonly c: number }

export type PassesOfK = {
  readonly k: number
  readonly pass_at_k: number | null
  readonly pass_hat_k: number | null
  readonly units: number
  readonly left_out: number
}

/** The means of both over all tests with at least k trials. The others are counted as `left_out`. */
export const passesOfK = (units: readonly PassedTrials[], k: number): PassesOfK => {
  const enough = units.filter(({ n }) => n >= k)
  const mean = (of: typeof passAtK): number | null =>
    enough.length === 0 ? null : meanOf(enough.map(({ n, c }) => of(n, c, k) ?? 0))
  return {
    k,
    pass_at_k: mean(passAtK),
    pass_hat_k: mean(passHatK),
    units: enough.length,
    left_out: units.length - enough.length,
  }
}
