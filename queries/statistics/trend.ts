import { z } from 'zod'
import { LIKE_SHARE } from '../../domain/series/like-runs.ts'
import { readOutline } from '../../domain/series/outline.ts'
import { MAX_TREND_RUNS, segmentTrend } from '../../domain/statistics/change-points.ts'
import { RunRow } from '../../domain/run/run-columns.ts'
import { columnProviders } from '../../domain/run/matrix.ts'
import { setKey } from '../../domain/sets.ts'
import { passRate } from '../../domain/statistics/statistics.ts'
import { orNull, rfc3339 } from '../../domain/wire.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { findFlakiness, SuiteFlakiness } from '../cases/flakiness.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { findBaseline } from '../sets/baselines.ts'
import { findSet } from '../sets/suite-set.ts'
import { PassRate } from './side.ts'

const count = z.number().int()
const text = z.string().nullable()

const TrendRun = z.object({
  id: z.string(),
  created_at: z.string(),
  note: text,
  git_branch: text,
  git_commit: text,
  ...PassRate.shape,
  /** Cases that neither passed nor failed. */
  left_out: count,
  /** The share of the newest run's tests, each with its provider and prompt, that this run has too. */
  shared: z.number(),
  /** It has fewer than 60 % of them, so it is not part of the line. */
  partial: z.boolean(),
})

const SegmentView = z.object({ passed: count, total: count, rate: z.number().nullable() })

/** The runs of a suite that can be compared with its newest run, oldest first. */
export const Trend = z
  .object({
    project: z.string(),
    suite: z.string(),
    branch: text,
    providers: z.array(z.string()),
    runs: z.array(TrendRun),
    /** Runs of other providers among those read. */
    other_runs: count,
    /** There are older runs that were not read. */
    has_older: z.boolean(),
    /** Where the pass rate changed: the first run after the change, and the counts before and after it. */
    changes: z.array(z.object({ run_id: z.string(), before: SegmentView, after: SegmentView })),
    baseline: TrendRun.pick({ id: true, created_at: true, note: true })
      .extend({ ...PassRate.shape, in_runs: z.boolean() })
      .nullable(),
    /** The flakiness of the suite over its newest 20 like runs, with the cases that flip most. */
    flakiness: SuiteFlakiness.nullable(),
  })
  .meta({ id: 'SuiteTrend' })
export type Trend = z.infer<typeof Trend>

const Row = RunRow.pick({
  run_no: true,
  id: true,
  created_at: true,
  note: true,
  git_branch: true,
  git_commit: true,
  case_count: true,
  pass_count: true,
  fail_count: true,
  error_count: true,
  xpass_count: true,
}).extend({ columns: z.string().nullable() })
type Row = z.infer<typeof Row>

type Asked = { readonly project: string; readonly suite: string; readonly branch?: string | undefined }

const COLUMNS = sql.fragment`
  runs.run_no, runs.id, runs.created_at, runs.note, runs.git_branch, runs.git_commit, runs.case_count, runs.pass_count, runs.fail_count,
  runs.error_count, runs.xpass_count, matrices.columns`

/** The newest runs of a suite, newest first. */
const listNewest = (viewer: Viewer, { project, suite, branch }: Asked, limit: number): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${COLUMNS} FROM runs LEFT JOIN matrices ON matrices.run_no = runs.run_no
    WHERE runs.set_key = ${setKey({ project, suite })} AND ${visible(viewer, 'runs')}
      AND ${branch === undefined ? sql.fragment`TRUE` : sql.fragment`runs.git_branch = ${branch}`}
    ORDER BY runs.created_at DESC, runs.id DESC LIMIT ${limit}`)

const findPinned = (viewer: Viewer, run_id: string): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${COLUMNS} FROM runs LEFT JOIN matrices ON matrices.run_no = runs.run_no
    WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`)

const Outlined = z.object({ run_no: count, outline: z.instanceof(Buffer) })

/** Outlines that one query reads: 28 bytes a case. */
const OUTLINES_PER_QUERY = 20

/** The tests of a run, each with its provider and prompt, by the number of the run. */
const listOutlines = (run_nos: readonly number[]): Query<Array<z.infer<typeof Outlined>>> =>
  any(sql.type(Outlined)`
    SELECT run_no, outline FROM run_outlines
    WHERE run_no IN (${sql.join(
      Array.from({ length: OUTLINES_PER_QUERY }, (_, i) => run_nos[i] ?? -1),
      sql.fragment`, `,
    )})`)

const outlinedTests = (bytes: Buffer): Set<number> => {
  const outline = readOutline(bytes)
  const keys = new Set<number>()
  for (let i = 0; i < outline.size; i++) keys.add(outline.unitKey(i))
  return keys
}

