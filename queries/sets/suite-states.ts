import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { changeBetween, measureChanges, type MeasureChanges } from '../../domain/series/change.ts'
import type { SuiteFacts } from '../../domain/series/attention.ts'
import { stillFailing } from '../../domain/series/like-runs.ts'
import { readMeasures } from '../../domain/series/measures.ts'
import { readOutline } from '../../domain/series/outline.ts'
import { flakiness } from '../../domain/statistics/flakiness.ts'
import { rate } from '../../domain/wire.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { readJudgeChanged } from '../reviews/judges.ts'
import { listMeasures, listSameProviders, readSeries, type OutlinedRun } from './outlines.ts'

// What the overview says about a run set. It depends neither on the viewer nor on the time, so it is cached for every
// viewer who may see the set.

const count = z.number().int()
const money = z.number().nullable()

/** Runs in a trend, and in the search for flaky cases. */
const WINDOW = 20
/** With fewer like runs, the number of flaky cases is unknown. */
const FEWEST_RUNS = 4
/** Gaps between runs of which the median is the usual gap. */
const GAPS = 10
const FEWEST_FOR_GAP = 3
export const LATEST_RUNS = 6
export const ACTIVITY_DAYS = 14
export const DAY_MS = 86_400_000

/** The columns of a run that the overview shows. */
export const HeadRow = RunRow.pick({
  id: true,
  project: true,
  suite: true,
  created_at: true,
  note: true,
  git_branch: true,
  git_commit: true,
  case_count: true,
  pass_count: true,
  pass_interval: true,
  fail_count: true,
  error_count: true,
})
/** A run as the overview names it. */
export type RunHead = z.infer<typeof HeadRow>
const SetHeadRow = HeadRow.extend({ set_key: z.string() })

/** The runs of one day, in UTC. Money is whole micro-USD, null if no run recorded any. */
const Day = z.object({ day: count, runs: count, cost_micro: money, grader_cost_micro: money, runs_without_cost: count })
export type Day = z.infer<typeof Day>
const DayRow = Day.extend({ set_key: z.string() })

const SetRow = z.object({
  set_key: z.string(),
  project: z.string(),
  suite: z.string().nullable(),
  run_count: count,
  latest_run_no: count,
  baseline_run_id: z.string().nullable(),
  baseline_cases: count.nullable(),
  baseline_passed: count.nullable(),
  baseline_interval: RunRow.shape.pass_interval,
})
type SetRow = z.infer<typeof SetRow>

export type SuiteState = SetRow & {
  readonly newest: RunHead
  readonly latest: readonly RunHead[]
  readonly days: readonly Day[]
  /** Null for the runs of a project that are in no suite. */
  readonly facts:
    | (Pick<
        SuiteFacts,
        | 'change'
        | 'measured'
        | 'judge'
        | 'like_run_count'
        | 'unit_count'
        | 'flaky'
        | 'still_failing'
        | 'usual_gap_ms'
        | 'variety'
      > & {
        readonly previous:
          | (Pick<OutlinedRun, 'run_id' | 'created_at' | 'case_count' | 'pass_count'> & Pick<RunHead, 'pass_interval'>)
          | null
        /** Of the like runs, oldest first; empty without an earlier one. */
        readonly pass_rates: readonly number[]
      })
    | null
}

const listSetRows = (viewer: Viewer, keys: readonly string[]): Query<SetRow[]> =>
  any(sql.type(SetRow)`
    SELECT sets.set_key, sets.project, sets.suite, sets.run_count, sets.latest_run_no, baselines.run_id AS baseline_run_id,
      base.case_count AS baseline_cases, base.pass_count AS baseline_passed, base.pass_interval AS baseline_interval
    FROM sets
      LEFT JOIN baselines ON baselines.project = sets.project AND baselines.suite = sets.suite
      LEFT JOIN runs base ON base.id = baselines.run_id
    WHERE sets.set_key IN (${sql.join(keys, sql.fragment`, `)}) AND sets.latest_run_no IS NOT NULL AND ${visible(viewer, 'sets')}`)

