import { percentAgreement, gwet, krippendorffAlpha, type Coefficient } from '../statistics/agreement.ts'
import { dependenceOf, type Dependence } from '../statistics/dependence.ts'
import {
  carriedOverRate,
  judgeMeasures,
  ownCalibratedRate,
  posteriorOf,
  rememberedDraws,
  residualsOf,
  type Draw,
  type Grouped,
  type Judged,
  type Labelled,
  type Posterior,
} from '../statistics/judge.ts'
import type { Estimate } from '../statistics/posterior.ts'
import { isSkewed, ppiMean, type PpiEstimate } from '../statistics/ppi.ts'
import { passRate, type PassRate } from '../statistics/statistics.ts'
import {
  ENOUGH_LABELS,
  type CalibratedRate,
  type CalibrationMethod,
  type Coverage,
  type NoRate,
} from './calibrated-rate.ts'
import { stateOf, type CalibrationState, type StateReason } from './calibration-state.ts'
import { driftOf, type Drift } from './drift.ts'
import { planLabels, type LabelPlan } from './label-plans.ts'
import {
  areGrouped,
  asLabelled,
  countOf,
  criteriaOf,
  hasEnoughPerVerdict,
  hasOtherCriterion,
  isLabelled,
  MAX_POOL_RUNS,
  poolOf,
  totalOf,
  type CalibratedRun,
  type LabelledRun,
  type Pool,
} from './pool.ts'

/** What a calibration is computed from: one judge (slot and identity) of one run, and like runs with the same judge. */
export type CalibrationFacts = {
  /** The time that ages are from: now, or that of the record up to which the log is read, in ms. */
  readonly now: number
  /** Null if the judge is not known: then its verdicts could be those of any judge. */
  readonly judge_id: string | null
  /** The run that is calibrated. Its labels are in its cases. */
  readonly run: CalibratedRun & {
    /** Cases without a verdict of a judge: they keep their status. */
    readonly as_is: { readonly passed: number; readonly total: number }
  }
  /** Other like runs with the same judge and a closed queue that was not targeted, the newest first. At most `MAX_POOL_RUNS` are used. */
  readonly pool: readonly LabelledRun[]
  /** The rubric that the labels follow. */
  readonly rubric: {
    readonly valid_days: number
    /** The version that changed the meaning after these labels; null if none did. */
    readonly meaning_changed_in: number | null
  } | null
  /** Items of these queues with the labels of people before anything was adjudicated; "cannot tell" is left out. */
  readonly people: ReadonlyArray<{ readonly group: string | null; readonly labels: ReadonlyArray<0 | 1> }>
}

const FEWEST_CASES = 20
/** Above this share of passes, alpha is low although people agree. */
const MANY_PASSES = 0.85

/** What labels of people say about a judge, and what its pass rate of a run is worth. Shares are of 1. */
export type Calibration = {
  readonly state: CalibrationState
  /** All that keeps the state from `good`, the gravest first, in words. */
  readonly reasons: readonly StateReason[]
  readonly sentence: string
  /** The pass rate of the run as it stands: by the judge, and by status where no judge decides. */
  readonly judge_alone: PassRate
  /** Where the rate is from; null if there is none. */
  readonly method: CalibrationMethod | null
  readonly rate: CalibratedRate
  readonly own: CalibratedRate
  readonly carried_over: CalibratedRate
  /** What judge and people find differently, by the interval of the rate; null without a rate. */
  readonly finding: 'passes_too_much' | 'passes_too_little' | 'no_clear_difference' | null
  readonly as_is: { readonly passed: number; readonly total: number }
  readonly labels: Labelled & {
    readonly total: number
    /** Labels of tests that were judged by another criterion than in this run: left out. */
    readonly other_criterion: number
    readonly runs: number
    readonly newest_at: number | null
    /** The labels by the judge's verdict, with Wilson's intervals: how often people agree that a case passes. */
    readonly of_passed: PassRate
    readonly of_failed: PassRate
  }
  /** All cases of the runs that the labels are from, and how many the judge passed. */
  readonly pool: Judged
  /** Null without labels. */
  readonly judge: Readonly<
    Record<'human_rate' | 'sensitivity' | 'specificity' | 'youden' | 'agreement' | 'kappa' | 'ac1', Estimate>
  > | null
  readonly people: {
    readonly items: number
    readonly percent: { readonly estimate: number; readonly lower: number; readonly upper: number } | null
    readonly ac1: Coefficient | null
    readonly alpha: Coefficient | null
    readonly pass_share: number | null
    /** So many labels are passes that alpha is low although people agree. */
    readonly many_passes: boolean
  }
  /** The mean score that people would give, from labels with scores in the run itself. */
  readonly score: (PpiEstimate & { readonly labels: number; readonly skewed: boolean }) | null
  /** Null if the tests of the runs with labels are gone. */
  readonly coverage: Coverage | null
  readonly drift: Drift | null
  readonly plans: readonly LabelPlan[]
}

