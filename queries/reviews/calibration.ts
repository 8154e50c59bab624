import { z } from 'zod'
import { calibrate } from '../../domain/review/calibration.ts'
import { CALIBRATION_STATES } from '../../domain/review/calibration-state.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { BadParameter } from '../bad-parameter.ts'
import { findRun, type Run } from '../runs/run.ts'
import { findGroups, type ClusterBy } from '../statistics/clusters.ts'
import { clusterText } from '../statistics/run-statistics.ts'
import { PassRate } from '../statistics/side.ts'
import {
  calibratedCases,
  casesAsIs,
  judgeOfTarget,
  readJudgedRun,
  runOfCases,
  TARGETS,
  type CalibrationContext,
  type CalibrationTarget,
} from './calibrated-run.ts'
import { listJudges, type SlotJudge } from './judges.ts'
import { listAskedTargets } from './labelled-items.ts'
import {
  countLabels,
  digestOfLabels,
  finalLabels,
  isStratified,
  LabelsGiven,
  likeRunsOf,
  readLabelPool,
  readPoolRuns,
  readUntargeted,
  type LabelPool,
} from './label-pool.ts'

const count = z.number().int()
const number = z.number()

export const Estimate = z.object({ estimate: number, lower: number, upper: number }).meta({ id: 'Estimate' })

/** A calibrated pass rate, or why there is none. */
const CalibratedRate = z
  .union([
    Estimate.extend({
      reason: z.null(),
      groups: count.nullable().meta({ description: 'Groups of cases that depend on each other; null if none do' }),
      design_effect: number.nullable(),
      clipped: number.meta({ description: 'Share of the draws that were cut to the range from 0 to 1' }),
    }),
    z.object({
      reason: z.enum([
        'judge_unknown',
        'no_labels',
        'few_cases',
        'few_labels',
        'uninformative_judge',
        'outside_calibration',
      ]),
    }),
  ])
  .meta({ id: 'CalibratedRate' })

const Coefficient = Estimate.extend({ se: number, observed: number, expected: number, units: count })

const Drift = z.object({ p_passed: number.nullable(), p_failed: number.nullable(), drifted: z.boolean() })

/** What a calibration is about, and what it was computed from. */
export const About = {
  target: z.enum(TARGETS).meta({ description: '`case`: whole cases. `metric`: one judged metric of each case' }),
  metric: z.string().nullable(),
  as_of: count.nullable().meta({ description: 'The size of the log up to which it was read; null for all of it' }),
  cluster_by: z.string(),
  rubric: z
    .object({ id: z.string(), first: count, last: count, valid_days: count, changed_in: count.nullable() })
    .nullable()
    .meta({ description: 'The rubric that the labels follow, with the versions that mean the same' }),
  queues: z.array(z.string()),
  labels_sha256: z.string().nullable().meta({
    description:
      'Which labels were used: the SHA-256 of a line for each, `QUEUE.N PASS SCORE` and a line feed, in ascending order',
  }),
  given: LabelsGiven.meta({ description: 'The labels that people gave in these queues' }),
}

