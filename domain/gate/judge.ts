import { counted } from '../plain/counted.ts'
import { pairsNeeded, smallestDifference } from '../statistics/planning.ts'
import { studentQuantile } from '../statistics/quantiles.ts'
import type { ComparedFacts, GatedCalibration, GatedRunFacts, Mean, Measured } from './facts.ts'
import {
  needsBaseline,
  needsCalibration,
  type ComparingRule,
  type JudgeRule,
  type Rule,
  type RuleOfOneRun,
} from './rules.ts'

/**
 * The result of a rule: its numbers in words, and whether it holds. `not_judged`: it needs a baseline, and there is none.
 * `not_calibrated`: what people say of the judge cannot be relied on, which is neither a pass nor a failure.
 */
export type Judged = {
  readonly rule: string
  readonly outcome: 'holds' | 'failed' | 'not_judged' | 'not_calibrated'
  readonly numbers: string
}

type Known = {
  readonly head: GatedRunFacts
  readonly compared: ComparedFacts | null
  /** By metric, as the rules name it. */
  readonly calibrations: ReadonlyMap<string | null, GatedCalibration>
  readonly alpha: number
  /** The p-value of the run, adjusted for all runs of the call; null for a single run. */
  readonly q_value: number | null
}

/** The drop of the pass rate that a gate should be able to see: 5 points. */
const DROP = 0.05