const union = (parts: readonly Fragment[]): Fragment => sql.fragment`${sql.join(parts, sql.fragment` UNION ALL `)}`

const listHeads = (keys: readonly string[]): Query<Array<z.infer<typeof SetHeadRow>>> =>
  any(
    sql.type(SetHeadRow)`${union(
      keys.map(
        (key) => sql.fragment`SELECT * FROM (
          SELECT ${columnList('runs', HeadRow)}, runs.set_key FROM runs
          WHERE runs.set_key = ${key}
          ORDER BY runs.created_at DESC, runs.id DESC LIMIT ${GAPS + 1}) part`,
      ),
    )}`,
  )

/**
 * Sums of money as doubles, because a sum of 64-bit integers could overflow. The length of a day is in the text: SQLite
 * would divide by a parameter as by a double.
 */
export const DAY_COLUMNS: Fragment = sql.fragment`
  runs.created_at / 86400000 AS day, count(*) AS runs, sum(CAST(runs.cost_micro AS double precision)) AS cost_micro,
  sum(CAST(runs.grader_cost_micro AS double precision)) AS grader_cost_micro,
  count(CASE WHEN runs.cost_micro IS NULL AND runs.grader_cost_micro IS NULL THEN 1 END) AS runs_without_cost`

/** The first instant of the days that end with that of an instant. */
export const firstOfDays = (newest: number): number => (Math.floor(newest / DAY_MS) - ACTIVITY_DAYS + 1) * DAY_MS

const listDays = (
  sets: ReadonlyArray<{ readonly key: string; readonly from: number }>,
): Query<Array<z.infer<typeof DayRow>>> =>
  any(
    sql.type(DayRow)`${union(
      sets.map(
        ({ key, from }) => sql.fragment`
          SELECT runs.set_key, ${DAY_COLUMNS} FROM runs WHERE runs.set_key = ${key} AND runs.created_at >= ${from} GROUP BY runs.set_key, day`,
      ),
    )}`,
  )

const Variety = z.object({ set_key: z.string(), runs: count, providers: count })

const listVariety = (keys: readonly string[]): Query<Array<z.infer<typeof Variety>>> =>
  any(
    sql.type(Variety)`${union(
      keys.map(
        (key) => sql.fragment`
          SELECT ${key} AS set_key, count(*) AS runs, count(DISTINCT newest.provider_key) AS providers
          FROM (SELECT provider_key FROM run_outlines WHERE set_key = ${key} ORDER BY created_at DESC, run_id DESC LIMIT ${WINDOW}) newest`,
      ),
    )}`,
  )

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

/** The median gap between the newest runs; null if there are too few to call anything usual. */
const usualGap = (heads: readonly RunHead[]): number | null =>
  heads.length < FEWEST_FOR_GAP
    ? null
    : median(heads.slice(1).map(({ created_at }, i) => (heads[i]?.created_at ?? created_at) - created_at))

/** Number of sets that one query reads. SQLite allows 500 parts in a compound SELECT. */
const SETS_PER_QUERY = 50

/** The states of those of these sets that the viewer may see. */
export const readSuiteStates = async (
  reader: Reader,
  viewer: Viewer,
  keys: readonly string[],
): Promise<SuiteState[]> => {
  const states: SuiteState[] = []
  for (let start = 0; start < keys.length; start += SETS_PER_QUERY)
    states.push(...(await readBatch(reader, viewer, keys.slice(start, start + SETS_PER_QUERY))))
  return states
}