/** How the errors of a pool depend on each other, and on the run if that is apart. Null if no case depends on another, and if tests are gone. */
const dependenceIn = (pool: Pool, posterior: Posterior, run: CalibratedRun | null): Dependence | null => {
  if (pool.runs.some(({ is_deleted }) => is_deleted)) return null
  const { m1, m0 } = pool.labelled
  const ofPool = pool.cases.map(asLabelled)
  const ofRun = run === null ? [] : [asLabelled(run.cases)]
  if (!areGrouped([...ofRun, ...ofPool])) return null
  const total = pool.judged.total
  const rows = function* () {
    // Without a run apart the pool is the run: its pass share is one part in both.
    const shares = { run: run === null ? total : null, pool: total, m1, m0 }
    for (const cases of ofPool) yield* residualsOf(cases, posterior.point, shares)
    for (const cases of ofRun)
      for (const row of residualsOf(cases, posterior.point, { run: cases.length, pool: null, m1, m0 }))
        yield { ...row, passed: 0, failed: 0 }
  }
  return dependenceOf(rows())
}

/** A rate of the judged cases as one of all cases: those without a judge keep their status. */
const withAsIs = (
  rate: Grouped,
  judged: number,
  { passed, total }: { readonly passed: number; readonly total: number },
): Grouped => {
  if (total === 0) return rate
  const of = (share: number): number => (judged * share + passed) / (judged + total)
  return { ...rate, estimate: of(rate.estimate), lower: of(rate.lower), upper: of(rate.upper) }
}

/** What a pool says: the judge's measures, and a rate. */
type Found = {
  readonly pool: Pool
  readonly measures: () => Calibration['judge']
  readonly rate: CalibratedRate
  readonly isGrouped: boolean
}

const nothing = (pool: Pool, reason: NoRate): Found => ({
  pool,
  measures: () => null,
  rate: { reason },
  isGrouped: false,
})

const ownOf = ({ judge_id, run }: CalibrationFacts, draw: Draw): Found => {
  const pool = poolOf([{ ...run, is_deleted: false }], run)
  const labels = countOf(pool.labelled)
  if (judge_id === null) return nothing(pool, 'judge_unknown')
  if (labels === 0) return nothing(pool, 'no_labels')
  const posterior = posteriorOf(pool.labelled, pool.judged, pool.judged, draw)
  const dependence = dependenceIn(pool, posterior, null)
  const found = { pool, measures: () => judgeMeasures(posterior, dependence), isGrouped: dependence !== null }
  if (pool.judged.total < FEWEST_CASES) return { ...found, rate: { reason: 'few_cases' } }
  if (labels < ENOUGH_LABELS || !hasEnoughPerVerdict(pool.labelled, pool.judged))
    return { ...found, rate: { reason: 'few_labels' } }
  const rate = withAsIs(ownCalibratedRate(posterior, dependence), pool.judged.total, run.as_is)
  return { ...found, rate: { ...rate, reason: null, groups: dependence?.groups ?? null, clipped: 0 } }
}

const carriedOf = ({ judge_id, run, pool: others }: CalibrationFacts, draw: Draw): Found => {
  const runs = [...(isLabelled(run) ? [{ ...run, is_deleted: false }] : []), ...others.filter(isLabelled)].slice(
    0,
    MAX_POOL_RUNS,
  )
  const pool = poolOf(runs, run)
  if (judge_id === null) return nothing(pool, 'judge_unknown')
  if (countOf(pool.labelled) === 0) return nothing(pool, 'no_labels')
  const judged = { passed: run.passed, total: totalOf(run) }
  if (judged.total === 0) return nothing(pool, 'few_cases')
  const posterior = posteriorOf(pool.labelled, pool.judged, judged, draw)
  const dependence = dependenceIn(pool, posterior, run)
  const found = { pool, measures: () => judgeMeasures(posterior, dependence), isGrouped: dependence !== null }
  if (judged.total < FEWEST_CASES) return { ...found, rate: { reason: 'few_cases' } }
  if (!hasEnoughPerVerdict(pool.labelled, pool.judged)) return { ...found, rate: { reason: 'few_labels' } }
  const carried = carriedOverRate(posterior, dependence)
  if (carried.reason !== null) return { ...found, rate: { reason: carried.reason } }
  const rate = withAsIs(carried, judged.total, run.as_is)
  return {
    ...found,
    rate: { ...rate, reason: null, groups: dependence?.groups ?? null, clipped: carried.clipped },
  }
}