/** A share of 1 as points of a percentage, with its sign. */
const signed = (share: number): string => {
  const text = Math.abs(100 * share).toFixed(1)
  return `${share < 0 && text !== '0.0' ? '−' : ''}${text}`
}
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`
const milliseconds = (ms: number): string => `${Math.round(ms)} ms`
const usd = (amount: number): string => `$${amount.toFixed(4)}`

/** A probability that never reads as alpha when it is not. */
const probability = (value: number, alpha: number): string => {
  if (value < 0.001) return '< 0.001'
  for (let digits = 3; digits <= 9; digits++) {
    const text = value.toFixed(digits)
    if (Number(text) !== alpha || value === alpha) return `= ${text}`
  }
  return `= ${value}`
}

/**
 * The p-value that decides about a regression: of the clustered difference where cases depend on each other, else of the
 * exact test. With fewer than two groups there is no clustered difference, and the cases count one by one.
 */
export const decidingP = (compared: ComparedFacts): number | null =>
  compared.is_clustered && compared.clustered !== null ? compared.clustered.p_value : compared.p_value

/** The interval of a mean by Student's t, with the error alpha. */
const intervalOf = ({ mean, se, df }: Mean, alpha: number): readonly [lower: number, upper: number] => {
  const margin = studentQuantile(1 - alpha / 2, df) * se
  return [mean - margin, mean + margin]
}

const grouping = ({ grouped_by, clustered }: ComparedFacts): string =>
  clustered === null
    ? `, counted one by one: grouped by ${grouped_by}, there are fewer than 2 groups`
    : `, grouped by ${grouped_by} (${counted(clustered.groups, 'group')}${clustered.few_groups ? ', few groups' : ''})`

type Result = readonly [holds: boolean, numbers: string]

const noRegression = (compared: ComparedFacts, alpha: number, q_value: number | null): Result => {
  const { worse, better, pairs, is_clustered, clustered } = compared
  const counts = `${worse} worse, ${better} better of ${counted(pairs, 'pair')}`
  const p = decidingP(compared)
  if (p === null) return [true, 'no case passed or failed in both runs']
  const isSignificant = (q_value ?? p) < alpha
  const tested = `p ${probability(p, alpha)}${q_value === null ? '' : `, q ${probability(q_value, alpha)}`}`
  if (!is_clustered) return [!(isSignificant && worse > better), `${counts}, ${tested}`]
  if (clustered === null) return [!(isSignificant && worse > better), `${counts}${grouping(compared)}, ${tested}`]
  const [lower, upper] = intervalOf(clustered, alpha)
  const interval = `${signed(clustered.mean)} points, ${Number((100 * (1 - alpha)).toFixed(4))}% interval ${signed(lower)} to ${signed(upper)}`
  // The interval lies below 0 exactly when the difference is negative and p < alpha; q adjusts for many runs.
  return [!(isSignificant && clustered.mean < 0), `${counts}${grouping(compared)}: ${interval}, ${tested}`]
}

const nonInferior = (margin: number, compared: ComparedFacts): Result => {
  const { pairs, worse, better, is_clustered, clustered } = compared
  const lower = is_clustered && clustered !== null ? intervalOf(clustered, 0.05)[0] : compared.lower
  if (lower === null) return [false, 'no case passed or failed in both runs: a drop cannot be ruled out']
  const estimate = is_clustered && clustered !== null ? clustered.mean : (better - worse) / pairs
  const holds = lower >= -margin
  return [
    holds,
    `${signed(estimate)} points over ${counted(pairs, 'pair')}${is_clustered ? grouping(compared) : ''}, lower limit ${signed(lower)}: a drop of ${signed(margin)} points ${holds ? 'is' : 'cannot be'} ruled out`,
  ]
}

const noNewlyFailing = (most: number, { newly_failing }: ComparedFacts): Result => {
  if (newly_failing === null) throw new Error('the newly failing cases were not read')
  const { cases, flaky } = newly_failing
  const counting = cases - flaky
  return [
    counting <= most,
    `${counting} newly failing${flaky === 0 ? '' : `, ${flaky} flaky not counted`} (at most ${most})`,
  ]
}

const passRate = ({ least, isLower }: Extract<Rule, { kind: 'pass-rate' | 'score' }>, head: GatedRunFacts): Result => {
  const { passed, total, rate, lower: plain } = head.pass_rate
  if (total === 0) return [false, 'the run has no cases']
  const lower = head.is_clustered && head.clustered_pass_rate !== null ? head.clustered_pass_rate.lower : plain
  const value = isLower ? lower : rate
  return [
    value >= least,
    `${percent(rate)} (${passed} of ${total})${isLower ? `, lower limit ${percent(lower)}` : ''}, at least ${percent(least)}`,
  ]
}

const score = (
  { least, isLower }: Extract<Rule, { kind: 'pass-rate' | 'score' }>,
  { score: found, errors: errored }: GatedRunFacts,
): Result => {
  if (found === null) return [false, 'no case has a score']
  const value = isLower ? found.lower : found.mean
  if (value === null)
    return [false, `mean ${found.mean.toFixed(3)}, without a lower limit: there are fewer than two tests`]
  // The score of such a case is only that of the part which was evaluated, so the mean of the whole is unknown.
  const unknown = errored === 0 ? '' : `; ${counted(errored, 'case')} ended with an error, so the mean is not known`
  return [
    value >= least && errored === 0,
    `mean ${found.mean.toFixed(3)}${isLower ? `, lower limit ${value.toFixed(3)}` : ''}, at least ${least}${unknown}`,
  ]
}

const rose = (rise: number, { pairs, base, head }: Measured, unit: (value: number) => string, what: string): Result => {
  // What cannot be compared does not hold: otherwise a system that stops to report its cost would always pass.
  if (base === null || head === null) return [false, `no case recorded its ${what} in both runs`]
  const limit = `+${Number((100 * rise).toFixed(4))}%`
  const change =
    base === 0
      ? head === 0
        ? '+0.0%'
        : 'from nothing'
      : `${head < base ? '−' : '+'}${Math.abs(100 * (head / base - 1)).toFixed(1)}%`
  // A sum of two decimal fractions may miss the limit by a last digit.
  const holds = head <= base * (1 + rise) * (1 + 1e-12)
  return [holds, `${unit(base)} → ${unit(head)} over ${counted(pairs, 'pair')}, ${change} (at most ${limit})`]
}

/** Fails only if the whole interval of the ratio is above the limit. What was read from a cache is not judged. */
const clearlyRose = (rise: number, { ratio, from_cache }: Measured, what: string): Result => {
  const cached = from_cache === 0 ? '' : `, ${counted(from_cache, 'pair')} read from a cache not counted`
  if (ratio === null)
    return from_cache > 0
      ? [true, `nothing to judge${cached}`]
      : [false, `fewer than two tests recorded their ${what} in both runs`]
  const { estimate, lower, upper, pairs } = ratio
  const times = (value: number): string => value.toFixed(2)
  return [
    // Logarithms and their exponentials may miss the limit by a last digit.
    lower <= (1 + rise) * (1 + 1e-9),
    `${times(estimate)} times over ${counted(pairs, 'pair')}, 95% interval ${times(lower)} to ${times(upper)}${cached} (not clearly above +${Number((100 * rise).toFixed(4))}%)`,
  ]
}

const errors = (most: number, head: GatedRunFacts): Result => [
  head.errors <= most,
  `${counted(head.errors, 'error')} (at most ${most})`,
]

const ofOneRun = (rule: RuleOfOneRun, head: GatedRunFacts): Result => {
  switch (rule.kind) {
    case 'pass-rate':
      return passRate(rule, head)
    case 'score':
      return score(rule, head)
    case 'errors':
      return errors(rule.most, head)
  }
}

const comparing = (rule: ComparingRule, compared: ComparedFacts, alpha: number, q_value: number | null): Result => {
  switch (rule.kind) {
    case 'no-regression':
      return noRegression(compared, alpha, q_value)
    case 'no-newly-failing':
      return noNewlyFailing(rule.most, compared)
    case 'non-inferior':
      return nonInferior(rule.margin, compared)
    case 'cost':
      return rule.isClear
        ? clearlyRose(rule.rise, compared.cost_usd, 'cost')
        : rose(rule.rise, compared.cost_usd, usd, 'cost')
    case 'latency':
      return rule.isClear
        ? clearlyRose(rule.rise, compared.latency_ms, 'latency')
        : rose(rule.rise, compared.latency_ms, milliseconds, 'latency')
  }
}

const ofJudge = (rule: JudgeRule, { rate, agreement, labels }: GatedCalibration): Result => {
  const isRate = rule.kind === 'calibrated-pass-rate'
  const found = isRate ? rate : (agreement?.[rule.measure] ?? null)
  if (found === null) throw new Error('a good calibration has a rate and an agreement')
  const text = (value: number): string => (isRate ? percent(value) : value.toFixed(2))
  const name = isRate ? '' : rule.measure === 'ac1' ? 'AC1 ' : 'kappa '
  return [
    (rule.isLower ? found.lower : found.estimate) >= rule.least,
    `${name}${text(found.estimate)} (${text(found.lower)} to ${text(found.upper)}) by ${counted(labels, 'label')}, ${rule.isLower ? 'lower limit ' : ''}at least ${text(rule.least)}`,
  ]
}

const judgeCalibrated = (rule: JudgeRule, calibrations: Known['calibrations']): Judged => {
  const calibration = calibrations.get(rule.metric)
  if (!calibration) throw new Error('the calibration was not read')
  const { state, reasons } = calibration
  if (state === 'good') {
    const [holds, numbers] = ofJudge(rule, calibration)
    return { rule: rule.text, outcome: holds ? 'holds' : 'failed', numbers }
  }
  const why = state === 'none' ? 'there is no calibration' : `the calibration is ${state}`
  return { rule: rule.text, outcome: 'not_calibrated', numbers: `cannot be judged: ${why} (${reasons.join('; ')})` }
}

/**
 * Judges a rule by what is known of a run. Without a baseline, a rule that needs one is not judged; neither is a rule about a judge
 * whose calibration is not good.
 */
export const judge = (rule: Rule, { head, compared, calibrations, alpha, q_value }: Known): Judged => {
  if (needsCalibration(rule)) return judgeCalibrated(rule, calibrations)
  const result = !needsBaseline(rule)
    ? ofOneRun(rule, head)
    : compared === null
      ? null
      : comparing(rule, compared, alpha, q_value)
  if (result === null) return { rule: rule.text, outcome: 'not_judged', numbers: 'there is no baseline' }
  const [holds, numbers] = result
  return { rule: rule.text, outcome: holds ? 'holds' : 'failed', numbers }
}

/**
 * Says that a drop of 5 points could not have been seen with these pairs, and which one could; null if it could. A drop
 * of 5 points changes at least 5 % of the cases, even if fewer changed here.
 */
export const unseenDrop = ({
  pairs,
  worse,
  better,
}: Pick<ComparedFacts, 'pairs' | 'worse' | 'better'>): string | null => {
  if (pairs === 0) return null
  const discordance = Math.max((worse + better) / pairs, DROP)
  const needed = pairsNeeded(DROP, discordance)
  if (needed !== null && needed <= pairs) return null
  const smallest = smallestDifference(pairs, discordance)
  return `a drop of 5 points could not be seen with ${counted(pairs, 'pair')}: it needs about ${needed}${
    smallest === null ? '' : `, and these show drops of about ${signed(smallest)} points or more`
  }`
}
