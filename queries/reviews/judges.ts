import { z } from 'zod'
import { JUDGE_FIELDS, JUDGED_KINDS, judgeChanges, type Judge } from '../../domain/review/judge-id.ts'
import { setKey } from '../../domain/sets.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { BeingBuilt } from '../../storage/errors.ts'
import { any, mapped, numberList, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { Suite } from '../sets/baselines.ts'
import { findSet } from '../sets/suite-set.ts'

// Who judged which metric of a run, and with which verdicts. Takes runs and suites that the viewer may see.

const count = z.number().int()
const text = z.string()

const JudgeShape = z
  .object({
    kind: z.enum(JUDGED_KINDS),
    type: text.nullable(),
    model: text.nullable().meta({ description: 'The model that answered, else the one that was asked' }),
    params: z.unknown().meta({ description: 'Without members that hold secrets' }),
    template: text.nullable().meta({
      description:
        'SHA-256 of its text; `builtin/1` for the one of this service; `file:` and a path where no more is recorded',
    }),
    include_tool_calls: z.boolean(),
    negate: z.boolean(),
    threshold: z.number().nullable(),
    program: text.nullable().meta({ description: 'SHA-256 of the command and the configuration of a program' }),
  })
  .meta({ id: 'Judge', description: 'Everything that may change the verdicts of a judge' })

/** A judge of a metric in a run. Counts are of cases; `other` has no verdict. */
export const RunJudge = z
  .object({
    metric: text,
    judge_id: text
      .nullable()
      .meta({ description: 'Null if it is not known what judged. Null is never equal to null.' }),
    judge: JudgeShape,
    passed: count,
    failed: count,
    other: count,
  })
  .meta({ id: 'RunJudge' })
export type RunJudge = z.infer<typeof RunJudge>

/** A metric whose judge is another one than in the like run before. */
export const JudgeChange = z
  .object({
    metric: text,
    before: text.meta({ description: 'The id of the judge before' }),
    after: text,
    differs: z.array(z.enum(JUDGE_FIELDS)).meta({ description: 'The members of the judge that differ' }),
  })
  .meta({ id: 'JudgeChange' })
export type JudgeChange = z.infer<typeof JudgeChange>

const SlotRow = RunJudge.omit({ judge: true }).extend({ run_no: count, slot: count, judge: text })
const SLOT = sql.fragment`j.run_no, j.slot, j.metric, j.judge_id, j.judge, j.passed, j.failed, j.other`

/** Whether a row `j` of `run_judges` is of a judge: a model is one, code is one where its suite says so. */
const IS_JUDGE: Fragment = sql.fragment`
  (j.kind = 'llm-rubric' OR EXISTS (
    SELECT 1 FROM declared_judges d WHERE d.set_key = j.set_key AND d.metric = j.metric))`

/** A judge with the number of its run and of its slot there. */
export type SlotJudge = RunJudge & { readonly run_no: number; readonly slot: number }

// Safe: the projection wrote it.
const parsed = <R extends { readonly judge: string }>({ judge, ...row }: R): Omit<R, 'judge'> & { judge: Judge } => ({
  ...row,
  judge: JSON.parse(judge) as Judge,
})

/** The judges of some runs, in the order of their slots. */
export const listJudges = (run_nos: readonly number[]): Query<SlotJudge[]> =>
  mapped(
    any(sql.type(SlotRow)`
      SELECT ${SLOT} FROM run_judges j
      WHERE j.run_no IN (${numberList(run_nos)}) AND ${IS_JUDGE} ORDER BY j.run_no, j.slot`),
    (rows) => rows.map(parsed),
  )

const Cases = z.object({ cases: z.instanceof(Buffer) })

/** What the judges of some slots of a run said about its cases, packed (`domain/review/judged-cases.ts`), in the order of the slots. */
export const listJudgedCases = (run_no: number, slots: readonly number[]): Query<Buffer[]> =>
  mapped(
    any(sql.type(Cases)`
      SELECT cases FROM judged_cases WHERE run_no = ${run_no} AND slot IN (${numberList(slots)}) ORDER BY slot`),
    (rows) => rows.map(({ cases }) => cases),
  )

const Declared = z.object({ metrics: count, declared: count })

/** How many metrics of a suite were declared to be judges, and whether one of them is. */
export const findDeclared = (
  suite: Suite,
  metric: string,
): Query<{ readonly metrics: number; readonly isDeclared: boolean }> =>
  mapped(
    one(sql.type(Declared)`
      SELECT count(*) AS metrics, count(CASE WHEN metric = ${metric} THEN 1 END) AS declared
      FROM declared_judges WHERE set_key = ${setKey(suite)}`),
    ({ metrics, declared }) => ({ metrics, isDeclared: declared > 0 }),
  )

/**
 * A store of an earlier version has no judges until they are built. Until then a run is shown without them: by `otherwise`, if a
 * read of judges fails for that.
 */
export const unlessBeingBuilt = async <T>(reading: Promise<T>, otherwise: () => T | Promise<T>): Promise<T> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof BeingBuilt) return otherwise()
    throw error
  }
}

