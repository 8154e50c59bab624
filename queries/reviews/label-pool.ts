import { hash } from 'node:crypto'
import { z } from 'zod'
import { meaningOf, type Meaning } from '../../domain/review/meaning.ts'
import { MAX_POOL_RUNS, type CalibratedCase, type FinalLabel, type LabelledRun } from '../../domain/review/pool.ts'
import { RUBRIC_CHANGES } from '../../domain/review/rubric.ts'
import { any, numberList, one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { BadParameter } from '../bad-parameter.ts'
import type { Suite } from '../sets/baselines.ts'
import { findGroups, type ClusterBy, type GroupOf } from '../statistics/clusters.ts'
import { MAX_COMPARED_CASES } from '../statistics/outcomes.ts'
import {
  calibratedCases,
  judgeOfTarget,
  readJudgedRun,
  runOfCases,
  type CalibrationContext,
  type CalibrationTarget,
} from './calibrated-run.ts'
import { listJudges } from './judges.ts'
import { listClosedQueues, listLabelledItems, type ClosedQueue, type LabelledItem } from './labelled-items.ts'

const count = z.number().int()

/** The queues whose labels count for some judges, the items of these, and the rubric that they follow. */
export type LabelPool = {
  readonly queues: readonly ClosedQueue[]
  readonly items: readonly LabelledItem[]
  readonly rubric: ({ readonly id: string } & Meaning) | null
}

const NO_LABELS: LabelPool = { queues: [], items: [], rubric: null }

const Version = z.object({ version: count, change: z.enum(RUBRIC_CHANGES).nullable(), valid_days: count })

const listVersions = (rubric_id: string, as_of: number | null): Query<Array<z.infer<typeof Version>>> =>
  any(sql.type(Version)`
    SELECT version, change, valid_days FROM rubrics
    WHERE rubric_id = ${rubric_id} AND ${as_of === null ? sql.fragment`TRUE` : sql.fragment`seq <= ${as_of}`}
    ORDER BY version`)

/** The closed queues of a suite about a target that may measure a judge: those that were not chosen by what it said. */
export const readUntargeted = async (
  { reader, viewer }: Pick<CalibrationContext, 'reader' | 'viewer'>,
  suite: Suite,
  target: CalibrationTarget,
  as_of: number | null,
): Promise<ClosedQueue[]> =>
  (await reader.read(listClosedQueues(viewer, suite, target, as_of))).filter(({ targeted }) => !targeted)

/**
 * Finds the labels that count for some judges, in runs of their suite: of the newest queue with one of these judges, and of all
 * queues whose rubric means the same. `wantedRuns` says which of their runs are read.
 */
export const readLabelPool = async (
  reader: Reader,
  untargeted: readonly ClosedQueue[],
  judge_ids: ReadonlyArray<string | null>,
  as_of: number | null,
  wantedRuns: (candidates: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<LabelPool> => {
  const isOurs = ({ judge_id }: { readonly judge_id: string | null }): boolean =>
    judge_id !== null && judge_ids.includes(judge_id)
  const withJudge = untargeted.filter(({ runs }) => runs.some(isOurs))
  const newest = withJudge.at(-1)
  if (!newest) return NO_LABELS
  const { rubric_id: id } = newest
  const meaning = meaningOf(await reader.read(listVersions(id, as_of)), newest.rubric_version)
  if (!meaning) return NO_LABELS
  const meansSame = ({ rubric_id, rubric_version: version }: ClosedQueue): boolean =>
    rubric_id === id && version >= meaning.first && version <= meaning.last
  const same = withJudge.filter(meansSame)
  const candidates = new Set(same.flatMap(({ runs }) => runs.filter(isOurs).map(({ run_no }) => run_no)))
  const wanted = await wantedRuns([...candidates])
  const isRead = (run: { readonly run_no: number; readonly judge_id: string | null }): boolean =>
    isOurs(run) && wanted.has(run.run_no)
  const queues = same.filter(({ runs }) => runs.some(isRead))
  const items = await reader.read(listLabelledItems(queues.map(({ queue_id }) => queue_id)))
  return { queues, items: items.filter(isRead), rubric: { id, ...meaning } }
}

const Like = z.object({ run_no: count, case_count: count, is_like: z.number() })

/** Which runs have the same providers as a run. Deleted ones are not known. */
const listLike = (run_no: number, run_nos: readonly number[]): Query<Array<z.infer<typeof Like>>> =>
  any(sql.type(Like)`
    SELECT o.run_no, o.case_count, CASE WHEN o.provider_key = own.provider_key THEN 1 ELSE 0 END AS is_like
    FROM run_outlines o CROSS JOIN run_outlines own
    WHERE own.run_no = ${run_no} AND o.run_no IN (${numberList(run_nos)})`)

/** Chooses the runs whose labels are put together: a run itself, and the newest that are like it, as far as their cases can be read. */
export const likeRunsOf =
  (reader: Reader, run_no: number) =>
  async (candidates: readonly number[]): Promise<ReadonlySet<number>> => {
    const known = new Map((await reader.read(listLike(run_no, candidates))).map((each) => [each.run_no, each]))
    let cases = 0
    const like = candidates
      .filter((each) => each !== run_no && known.get(each)?.is_like !== 0)
      .toSorted((a, b) => b - a)
      .slice(0, MAX_POOL_RUNS)
      .filter((each) => (cases += known.get(each)?.case_count ?? 0) <= MAX_COMPARED_CASES)
    return new Set([run_no, ...like])
  }

/** The final labels of the cases that a judge decided in a run, by the number of the case. A later queue counts where several have a case. */
export const finalLabels = (
  items: readonly LabelledItem[],
  run_no: number,
  judge_id: string | null,
): ReadonlyMap<number, FinalLabel> =>
  new Map(
    items.flatMap(({ final_pass: pass, final_score: score, given_at, ...item }) =>
      item.run_no === run_no && item.judge_id === judge_id && pass !== null && given_at !== null
        ? [[item.case_n, { pass, score, queue: item.queue, given_at }] as const]
        : [],
    ),
  )

/** Whether a queue that a run is in was drawn by verdict. */
export const isStratified = (queues: readonly ClosedQueue[], run_no: number): boolean =>
  queues.some(({ kind, runs }) => kind === 'by_verdict' && runs.some((run) => run.run_no === run_no))

const RunRef = z.object({ run_no: count, id: z.string() })

const listRuns = (viewer: Viewer, run_nos: readonly number[]): Query<Array<z.infer<typeof RunRef>>> =>
  any(sql.type(RunRef)`
    SELECT runs.run_no, runs.id FROM runs WHERE runs.run_no IN (${numberList(run_nos)}) AND ${visible(viewer, 'runs')}`)

/** Groups of a run that has labels; each case is one of its own where it has no such tag or variable. */
const groupsOf = async (
  { reader, documents }: CalibrationContext,
  run_no: number,
  cluster: ClusterBy,
): Promise<GroupOf> => {
  try {
    return await findGroups(reader, documents, run_no, cluster)
  } catch (error) {
    if (error instanceof BadParameter) return ({ case_key }) => `\0${case_key}`
    throw error
  }
}

/** A run of a pool with its number, and its cases by theirs. */
export type PoolRun = {
  readonly run_no: number
  readonly run: LabelledRun
  readonly cases: ReadonlyMap<number, CalibratedCase>
}

/** The runs of a pool other than some that are read already, the newest first. A deleted one has its labels and its totals. */
export const readPoolRuns = async (
  context: CalibrationContext,
  { queues, items }: LabelPool,
  judge_id: string | null,
  target: CalibrationTarget,
  cluster: ClusterBy,
  read: readonly number[],
): Promise<PoolRun[]> => {
  const run_nos = [...new Set(items.filter((item) => item.judge_id === judge_id).map(({ run_no }) => run_no))]
    .filter((run_no) => !read.includes(run_no))
    .toSorted((a, b) => b - a)
  if (run_nos.length === 0) return []
  const { reader, viewer } = context
  const stored = new Map((await reader.read(listRuns(viewer, run_nos))).map((run) => [run.run_no, run]))
  const judges = Map.groupBy(await reader.read(listJudges(run_nos)), ({ run_no }) => run_no)
  const runs: PoolRun[] = []
  for (const run_no of run_nos) {
    const is_stratified = isStratified(queues, run_no)
    const run = stored.get(run_no)
    const judge = run && judgeOfTarget((judges.get(run_no) ?? []).filter(isOf(target, judge_id)), target)
    const judged = run && judge && (await readJudgedRun(context, run, target.target, judge.slots))
    if (!judged) {
      runs.push({ run_no, run: deletedRun(run_no), cases: new Map() })
      continue
    }
    const cases = calibratedCases(
      judged,
      await groupsOf(context, run_no, cluster),
      finalLabels(items, run_no, judge_id),
    )
    runs.push({ run_no, run: { ...runOfCases(cases, is_stratified), is_deleted: false }, cases })
  }
  return runs

  function deletedRun(run_no: number): LabelledRun {
    const labels = finalLabels(items, run_no, judge_id)
    const labelled = new Map(items.filter((item) => item.run_no === run_no).map((item) => [item.case_n, item]))
    const totals = queues.flatMap(({ runs }) => runs).find((run) => run.run_no === run_no && run.judge_id === judge_id)
    return {
      cases: [...labelled.values()].flatMap(({ case_n, verdict, criterion }) =>
        verdict === null
          ? []
          : [{ test: null, group: null, verdict, score: null, criterion, label: labels.get(case_n) ?? null }],
      ),
      passed: totals?.passed ?? 0,
      failed: totals?.failed ?? 0,
      is_stratified: isStratified(queues, run_no),
      is_deleted: true,
    }
  }
}

/** A metric may have several judges in a run: only the one that is meant. All judges of a case are one. */
const isOf =
  ({ target }: CalibrationTarget, judge_id: string | null) =>
  (judge: { readonly judge_id: string | null }): boolean =>
    target === 'case' || judge.judge_id === judge_id

/**
 * Which labels were used: the SHA-256 of a line for each, `QUEUE.N PASS SCORE` and a line feed, in ascending order of their bytes.
 * PASS is 1 or 0; SCORE is empty without one. Null without labels.
 */
export const digestOfLabels = (items: readonly LabelledItem[]): string | null => {
  const lines = items.flatMap(({ queue_id, n, final_pass, final_score, given_at }) =>
    final_pass === null || given_at === null ? [] : [`${queue_id}.${n} ${final_pass} ${final_score ?? ''}\n`],
  )
  return lines.length === 0 ? null : hash('sha256', lines.toSorted().join(''), 'hex')
}

/** How the labels of queues were given. */
export const LabelsGiven = z.object({
  labels: count,
  people: count,
  enforced: count.meta({ description: 'By accounts that cannot read what the judge said' }),
  trusted: count.meta({ description: 'By accounts that could have looked it up' }),
  unknown: count.meta({ description: 'Imported' }),
  recognised: count.meta({ description: 'By people who recognised the model' }),
  own_run: count.meta({ description: 'By people who uploaded the run' }),
})
export type LabelsGiven = z.infer<typeof LabelsGiven>

/** Counts the standing labels of queues, without adjudications. */
export const countLabels = (queues: readonly ClosedQueue[]): Query<LabelsGiven> => {
  const share = (test: ReturnType<typeof sql.fragment>) =>
    sql.fragment`CAST(coalesce(sum(CASE WHEN ${test} THEN 1 ELSE 0 END), 0) AS bigint)`
  return one(sql.type(LabelsGiven)`
    SELECT count(*) AS labels, count(DISTINCT coalesce(reviewer, queue_id || '/' || CAST(person AS text))) AS people,
      ${share(sql.fragment`blind = 'enforced'`)} AS enforced, ${share(sql.fragment`blind = 'trusted'`)} AS trusted,
      ${share(sql.fragment`coalesce(blind, 'unknown') = 'unknown'`)} AS unknown,
      ${share(sql.fragment`recognised = 1`)} AS recognised, ${share(sql.fragment`own_run = 1`)} AS own_run
    FROM labels WHERE standing = 1 AND adjudicates = 0 AND queue_id IN (${
      queues.length === 0
        ? sql.fragment`NULL`
        : sql.join(
            queues.map(({ queue_id }) => queue_id),
            sql.fragment`, `,
          )
    })`)
}
