import { counted } from '../plain/counted.ts'
import { dependenceOf, type Dependence, type Residuals } from '../statistics/dependence.ts'
import { correctedDifference, countLabelled, posteriorOf, residualsOf } from '../statistics/judge.ts'
import { clusteredMean } from '../statistics/means.ts'
import { pairedNormal, pairedTest, type PairedTest } from '../statistics/paired-rates.ts'
import { isSkewed, ppiMean } from '../statistics/ppi.ts'
import { errsAlike, type LabelsDiffer } from './drift.ts'
import {
  areGrouped,
  asLabelled,
  countOf,
  hasEnoughPerVerdict,
  isLabelled,
  MAX_POOL_RUNS,
  poolOf,
  type CalibratedCase,
  type CalibratedRun,
  type LabelledRun,
  type Pool,
} from './pool.ts'

/** What a corrected comparison is computed from. */
export type ComparisonFacts = {
  readonly base: ComparedRun
  readonly head: ComparedRun
  /** The cases that both runs judged, from their `cases`. Their group is that of the base. */
  readonly pairs: ReadonlyArray<{ readonly base: CalibratedCase; readonly head: CalibratedCase }>
  /** Other like runs with the judge of the head and a closed queue that was not targeted, the newest first. */
  readonly pool: readonly LabelledRun[]
  /** People who gave the labels. */
  readonly people: number
}
type ComparedRun = CalibratedRun & { readonly judge_id: string | null }

const ENOUGH_PAIRS = 30
/** Below this p-value in a verdict, the judge errs otherwise in one run than in the other. */
const FAVOURS = 0.025

export type NoCorrection =
  | 'no_pairs'
  | 'judge_unknown'
  | 'judge_changed'
  | 'no_labels'
  | 'few_labels'
  | 'judge_favours'
  | 'uninformative_judge'

const WHY: Readonly<Record<NoCorrection, string>> = {
  no_pairs: 'no case was judged in both runs',
  judge_unknown: 'it is not known which model judged',
  judge_changed: 'another judge judged the other run',
  no_labels: 'no case was labelled by people',
  few_labels: 'there are fewer than 10 labels of cases that the judge passed, or failed',
  judge_favours: 'the judge errs otherwise in one run than in the other; 30 tests labelled in both would tell',
  uninformative_judge: 'the verdicts of the judge say too little about those of people',
}

type Difference = {
  readonly estimate: number
  readonly lower: number
  readonly upper: number
  /** What the labels correct is so skewed that the interval covers less: not for gates. */
  readonly skewed: boolean
}

/** The difference of two runs by the judge, and the one that people would find. Differences are head minus base, shares of 1. */
export type ComparedCalibration = {
  readonly judge_alone: PairedTest
  readonly pairs: number
  /** `labels_in_both`: tests labelled in both runs, right whatever the judge does. `same_judge`: errors that are alike in both. */
  readonly method: 'labels_in_both' | 'same_judge' | null
  readonly corrected: Difference | null
  readonly reason: NoCorrection | null
  readonly labels: number
  /** Whether the judge errs otherwise in one of the runs; null without labels in both. */
  readonly errs_alike: (LabelsDiffer & { readonly favours: boolean }) | null
  readonly sentence: string
}

/** PPI++ on pairs with labels in both runs. Null for fewer than 30 such pairs, and where a part of a drawn sample has too few. */
const byLabelsInBoth = ({
  pairs,
  base: { is_stratified: ofBase },
  head: { is_stratified: ofHead },
}: ComparisonFacts): { readonly corrected: Difference; readonly labels: number } | null => {
  const predicted = pairs.map((pair) => {
    const { base, head } = pair
    const label = base.label === null || head.label === null ? null : head.label.pass - base.label.pass
    return {
      group: base.group ?? pair,
      judged: head.verdict - base.verdict,
      label,
      drawn: `${base.verdict}${head.verdict}`,
    }
  })
  const labels = predicted.filter(({ label }) => label !== null).length
  if (labels < ENOUGH_PAIRS) return null
  const found = ppiMean(ofBase || ofHead ? [...Map.groupBy(predicted, ({ drawn }) => drawn).values()] : [predicted])
  if (found === null) return null
  const { estimate, lower, upper } = found
  return { corrected: { estimate, lower, upper, skewed: isSkewed(found, labels) }, labels }
}