const peopleOf = (people: CalibrationFacts['people']): Calibration['people'] => {
  const items = people.map(({ labels }) => labels)
  const labels = items.filter(({ length }) => length >= 2).flat()
  const groups = people.map((item) => item.group ?? item)
  const share = labels.length === 0 ? null : labels.filter((label) => label === 1).length / labels.length
  return {
    items: items.filter(({ length }) => length >= 2).length,
    percent: percentAgreement(items, undefined, groups),
    ac1: gwet(items, undefined, groups),
    alpha: krippendorffAlpha(items, undefined, groups),
    pass_share: share,
    many_passes: share !== null && share > MANY_PASSES,
  }
}

/** The mean score by people, from labels with scores in the run itself. */
const scoreOf = ({ run }: CalibrationFacts): Calibration['score'] => {
  const scored = run.cases.flatMap((each) =>
    each.score === null
      ? []
      : [{ verdict: each.verdict, group: each.group ?? each, judged: each.score, label: each.label?.score ?? null }],
  )
  const labels = scored.filter(({ label }) => label !== null).length
  if (labels < ENOUGH_LABELS) return null
  const strata = run.is_stratified ? [1, 0].map((side) => scored.filter(({ verdict }) => verdict === side)) : [scored]
  const found = ppiMean(strata)
  return found && { ...found, labels, skewed: isSkewed(found, labels) }
}

/** How many tests of a run the pool judged too. */
const coverageOf = (run: CalibratedRun, { runs, cases }: Pool): Coverage | null => {
  if (runs.length === 0 || runs.every(({ is_deleted }) => is_deleted)) return null
  const criteria = criteriaOf(run)
  const found = new Map<string, boolean>()
  for (const each of cases.flat())
    if (each.test !== null && criteria.has(each.test))
      found.set(each.test, (found.get(each.test) ?? true) && hasOtherCriterion(criteria, each))
  return { tests: criteria.size, in_pool: found.size, other_criterion: [...found.values()].filter(Boolean).length }
}

const hasTrials = ({ cases }: CalibratedRun): boolean => areGrouped([asLabelled(cases)])

/**
 * Computes a calibration: the judge against people, the pass rate that people would give the run (by labels in the run itself if
 * there are enough, else carried over from like runs), and whether it may be relied on. Pure: the same facts give the same digits.
 */
export const calibrate = (facts: CalibrationFacts): Calibration => {
  const { run, rubric, now } = facts
  const draw = rememberedDraws()
  const [own, carried] = [ownOf(facts, draw), carriedOf(facts, draw)]
  const isOwn = own.rate.reason === null
  const { pool, measures, rate, isGrouped } = isOwn ? own : carried
  const people = peopleOf(facts.people)
  const labelled = pool.labelled
  const given = pool.cases.flatMap((cases) => cases.flatMap(({ label }) => label ?? []))
  const newest = given.reduce<number | null>((latest, { given_at }) => Math.max(latest ?? given_at, given_at), null)
  const coverage = coverageOf(run, pool)
  const drift = driftOf(pool.cases.flat())
  const judged = totalOf(run)
  const judge_alone = passRate(run.passed + run.as_is.passed, judged + run.as_is.total)
  const method: CalibrationMethod | null = rate.reason !== null ? null : isOwn ? 'own' : 'carried_over'
  const labels = countOf(labelled)
  const lacksTests = pool.runs.some(({ is_deleted }) => is_deleted)
  const { state, reasons, sentence } = stateOf({
    now,
    labels,
    enoughPerVerdict: hasEnoughPerVerdict(labelled, pool.judged),
    runs: pool.runs.length,
    judgeAlone: judge_alone.rate,
    method,
    rate,
    newest,
    rubric,
    people: { items: people.items, ac1: people.ac1 },
    coverage,
    drift,
    // Without its tests a run of the pool cannot be grouped; that matters where tests have several cases.
    ungrouped: lacksTests && !isGrouped && (hasTrials(run) || pool.runs.some(hasTrials)),
  })
  return {
    state,
    reasons,
    sentence,
    judge_alone,
    method,
    rate,
    own: own.rate,
    carried_over: carried.rate,
    finding: findingOf(judge_alone.rate, rate),
    as_is: run.as_is,
    labels: {
      ...labelled,
      total: labels,
      other_criterion: pool.otherCriterion,
      runs: pool.runs.length,
      newest_at: newest,
      of_passed: passRate(labelled.x1, labelled.m1),
      of_failed: passRate(labelled.x0, labelled.m0),
    },
    pool: pool.judged,
    judge: measures(),
    people,
    score: scoreOf(facts),
    coverage,
    drift,
    plans: judged === 0 ? [] : planLabels(own.pool.labelled, labelled, run, rate),
  }
}

const findingOf = (alone: number, rate: CalibratedRate): Calibration['finding'] => {
  if (rate.reason !== null) return null
  if (rate.upper < alone) return 'passes_too_much'
  return rate.lower > alone ? 'passes_too_little' : 'no_clear_difference'
}