/** How good a judge of a run is against people, and what its pass rate is worth. What is undefined is null. */
export const RunCalibration = z
  .object({
    run_id: z.string(),
    ...About,
    judge_id: z.string().nullable(),
    other_judges: count.meta({ description: 'Other judges of the metric in the run: their cases are left out' }),
    state: z.enum(CALIBRATION_STATES),
    reasons: z
      .array(z.object({ state: z.enum(['stale', 'weak', 'none']), code: z.string(), text: z.string() }))
      .meta({ description: 'All that keeps the state from `good`, the gravest first' }),
    sentence: z.string(),
    judge_alone: PassRate.meta({ description: 'By the judge, and by status where no judge decides' }),
    method: z.enum(['own', 'carried_over']).nullable(),
    rate: CalibratedRate,
    own: CalibratedRate,
    carried_over: CalibratedRate,
    finding: z.enum(['passes_too_much', 'passes_too_little', 'no_clear_difference']).nullable(),
    as_is: z.object({ passed: count, total: count }).meta({ description: 'Cases that no judge decided' }),
    labels: z.object({
      ...{ x1: count, m1: count, x0: count, m0: count },
      total: count,
      other_criterion: count,
      runs: count,
      newest_at: z.string().nullable(),
      of_passed: PassRate,
      of_failed: PassRate,
    }),
    pool: z.object({ passed: count, total: count }),
    judge: z
      .object({
        ...{ human_rate: Estimate, sensitivity: Estimate, specificity: Estimate, youden: Estimate },
        ...{ agreement: Estimate, kappa: Estimate, ac1: Estimate },
      })
      .nullable(),
    people: z.object({
      items: count,
      percent: Estimate.nullable(),
      ac1: Coefficient.nullable(),
      alpha: Coefficient.nullable(),
      pass_share: number.nullable(),
      many_passes: z.boolean(),
    }),
    score: Estimate.extend({
      ...{ lambda: number, se: number, df: number, skewness: number.nullable() },
      ...{ labels: count, skewed: z.boolean() },
    }).nullable(),
    coverage: z.object({ tests: count, in_pool: count, other_criterion: count }).nullable(),
    drift: Drift.nullable(),
    plans: z.array(
      z.object({
        half_width: number,
        labels: count.nullable(),
        more: z.object({ passed: count, failed: count }).nullable(),
        reason: z.enum(['run_too_small', 'too_few_cases']).nullable(),
        run_half_width: number,
      }),
    ),
  })
  .meta({ id: 'RunCalibration' })
export type RunCalibration = z.infer<typeof RunCalibration>

/** What is asked of a calibration. `now` is the time that ages are from, unless `as_of` names an earlier one. */
export type CalibrationRequest = {
  readonly metric?: string | undefined
  readonly target?: (typeof TARGETS)[number] | undefined
  readonly cluster_by: ClusterBy
  readonly as_of?: number | undefined
  readonly now: number
}

const Recorded = z.object({ recorded_at: z.number() })

const findTime = (as_of: number): Query<{ readonly recorded_at: number } | null> =>
  maybeOne(sql.type(Recorded)`SELECT recorded_at FROM events WHERE seq <= ${as_of} ORDER BY seq DESC LIMIT 1`)

/** The time that ages are from: when the last record was made that is read. */
const readNow = async (
  { reader }: Pick<CalibrationContext, 'reader'>,
  { as_of, now }: CalibrationRequest,
): Promise<number> => (as_of === undefined ? now : ((await reader.read(findTime(as_of)))?.recorded_at ?? now))

const listed = (names: readonly string[]): string =>
  names.length === 0
    ? 'the run has no judge'
    : `its metrics are ${names.map((name) => JSON.stringify(name)).join(', ')}`

/**
 * What people judge, if a request does not say: the whole case if a queue asked for that, else the metric of the newest queue,
 * else the only metric of the run. Throws `BadParameter` for a metric that no judge of the run decided.
 */
export const chooseTarget = async (
  context: CalibrationContext,
  run: Run,
  judges: readonly SlotJudge[],
  {
    metric,
    target,
    as_of = null,
  }: Pick<CalibrationRequest, 'metric' | 'target'> & { readonly as_of?: number | null | undefined },
): Promise<CalibrationTarget> => {
  const names = [...new Set(judges.map((judge) => judge.metric))]
  if (metric !== undefined) {
    if (target === 'case')
      throw new BadParameter('metric: a whole case has no metric: leave out one of metric and target')
    if (!names.includes(metric))
      throw new BadParameter(`metric: no judge of the run decided ${JSON.stringify(metric)}; ${listed(names)}`)
    return { target: 'metric', metric }
  }
  const ofCases = { target: 'case', metric: null } as const
  if (target === 'case') return ofCases
  const [only, ...others] = names
  if (target === 'metric') {
    if (only === undefined || others.length > 0) throw new BadParameter(`metric: is needed; ${listed(names)}`)
    return { target, metric: only }
  }
  const { project, suite } = run
  if (project === null || suite === null) return ofCases
  const asked = await context.reader.read(listAskedTargets(context.viewer, { project, suite }, as_of))
  if (asked.some((each) => each.target === 'case')) return ofCases
  const newest = asked.find((each) => each.metric !== null && names.includes(each.metric))?.metric
  if (newest) return { target: 'metric', metric: newest }
  return only !== undefined && others.length === 0 ? { target: 'metric', metric: only } : ofCases
}