/** The difference by the judge over its Youden's J, for a judge that errs alike in both runs. */
const bySameJudge = ({ pairs }: ComparisonFacts, pool: Pool, worse: number, better: number): Difference | null => {
  const groups = pairs.map((pair) => pair.base.group ?? pair)
  const values = pairs.map(({ base, head }) => head.verdict - base.verdict)
  const clustered = new Set(groups).size < pairs.length ? clusteredMean(values, groups) : null
  const difference = clustered
    ? // The factor for few groups comes with the design effect.
      { mean: clustered.mean, se: clustered.se * Math.sqrt((clustered.groups - 1) / clustered.groups) }
    : pairedNormal(worse, better, pairs.length)
  const posterior = posteriorOf(pool.labelled, pool.judged)
  const found = correctedDifference(difference, posterior, dependence())
  return found && { estimate: found.estimate, lower: found.lower, upper: found.upper, skewed: false }

  function dependence(): Dependence | null {
    const ofPool = pool.cases.map(asLabelled)
    if (pool.runs.some(({ is_deleted }) => is_deleted) || (clustered === null && !areGrouped(ofPool))) return null
    const none = { pool: 0, passed: 0, failed: 0 }
    // The error of a clustered difference has its groups already: each counts as one.
    const sums = new Map<unknown, number>()
    values.forEach((value, i) => {
      const key = clustered === null ? i : groups[i]
      sums.set(key, (sums.get(key) ?? 0) + (value - difference.mean) / pairs.length)
    })
    const rows = function* (): Generator<Residuals> {
      for (const [key, run] of sums) yield { ...none, group: clustered === null ? groups[key as number] : key, run }
      const { m1, m0 } = pool.labelled
      for (const cases of ofPool)
        yield* residualsOf(cases, posterior.point, { run: null, pool: pool.judged.total, m1, m0 })
    }
    const found = dependenceOf(rows())
    // The tests of the difference are fewer than those of the pool, and its error is the larger one.
    return found && clustered ? { ...found, groups: clustered.groups } : found
  }
}

/** Compares two runs of a judge, and corrects the difference by labels of people. */
export const compareCalibrated = (facts: ComparisonFacts): ComparedCalibration => {
  const { pairs, base, head, people } = facts
  const worse = pairs.filter((pair) => pair.head.verdict < pair.base.verdict).length
  const better = pairs.filter((pair) => pair.head.verdict > pair.base.verdict).length
  const judge_alone = pairedTest(worse, better, pairs.length)
  const differ = errsAlike(countLabelled(asLabelled(head.cases)), countLabelled(asLabelled(base.cases)))
  const errs_alike =
    differ.p_passed === null && differ.p_failed === null
      ? null
      : { ...differ, favours: Math.min(differ.p_passed ?? 1, differ.p_failed ?? 1) < FAVOURS }
  const ofBoth = [head, base].filter(isLabelled).map((run) => ({ ...run, is_deleted: false }))
  const pool = poolOf([...ofBoth, ...facts.pool.filter(isLabelled)].slice(0, MAX_POOL_RUNS), head)
  const labels = countOf(pool.labelled)
  const found = corrected()
  return {
    judge_alone,
    pairs: pairs.length,
    errs_alike,
    ...found,
    sentence: sentenceOf(judge_alone, found.corrected, found.reason, found.labels, people),
  }

  function corrected(): Pick<ComparedCalibration, 'method' | 'corrected' | 'reason' | 'labels'> {
    const inBoth = byLabelsInBoth(facts)
    if (inBoth !== null)
      return { method: 'labels_in_both', corrected: inBoth.corrected, reason: null, labels: 2 * inBoth.labels }
    const reason = reasonAgainst()
    if (reason !== null) return { method: null, corrected: null, reason, labels }
    const difference = bySameJudge(facts, pool, worse, better)
    return difference === null
      ? { method: null, corrected: null, reason: 'uninformative_judge', labels }
      : { method: 'same_judge', corrected: difference, reason: null, labels }
  }

  function reasonAgainst(): NoCorrection | null {
    if (pairs.length === 0) return 'no_pairs'
    if (base.judge_id === null || head.judge_id === null) return 'judge_unknown'
    if (base.judge_id !== head.judge_id) return 'judge_changed'
    if (labels === 0) return 'no_labels'
    if (errs_alike?.favours === true) return 'judge_favours'
    return hasEnoughPerVerdict(pool.labelled, pool.judged) ? null : 'few_labels'
  }
}

const points = (share: number): string => `${(100 * Math.abs(share)).toFixed(1)}`
const direction = (share: number): string => (points(share) === '0.0' ? 'no' : share < 0 ? 'worse' : 'better')
const moved = (share: number): string =>
  direction(share) === 'no' ? 'no difference' : `${points(share)} points ${direction(share)}`
const signed = (share: number): string => `${share < 0 && points(share) !== '0.0' ? '−' : ''}${points(share)}`
const probability = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`)

const sentenceOf = (
  { difference, p_value }: PairedTest,
  corrected: Difference | null,
  reason: NoCorrection | null,
  labels: number,
  people: number,
): string => {
  if (difference === null) return `Not corrected: ${WHY.no_pairs}.`
  const alone = `Judge alone: ${moved(difference.estimate)}${p_value === null ? '' : ` (${probability(p_value)})`}.`
  if (corrected === null) return reason === null ? alone : `${alone} Not corrected for its errors: ${WHY[reason]}.`
  const { estimate, lower, upper } = corrected
  const by = `by ${counted(labels, 'label')} of ${people === 1 ? '1 person' : `${people} people`}`
  return `${alone} Corrected for its errors: ${moved(estimate)} (${signed(lower)} to ${signed(upper)}), ${by}.`
}