/** The share of the first run's tests that each run has, by the number of the run. */
const readShares = async (reader: Reader, runs: readonly Row[]): Promise<ReadonlyMap<number, number>> => {
  const shares = new Map<number, number>()
  let newest: ReadonlySet<number> | null = null
  for (let from = 0; from < runs.length; from += OUTLINES_PER_QUERY) {
    const part = runs.slice(from, from + OUTLINES_PER_QUERY)
    const rows = await reader.read(listOutlines(part.map(({ run_no }) => run_no)))
    const tests = new Map(rows.map(({ run_no, outline }) => [run_no, outlinedTests(outline)]))
    newest ??= tests.get(part[0]?.run_no ?? -1) ?? new Set()
    for (const [run_no, own] of tests) {
      let common = 0
      for (const key of newest) if (own.has(key)) common++
      shares.set(run_no, newest.size === 0 ? 1 : common / newest.size)
    }
  }
  return shares
}

/** Runs in which flaky cases are looked for, and how many of those cases the answer has. */
const [FLAKY_WINDOW, FLAKY_CASES] = [20, 40]

/** The number of runs that are read to find like ones. */
const MAX_READ = 400

const trendRun = (row: Row, shared: number): z.infer<typeof TrendRun> => ({
  id: row.id,
  created_at: rfc3339(row.created_at),
  note: orNull(row.note),
  git_branch: orNull(row.git_branch),
  git_commit: orNull(row.git_commit),
  ...passRate(row.pass_count, row.case_count),
  left_out: Math.max(0, row.case_count - row.pass_count - row.fail_count - row.error_count - row.xpass_count),
  shared,
  partial: shared < LIKE_SHARE,
})

const baselineView = (pinned: Row, runs: Trend['runs']): Trend['baseline'] => ({
  id: pinned.id,
  created_at: rfc3339(pinned.created_at),
  note: orNull(pinned.note),
  ...passRate(pinned.pass_count, pinned.case_count),
  in_runs: runs.some(({ id }) => id === pinned.id),
})

/**
 * The trend of a suite: its runs of the same providers as the newest one, and where their pass rate changed. Null for a
 * suite without visible runs. Reads the outlines of at most 200 runs, so it must run on a reader thread.
 */
export const findTrend = async (reader: Reader, viewer: Viewer, asked: Asked): Promise<Trend | null> => {
  // Before its runs are read: a suite that is hidden costs as little as one that does not exist.
  if ((await reader.read(findSet(viewer, asked))) === null) return null
  const {
    rows,
    baseline,
    any: suiteRuns,
  } = await reader.readAll({
    rows: listNewest(viewer, asked, MAX_READ + 1),
    baseline: findBaseline(viewer, asked),
    any: listNewest(viewer, { ...asked, branch: undefined }, 1),
  })
  if (suiteRuns.length === 0) return null
  const [newest] = rows
  const flakiness = await findFlakiness(reader, viewer, { ...asked, window: FLAKY_WINDOW, limit: FLAKY_CASES })
  const none = { providers: [], runs: [], other_runs: 0, has_older: false, changes: [] }
  const pinned = baseline && (await reader.read(findPinned(viewer, baseline.run_id)))[0]
  const front = { project: asked.project, suite: asked.suite, branch: asked.branch ?? null }
  const view = (runs: Trend['runs']) => (pinned ? baselineView(pinned, runs) : null)
  if (!newest) return { ...front, ...none, baseline: view([]), flakiness }
  const providers = columnProviders(newest.columns)
  const names = JSON.stringify(providers.toSorted())
  const read = rows.slice(0, MAX_READ)
  const like = read.filter((row) => JSON.stringify(columnProviders(row.columns).sort()) === names)
  const shown = like.slice(0, MAX_TREND_RUNS)
  const shares = await readShares(reader, shown)
  const runs = shown.map((row) => trendRun(row, shares.get(row.run_no) ?? 0)).reverse()
  const joined = runs.filter(({ partial }) => !partial)
  const { segments } = segmentTrend(joined)
  const counts = ({ passed, total, rate }: (typeof segments)[number]) => ({ passed, total, rate })
  const changes = segments.flatMap((segment, i) => {
    const [before, run] = [segments[i - 1], joined[segment.from]]
    return before && run ? [{ run_id: run.id, before: counts(before), after: counts(segment) }] : []
  })
  return {
    ...front,
    providers,
    runs,
    other_runs: read.length - like.length,
    has_older: rows.length > MAX_READ || like.length > MAX_TREND_RUNS,
    changes,
    baseline: view(runs),
    flakiness,
  }
}