const readBatch = async (reader: Reader, viewer: Viewer, asked: readonly string[]): Promise<SuiteState[]> => {
  const rows = await reader.read(listSetRows(viewer, asked))
  if (rows.length === 0) return []
  const keys = rows.map(({ set_key }) => set_key)
  const { found, like, variety } = await reader.readAll({
    found: listHeads(keys),
    like: listSameProviders(keys, WINDOW),
    variety: listVariety(keys),
  })
  const heads = Map.groupBy(found, ({ set_key }) => set_key)
  const likeRuns = Map.groupBy(like, ({ set_key }) => set_key)
  const varieties = new Map(variety.map(({ set_key, ...each }) => [set_key, each]))
  // All runs were deleted meanwhile.
  if (heads.size === 0) return []
  const days = Map.groupBy(
    await reader.read(
      listDays([...heads].map(([key, [newest]]) => ({ key, from: firstOfDays(newest?.created_at ?? 0) }))),
    ),
    ({ set_key }) => set_key,
  )
  const states: SuiteState[] = []
  for (const row of rows) {
    const latest = (heads.get(row.set_key) ?? []).map(({ set_key: _, ...head }) => head)
    const [newest] = latest
    // Its last run was deleted meanwhile.
    if (!newest) continue
    states.push({
      ...row,
      newest,
      latest: latest.slice(0, LATEST_RUNS),
      days: (days.get(row.set_key) ?? []).map(({ set_key: _, ...day }) => day),
      facts:
        row.suite === null
          ? null
          : await readFacts(reader, row.set_key, likeRuns.get(row.set_key) ?? [], {
              usual_gap_ms: usualGap(latest),
              variety: varieties.get(row.set_key) ?? { runs: 0, providers: 0 },
            }),
    })
  }
  return states
}

/**
 * The interval of the older of two runs, and how cost and latency changed between them; null if what they measured is
 * not stored.
 */
const readMeasured = async (reader: Reader, older: OutlinedRun, newer: OutlinedRun) => {
  const stored = new Map((await reader.read(listMeasures(older.run_no, newer.run_no))).map((row) => [row.run_no, row]))
  const [before, after] = [stored.get(older.run_no), stored.get(newer.run_no)]
  const measured: MeasureChanges | null =
    before?.measures && after?.measures
      ? measureChanges(
          { outline: readOutline(older.outline), measures: readMeasures(before.measures) },
          { outline: readOutline(newer.outline), measures: readMeasures(after.measures) },
        )
      : null
  return { measured, pass_interval: before?.pass_interval ?? null }
}

/** Which judges differ between two runs; null if none does. */
const readJudgeDifference = async (
  reader: Reader,
  older: OutlinedRun,
  newer: OutlinedRun,
): Promise<SuiteFacts['judge']> => {
  const changes = await readJudgeChanged(reader, older.run_no, newer.run_no)
  return changes.length === 0
    ? null
    : {
        metrics: new Set(changes.map(({ metric }) => metric)).size,
        differs: [...new Set(changes.flatMap(({ differs }) => differs))],
      }
}

const readFacts = async (
  reader: Reader,
  key: string,
  first: readonly OutlinedRun[],
  more: Pick<SuiteFacts, 'usual_gap_ms' | 'variety'>,
): Promise<SuiteState['facts']> => {
  const { runs, units } = await readSeries(reader, key, { window: WINDOW, first })
  const [newest, previous] = runs
  const { measured = null, pass_interval = null } =
    newest && previous ? await readMeasured(reader, previous, newest) : {}
  return {
    ...more,
    like_run_count: runs.length,
    unit_count: units.length,
    flaky: runs.length < FEWEST_RUNS ? null : units.filter(({ tally }) => flakiness(tally).flaky).length,
    still_failing: stillFailing(units),
    change: newest && previous ? changeBetween(readOutline(previous.outline), readOutline(newest.outline)) : null,
    judge: newest && previous ? await readJudgeDifference(reader, previous, newest) : null,
    measured,
    previous: previous
      ? {
          run_id: previous.run_id,
          created_at: previous.created_at,
          case_count: previous.case_count,
          pass_count: previous.pass_count,
          pass_interval,
        }
      : null,
    pass_rates: runs.length < 2 ? [] : runs.map(({ pass_count, case_count }) => rate(pass_count, case_count)).reverse(),
  }
}