/** What an answer says about the labels that it is made of. */
export const describePool = async (
  reader: Reader,
  { as_of, cluster_by }: CalibrationRequest,
  { queues, items, rubric }: LabelPool,
): Promise<{ readonly [N in Exclude<keyof typeof About, 'target' | 'metric'>]: z.infer<(typeof About)[N]> }> => ({
  as_of: as_of ?? null,
  cluster_by: clusterText(cluster_by),
  rubric,
  queues: queues.map(({ queue_id }) => queue_id),
  labels_sha256: digestOfLabels(items),
  given: await reader.read(countLabels(queues)),
})

/**
 * The calibration of the judge of a run; null for an unknown, hidden or deleted run. Reads all its cases and those of the runs that
 * labels are from, so it must run on a reader thread. Throws `BadParameter` for a metric or a grouping that no case has.
 */
export const findCalibration = async (
  context: CalibrationContext,
  { run_id, ...asked }: CalibrationRequest & { readonly run_id: string },
): Promise<RunCalibration | null> => {
  const { reader, documents, viewer } = context
  const { cluster_by: cluster } = asked
  const run = await reader.read(findRun(viewer, run_id))
  if (!run) return null
  const { run_no, project, suite } = run
  const judges = await reader.read(listJudges([run_no]))
  const of = await chooseTarget(context, run, judges, asked)
  const { judge_id, slots, others } = judgeOfTarget(judges, of) ?? { judge_id: null, slots: [], others: 0 }
  const judged = await readJudgedRun(context, run, of.target, slots)
  if (!judged) return null
  const groupOf = await findGroups(reader, documents, run_no, cluster)
  const as_of = asked.as_of ?? null
  const untargeted =
    project === null || suite === null ? [] : await readUntargeted(context, { project, suite }, of, as_of)
  const labels = await readLabelPool(reader, untargeted, [judge_id], as_of, likeRunsOf(reader, run_no))
  const { queues, items, rubric } = labels
  const cases = calibratedCases(judged, groupOf, finalLabels(items, run_no, judge_id))
  const pool = await readPoolRuns(context, labels, judge_id, of, cluster, [run_no])
  const ofRun = new Map(pool.map((each) => [each.run_no, each.cases])).set(run_no, cases)
  const found = calibrate({
    now: await readNow(context, asked),
    judge_id,
    run: { ...runOfCases(cases, isStratified(queues, run_no)), as_is: casesAsIs(judged, of.target) },
    pool: pool.map((each) => each.run),
    rubric: rubric && { valid_days: rubric.valid_days, meaning_changed_in: rubric.changed_in },
    people: items.map(({ run_no: from, case_n, votes }) => ({
      group: ofRun.get(from)?.get(case_n)?.group ?? null,
      labels: votes,
    })),
  })
  return {
    run_id,
    ...of,
    ...(await describePool(reader, asked, labels)),
    judge_id,
    other_judges: others,
    ...found,
    reasons: [...found.reasons],
    labels: { ...found.labels, newest_at: found.labels.newest_at === null ? null : rfc3339(found.labels.newest_at) },
    plans: [...found.plans],
  }
}