/** The judges of some runs; none while they are being built. */
export const readJudges = (reader: Reader, run_nos: readonly number[]): Promise<SlotJudge[]> =>
  unlessBeingBuilt(reader.read(listJudges(run_nos)), () => [])

/** The metrics of a run that another judge decided than in an earlier run; none while judges are being built. */
export const readJudgeChanged = async (reader: Reader, before: number, after: number): Promise<JudgeChange[]> => {
  const judges = await readJudges(reader, [before, after])
  const of = (run_no: number) => judges.filter((judge) => judge.run_no === run_no)
  return judgeChanges(of(before), of(after))
}

/** Earlier slots of a suite that are looked at, to save the search for the like run before. */
const NEAR = sql.fragment`60`

/** The columns of `judgedColumns`: the judges as JSON, and how many slots shortly before in the suite had another judge of a metric. */
export const JudgedRow = z.object({ judges: text.nullable(), others_near: count })

const FIELDS = sql.fragment`j.metric, j.judge_id, j.judge, j.passed, j.failed, j.other`
const judgedColumns = (judges: Fragment): Fragment => sql.fragment`
  (SELECT ${judges} FROM run_judges j WHERE j.run_no = runs.run_no AND ${IS_JUDGE}) AS judges,
  (SELECT count(*) FROM (
      SELECT e.metric, e.judge_id FROM run_judges e
      WHERE e.set_key = (SELECT own.set_key FROM run_judges own WHERE own.run_no = runs.run_no LIMIT 1)
        AND (e.created_at, e.run_id) < (runs.created_at, runs.id)
      ORDER BY e.created_at DESC, e.run_id DESC LIMIT ${NEAR}) near
    WHERE near.judge_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM run_judges j
      WHERE j.run_no = runs.run_no AND j.metric = near.metric AND j.judge_id IS DISTINCT FROM near.judge_id AND ${IS_JUDGE})
  ) AS others_near`

/** `JudgedRow` as SQL, for rows of `runs`. */
export const JUDGED_COLUMNS = {
  sqlite: judgedColumns(sql.fragment`json_group_array(json_array(${FIELDS}) ORDER BY j.slot)`),
  postgres: judgedColumns(sql.fragment`CAST(json_agg(json_build_array(${FIELDS}) ORDER BY j.slot) AS text)`),
} as const

/** The judges of a run, in the order of their slots. */
export const judgesOf = ({ judges }: z.infer<typeof JudgedRow>): RunJudge[] => {
  // Safe: the query built it.
  const rows = JSON.parse(judges ?? '[]') as Array<[string, string | null, string, number, number, number]>
  return rows.map(([metric, judge_id, judge, passed, failed, other]) =>
    parsed({ metric, judge_id, judge, passed, failed, other }),
  )
}

/** Whether a row of `runs` has judges, as a condition. */
export const IS_JUDGED: Fragment = sql.fragment`
  EXISTS (SELECT 1 FROM run_judges j WHERE j.run_no = runs.run_no AND ${IS_JUDGE})`

