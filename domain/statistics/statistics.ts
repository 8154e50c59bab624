export type PassRate = {
  readonly passed: number
  readonly total: number
  readonly rate: number
  readonly lower: number
  readonly upper: number
}

/** The ends of a 95 % interval of a share. */
export type Limits = { readonly lower: number; readonly upper: number }

export type McNemar = {
  readonly regressions: number
  readonly fixes: number
  readonly statistic: number
  readonly significant: boolean
  readonly p_value: number
}

/** The 97.5 % quantile of the normal distribution: a two-sided interval of 95 %. */
const Z = 1.959963984540054

/** The 95 % quantile of chi-squared with one degree of freedom, rounded as clients expect it. */
const CRITICAL = 3.841

const clamp = (value: number) => Math.min(1, Math.max(0, value))

/**
 * Returns a pass rate with its 95 % score interval (E. B. Wilson, JASA 22, 1927, 209-212); all zeros if there are no
 * cases.
 */
export const passRate = (passed: number, total: number): PassRate => {
  if (total === 0) return { passed, total, rate: 0, lower: 0, upper: 0 }

  // The counts are used as uploaded: a summary with more passes than cases still gets an interval.
  const rate = clamp(passed / total)
  const scale = 1 + Z ** 2 / total
  const centre = rate + Z ** 2 / (2 * total)
  const margin = Z * Math.sqrt((rate * (1 - rate) + Z ** 2 / (4 * total)) / total)
  return {
    passed,
    total,
    rate: passed / total,
    lower: clamp((centre - margin) / scale),
    upper: clamp((centre + margin) / scale),
  }
}

/** The pass rate of a run, with its interval over tests where the run stores one (`passInterval`), else over cases. */
export const runPassRate = (run: {
  readonly pass_count: number
  readonly case_count: number
  readonly pass_interval?: Limits | null | undefined
}): PassRate => ({ ...passRate(run.pass_count, run.case_count), ...run.pass_interval })

/**
 * McNemar's test of the cases whose outcome changed: the statistic with continuity correction (A. L. Edwards,
 * Psychometrika 13, 1948, 185-187) and the exact conditional p-value, two-sided (M. W. Fagerland, S. Lydersen, P.
 * Laake, BMC Med. Res. Methodol. 13:91, 2013).
 */
export const mcnemar = (regressions: number, fixes: number): McNemar => {
  const changed = regressions + fixes
  const statistic = changed === 0 ? 0 : Math.max(Math.abs(regressions - fixes) - 1, 0) ** 2 / changed
  return {
    regressions,
    fixes,
    statistic,
    significant: statistic > CRITICAL,
    p_value: signTest(Math.min(regressions, fixes), changed),
  }
}

/**
 * Returns min(1, 2 P(X <= k)) for X ~ Binomial(n, 1/2).
 *
 * The weights C(n, i) are relative to the middle weight and are summed downwards by their recurrence. So nothing
 * overflows and no logarithm loses digits. The loop ends when the weights are zero, after at most about 27 sqrt(n)
 * steps.
 */
const signTest = (k: number, n: number): number => {
  const middle = Math.floor(n / 2)
  if (k >= middle && n - k <= k + 1) return 1

  let half = 0
  let tail = 0
  for (let i = middle, weight = 1; weight > 0; weight *= i / (n - i + 1), i--) {
    half += weight
    if (i <= k) tail += weight
  }
  // An even n has one middle weight, shared by both halves; an odd n has two equal ones.
  return Math.min(1, (2 * tail) / (n % 2 === 0 ? 2 * half - 1 : 2 * half))
}
