import { normalQuantile, SIGNIFICANCE, studentQuantile } from './quantiles.ts'

/** The power that is planned for. The exact test reaches 0.76 to 0.78 with these numbers of pairs. */
const POWER = 0.8

const Z_ALPHA = normalQuantile(1 - SIGNIFICANCE / 2)
const Z_BETA = normalQuantile(POWER)

const pairsFor = (difference: number, discordance: number): number =>
  (Z_ALPHA * Math.sqrt(discordance) + Z_BETA * Math.sqrt(discordance - difference ** 2)) ** 2 / difference ** 2

/**
 * The number of pairs that show a difference of two pass rates, if `discordance` is the share of cases that differ
 * between the runs (R. J. Connor, Biometrics 43, 1987, 207-211). Null without a difference, and for a difference larger
 * than the share of cases that differ.
 */
export const pairsNeeded = (difference: number, discordance: number): number | null => {
  const size = Math.abs(difference)
  return size > 0 && size <= discordance && discordance <= 1 ? Math.ceil(pairsFor(size, discordance)) : null
}

/**
 * The smallest difference of two pass rates that this number of pairs shows, by bisection of `pairsNeeded`. Null if
 * these pairs are too few even when all cases that differ differ in the same direction.
 */
export const smallestDifference = (pairs: number, discordance: number): number | null => {
  if (!(discordance > 0) || discordance > 1 || pairsFor(discordance, discordance) > pairs) return null
  let [low, high] = [0, discordance]
  for (let middle = high / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (pairsFor(middle, discordance) > pairs) low = middle
    else high = middle
  }
  return high
}

/** The smallest difference of two mean scores that pairs with this standard error show (E. Miller, arXiv 2411.00640). */
export const smallestScoreDifference = (standardError: number, df: number): number =>
  (studentQuantile(1 - SIGNIFICANCE / 2, df) + studentQuantile(POWER, df)) * standardError

/** Labels that a plan has of each verdict, if there are so many cases. */
const FEWEST_OF_VERDICT = 10

/** What labels so far say: people pass `x1` of `m1` cases that the judge passed, and `x0` of `m0` that it failed. All 0 before any. */
type Labels = { readonly x1: number; readonly m1: number; readonly x0: number; readonly m0: number }

/** The run whose pass rate is to be calibrated: its cases, and the share of them that the judge passes. */
type PlannedRun = { readonly n: number; readonly w: number }

/** The deviation of labels in each verdict, weighted by its share of cases, and the variance that the run itself has. */
const spread = ({ x1, m1, x0, m0 }: Labels, { n, w }: PlannedRun) => {
  const [a1, a0] = [(x1 + 1) / (m1 + 2), (x0 + 1) / (m0 + 2)]
  return {
    passed: w * Math.sqrt(a1 * (1 - a1)),
    failed: (1 - w) * Math.sqrt(a0 * (1 - a0)),
    run: ((a1 - a0) ** 2 * w * (1 - w)) / n,
  }
}

/**
 * How many labels bring a calibrated pass rate to a half width, shared between the verdicts so that they are fewest (J.
 * Neyman, J. R. Stat. Soc. 97, 1934, 558-625): S^2 / ((h/1.96)^2 - (a1 - a0)^2 w (1 - w) / n), S = w s1 + (1 - w) s0, times the
 * design effect. `labels`: null if the run alone is wider; `run_half_width` says how wide that is. `share_passed`: of the labels,
 * those of cases that the judge passed.
 */
export const labelsNeeded = (
  labels: Labels,
  run: PlannedRun,
  halfWidth: number,
  designEffect = 1,
): { readonly labels: number | null; readonly share_passed: number; readonly run_half_width: number } => {
  const { passed, failed, run: ofRun } = spread(labels, run)
  const left = (halfWidth / Z_ALPHA) ** 2 - ofRun * designEffect
  return {
    labels: left > 0 ? Math.ceil((designEffect * (passed + failed) ** 2) / left) : null,
    share_passed: passed / (passed + failed),
    run_half_width: Z_ALPHA * Math.sqrt(ofRun * designEffect),
  }
}

/**
 * The same as numbers of cases of each verdict. If a verdict has fewer cases than its share, all of them are labelled, and more of
 * the other. At least 10 of each verdict, or all of it. Null if the run is too small, or has too few cases.
 */
export const labelsByVerdict = (
  labels: Labels,
  run: { readonly passed: number; readonly failed: number },
  halfWidth: number,
  designEffect = 1,
): { readonly passed: number; readonly failed: number } | null => {
  const n = run.passed + run.failed
  const planned = { n, w: run.passed / n }
  const { labels: all, share_passed } = labelsNeeded(labels, planned, halfWidth, designEffect)
  if (all === null) return null
  const { passed, failed, run: ofRun } = spread(labels, planned)
  /** Cases of one verdict, where those of the other are `count`. */
  const rest = (own: number, other: number, count: number): number => {
    const left = (halfWidth / Z_ALPHA) ** 2 / designEffect - ofRun - other ** 2 / count
    return left > 0 ? Math.ceil(own ** 2 / left) : Infinity
  }
  const shared = Math.round(all * share_passed)
  const wanted =
    shared > run.passed
      ? { passed: run.passed, failed: rest(failed, passed, run.passed) }
      : all - shared > run.failed
        ? { passed: rest(passed, failed, run.failed), failed: run.failed }
        : { passed: shared, failed: all - shared }
  if (wanted.passed > run.passed || wanted.failed > run.failed) return null
  return {
    passed: Math.max(wanted.passed, Math.min(FEWEST_OF_VERDICT, run.passed)),
    failed: Math.max(wanted.failed, Math.min(FEWEST_OF_VERDICT, run.failed)),
  }
}

/** The half width to expect of a calibrated pass rate with labels of `passed` and `failed` cases; null without either where it counts. */
export const expectedHalfWidth = (
  labels: Labels,
  run: PlannedRun,
  { passed, failed }: { readonly passed: number; readonly failed: number },
): number | null => {
  const { passed: ofPassed, failed: ofFailed, run: ofRun } = spread(labels, run)
  if ((ofPassed > 0 && passed === 0) || (ofFailed > 0 && failed === 0)) return null
  const variance = (ofPassed > 0 ? ofPassed ** 2 / passed : 0) + (ofFailed > 0 ? ofFailed ** 2 / failed : 0)
  return Z_ALPHA * Math.sqrt(variance + ofRun)
}