/** The judges of a run as its detail has them: what there is none of is absent. */
export const judgedFields = (
  judges: readonly RunJudge[],
  changed: readonly JudgeChange[] = [],
): { judges?: RunJudge[]; judge_changed?: JudgeChange[] } => ({
  ...(judges.length > 0 && { judges: [...judges] }),
  ...(changed.length > 0 && { judge_changed: [...changed] }),
})

const RunOfJudge = z.object({ id: text, created_at: text })

/** The judges of the metrics of a suite, with the runs in which they judged. */
export const SuiteJudges = z
  .object({
    project: text,
    suite: text,
    metrics: z.array(
      z.object({
        metric: text,
        kind: z.enum(JUDGED_KINDS),
        is_judge: z
          .boolean()
          .meta({ description: 'True for models; for code, whether the suite declared it to be a judge' }),
        /** The one that judged last comes first. */
        judges: z.array(
          RunJudge.omit({ metric: true }).extend({ runs: count, first_run: RunOfJudge, last_run: RunOfJudge }),
        ),
      }),
    ),
  })
  .meta({ id: 'SuiteJudges' })
export type SuiteJudges = z.infer<typeof SuiteJudges>

/** Maximum number of judges that are listed, those that judged last. */
const MAX_JUDGES = 200

const SuiteRow = z.object({
  metric: text,
  kind: z.enum(JUDGED_KINDS),
  is_judge: z.number(),
  judge_id: text.nullable(),
  judge: text,
  runs: count,
  passed: count,
  failed: count,
  other: count,
  first_at: count,
  first_id: text,
  last_at: count,
  last_id: text,
})

/**
 * The judges of a suite by metric, those first that judged last; null for a suite without runs, or a hidden one. Reads every judge of
 * every run of the suite.
 */
export const findSuiteJudges = async (reader: Reader, viewer: Viewer, suite: Suite): Promise<SuiteJudges | null> => {
  const key = await reader.read(findSet(viewer, suite))
  if (key === null) return null
  const edge = (order: Fragment): Fragment => sql.fragment`
    (SELECT e.run_id FROM run_judges e
     WHERE e.set_key = ${key} AND e.metric = found.metric AND e.kind = found.kind AND e.judge = found.judge
     ORDER BY ${order} LIMIT 1)`
  const rows = await reader.read(
    any(sql.type(SuiteRow)`
      SELECT found.*, ${edge(sql.fragment`e.created_at, e.run_id`)} AS first_id,
        ${edge(sql.fragment`e.created_at DESC, e.run_id DESC`)} AS last_id
      FROM (
        SELECT j.metric, j.kind, j.judge_id, j.judge, max(CASE WHEN ${IS_JUDGE} THEN 1 ELSE 0 END) AS is_judge,
          count(*) AS runs, CAST(sum(j.passed) AS bigint) AS passed, CAST(sum(j.failed) AS bigint) AS failed,
          CAST(sum(j.other) AS bigint) AS other, min(j.created_at) AS first_at, max(j.created_at) AS last_at
        FROM run_judges j WHERE j.set_key = ${key}
        GROUP BY j.metric, j.kind, j.judge_id, j.judge ORDER BY last_at DESC, j.metric, j.kind, j.judge LIMIT ${MAX_JUDGES}) found
      ORDER BY last_at DESC, found.metric, found.kind, found.judge`),
  )
  const metrics = Map.groupBy(rows, ({ metric, kind }) => `${kind} ${metric}`)
  return {
    ...suite,
    metrics: [...metrics.values()].map((ofMetric) => ({
      metric: ofMetric[0]!.metric,
      kind: ofMetric[0]!.kind,
      is_judge: ofMetric[0]!.is_judge === 1,
      judges: ofMetric.map((row) => {
        const { metric: _, kind: _kind, is_judge: _is, first_at, first_id, last_at, last_id, ...judge } = row
        return {
          ...parsed(judge),
          first_run: { id: first_id, created_at: rfc3339(first_at) },
          last_run: { id: last_id, created_at: rfc3339(last_at) },
        }
      }),
    })),
  }
}
