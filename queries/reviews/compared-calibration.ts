import { z } from 'zod'
import { compareCalibrated } from '../../domain/review/compared-calibration.ts'
import type { CalibratedCase } from '../../domain/review/pool.ts'
import { VERDICTS } from '../../domain/statistics/paired-rates.ts'
import { chooseJoin, joinCases } from '../../domain/statistics/pairing.ts'
import { findRun, type Run } from '../runs/run.ts'
import { findGroups, type GroupOf } from '../statistics/clusters.ts'
import type { OutcomeRow } from '../statistics/outcomes.ts'
import {
  calibratedCases,
  judgeOfTarget,
  readJudgedRun,
  runOfCases,
  type CalibrationContext,
  type CalibrationTarget,
  type JudgedRun,
} from './calibrated-run.ts'
import { About, chooseTarget, describePool, Estimate, type CalibrationRequest } from './calibration.ts'
import { listJudges } from './judges.ts'
import { finalLabels, isStratified, likeRunsOf, readLabelPool, readPoolRuns, readUntargeted } from './label-pool.ts'

const count = z.number().int()
const number = z.number()

/** The difference of two runs by their judge, and the one that people would find. Differences are head minus base. */
export const ComparedCalibration = z
  .object({
    base: z.object({ run_id: z.string(), judge_id: z.string().nullable() }),
    head: z.object({ run_id: z.string(), judge_id: z.string().nullable() }),
    ...About,
    pairs: count.meta({ description: 'Cases with a verdict in both runs' }),
    judge_alone: z.object({
      verdict: z.enum(VERDICTS),
      p_value: number.nullable(),
      mid_p: number.nullable(),
      difference: Estimate.nullable(),
    }),
    method: z.enum(['labels_in_both', 'same_judge']).nullable().meta({
      description:
        '`labels_in_both`: tests labelled in both runs, whatever the judge does. `same_judge`: assumes that the judge errs alike in both',
    }),
    corrected: Estimate.extend({ skewed: z.boolean() }).nullable(),
    reason: z
      .enum([
        'no_pairs',
        'judge_unknown',
        'judge_changed',
        'no_labels',
        'few_labels',
        'judge_favours',
        'uninformative_judge',
      ])
      .nullable()
      .meta({ description: 'Why there is no corrected difference' }),
    labels: count,
    errs_alike: z
      .object({ p_passed: number.nullable(), p_failed: number.nullable(), favours: z.boolean() })
      .nullable()
      .meta({ description: 'Whether the judge errs otherwise in one of the runs; null without labels in both' }),
    sentence: z.string(),
  })
  .meta({ id: 'ComparedCalibration' })
export type ComparedCalibration = z.infer<typeof ComparedCalibration>

/** The cases of a run with a verdict. */
const decided = ({ judged: { outcomes, verdicts } }: Side): OutcomeRow[] => outcomes.filter(({ n }) => verdicts.has(n))

type Side = { readonly run: Run; readonly judge_id: string | null; readonly judged: JudgedRun }

const readSide = async (context: CalibrationContext, run: Run, of: CalibrationTarget): Promise<Side | null> => {
  const { judge_id, slots } = judgeOfTarget(await context.reader.read(listJudges([run.run_no])), of) ?? {
    judge_id: null,
    slots: [],
  }
  const judged = await readJudgedRun(context, run, of.target, slots)
  return judged && { run, judge_id, judged }
}

/**
 * The calibrated comparison of two runs; null if one is unknown, hidden or deleted. Reads all cases of both and of the runs that labels
 * are from, so it must run on a reader thread. Throws `BadParameter` for a metric that the head does not have, and for a grouping
 * that no case of the base has.
 */
export const findComparedCalibration = async (
  context: CalibrationContext,
  { base: base_id, head: head_id, ...asked }: CalibrationRequest & { readonly base: string; readonly head: string },
): Promise<ComparedCalibration | null> => {
  const { reader, documents, viewer } = context
  const [baseRun, headRun] = [await reader.read(findRun(viewer, base_id)), await reader.read(findRun(viewer, head_id))]
  if (!baseRun || !headRun) return null
  const of = await chooseTarget(context, headRun, await reader.read(listJudges([headRun.run_no])), asked)
  const [base, head] = [await readSide(context, baseRun, of), await readSide(context, headRun, of)]
  if (!base || !head) return null
  const as_of = asked.as_of ?? null
  const { project, suite } = headRun
  const untargeted =
    project === null || suite === null ? [] : await readUntargeted(context, { project, suite }, of, as_of)
  const like = likeRunsOf(reader, headRun.run_no)
  const labels = await readLabelPool(
    reader,
    untargeted,
    [head.judge_id, base.judge_id],
    as_of,
    async (candidates) => new Set([...(await like(candidates)), baseRun.run_no]),
  )
  const groupOf = await findGroups(reader, documents, baseRun.run_no, asked.cluster_by)
  const [baseCases, headCases] = [casesOf(base, groupOf), casesOf(head, groupOf)]
  const read = [baseRun.run_no, headRun.run_no]
  const pool = await readPoolRuns(context, labels, head.judge_id, of, asked.cluster_by, read)
  const described = await describePool(reader, asked, labels)
  const found = compareCalibrated({
    base: sideOf(base, baseCases),
    head: sideOf(head, headCases),
    pairs: pairsOf(decided(base), decided(head)),
    pool: pool.map(({ run }) => run),
    people: described.given.people,
  })
  return {
    base: { run_id: base_id, judge_id: base.judge_id },
    head: { run_id: head_id, judge_id: head.judge_id },
    ...of,
    ...described,
    ...found,
  }

  function casesOf({ run, judge_id, judged }: Side, groups: GroupOf): ReadonlyMap<number, CalibratedCase> {
    return calibratedCases(judged, groups, finalLabels(labels.items, run.run_no, judge_id))
  }

  function sideOf({ run, judge_id }: Side, cases: ReadonlyMap<number, CalibratedCase>) {
    return { ...runOfCases(cases, isStratified(labels.queues, run.run_no)), judge_id }
  }

  function pairsOf(left: readonly OutcomeRow[], right: readonly OutcomeRow[]) {
    return joinCases(left, right, chooseJoin([left, right])).flatMap((joined) => {
      const one = joined.base && baseCases.get(joined.base.n)
      const other = joined.head && headCases.get(joined.head.n)
      return one && other ? [{ base: one, head: other }] : []
    })
  }
}
