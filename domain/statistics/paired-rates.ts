import { coinProbability, normalQuantile, SIGNIFICANCE } from './quantiles.ts'
import { mcnemar } from './statistics.ts'

const Z = normalQuantile(1 - SIGNIFICANCE / 2)

/** With fewer changed cases, the exact test cannot reach 0.05, however uneven they are. */
export const MIN_CHANGED = 6

export const VERDICTS = ['better', 'worse', 'no_clear_change', 'too_few'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Whether a run is worse or better than another, by the exact test of McNemar. */
export const pairedVerdict = (worse: number, better: number): Verdict => {
  if (worse + better < MIN_CHANGED) return 'too_few'
  if (mcnemar(worse, better).p_value >= SIGNIFICANCE) return 'no_clear_change'
  return worse > better ? 'worse' : 'better'
}

/**
 * The mid-p value of McNemar's test: the exact p-value without the probability of the observed split (M. W. Fagerland,
 * S. Lydersen, P. Laake, BMC Med. Res. Methodol. 13:91, 2013). It is less conservative, and for reading only: gates use
 * the exact value.
 */
export const midP = (worse: number, better: number): number =>
  worse + better === 0 ? 1 : mcnemar(worse, better).p_value - coinProbability(Math.min(worse, better), worse + better)

export type Interval = { readonly estimate: number; readonly lower: number; readonly upper: number }

const clamp = (value: number): number => Math.max(-1, Math.min(1, value))

/**
 * The shrunken difference of two pass rates of the same cases, and its standard error (D. G. Bonett, R. M. Price, J. Educ.
 * Behav. Stat. 37, 2012, 479-488).
 */
export const pairedNormal = (
  worse: number,
  better: number,
  pairs: number,
): { readonly mean: number; readonly se: number } => {
  const [fell, rose] = [(worse + 1) / (pairs + 2), (better + 1) / (pairs + 2)]
  const mean = rose - fell
  return { mean, se: Math.sqrt((fell + rose - mean ** 2) / (pairs + 2)) }
}

/**
 * The difference of two pass rates of the same cases, with its 95 % interval (Bonett and Price). The interval is around a
 * shrunken difference; the estimate is the observed one. Null without pairs.
 */
export const pairedDifference = (worse: number, better: number, pairs: number): Interval | null => {
  if (pairs === 0) return null
  const { mean, se } = pairedNormal(worse, better, pairs)
  const margin = Z * se
  return { estimate: (better - worse) / pairs, lower: clamp(mean - margin), upper: clamp(mean + margin) }
}

/** The exact test of paired cases, and the difference that it is about. `p_value`: two-sided; null without pairs. */
export type PairedTest = {
  readonly verdict: Verdict
  readonly p_value: number | null
  readonly mid_p: number | null
  readonly difference: Interval | null
}

export const pairedTest = (worse: number, better: number, pairs: number): PairedTest => ({
  verdict: pairedVerdict(worse, better),
  p_value: pairs === 0 ? null : mcnemar(worse, better).p_value,
  mid_p: pairs === 0 ? null : midP(worse, better),
  difference: pairedDifference(worse, better, pairs),
})
