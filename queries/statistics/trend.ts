import { z } from 'zod'
import { judgeChanges } from '../../domain/review/judge-id.ts'
import { LIKE_SHARE } from '../../domain/series/like-runs.ts'
import { readMeasures } from '../../domain/series/measures.ts'
import { readOutline, type Outline } from '../../domain/series/outline.ts'
import { levelChanges, runFigures, type Figure, type FigureName } from '../../domain/series/run-figures.ts'
import { MAX_TREND_RUNS, segmentTrend, type Segment } from '../../domain/statistics/change-points.ts'
import { RunRow } from '../../domain/run/run-columns.ts'
import { columnProviders } from '../../domain/run/matrix.ts'
import { setKey } from '../../domain/sets.ts'
import { rememberedRanks, type RanksOf } from '../../domain/statistics/quantile-interval.ts'
import { runPassRate } from '../../domain/statistics/statistics.ts'
import { orNull, rfc3339 } from '../../domain/wire.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { findFlakiness, SuiteFlakiness } from '../cases/flakiness.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { JudgeChange, readJudges } from '../reviews/judges.ts'
import { findBaseline } from '../sets/baselines.ts'
import { findSet } from '../sets/suite-set.ts'
import { PassRate } from './side.ts'

const count = z.number().int()
const text = z.string().nullable()

/** What the cases of a run measured, as one number with its 95 % interval. */
const MeasureView = z
  .object({
    value: z.number(),
    /** Null where there are too few values for an interval. */
    lower: z.number().nullable(),
    upper: z.number().nullable(),
    /** Cases that the number is made of, and others that are left out because an answer was read from a cache. */
    cases: count,
    from_cache: count,
  })
  .nullable()

/** Null for what a run did not record. */
const MeasuresView = z.object({
  /** The mean score. */
  score: MeasureView,
  /** Of one case: the median, and of latencies the 95th percentile too. */
  cost_usd: MeasureView,
  latency_p50_ms: MeasureView,
  latency_p95_ms: MeasureView,
  tokens: MeasureView,
})
type MeasuresView = z.infer<typeof MeasuresView>

const LevelChanges = z.array(z.object({ run_id: z.string(), before: z.number(), after: z.number() }))

/** How the figures are named in the answer, and by what they are divided there. */
const VIEWS = {
  score: ['score', 1],
  cost: ['cost_usd', 1e6],
  latency_p50: ['latency_p50_ms', 1],
  latency_p95: ['latency_p95_ms', 1],
  tokens: ['tokens', 1],
} as const satisfies Record<FigureName, readonly [keyof MeasuresView, number]>
const FIGURE_VIEWS = Object.entries(VIEWS) as ReadonlyArray<[FigureName, (typeof VIEWS)[FigureName]]>

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
  measures: MeasuresView,
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
    /** Runs with another judge than the run before: the line ends there, and no change is looked for across it. */
    judge_changes: z.array(z.object({ run_id: z.string(), judges: z.array(JudgeChange) })).optional(),
    /** A judge decided cases of a run of the line, so people can check its pass rates: `/runs/{id}/calibration`. */
    judged: z.boolean().optional(),
    /** The same for each measure, with its levels before and after. */
    measure_changes: z.object({
      score: LevelChanges,
      cost_usd: LevelChanges,
      latency_p50_ms: LevelChanges,
      latency_p95_ms: LevelChanges,
      tokens: LevelChanges,
    }),
    baseline: TrendRun.pick({ id: true, created_at: true, note: true, measures: true })
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
  pass_interval: true,
  fail_count: true,
  error_count: true,
  xpass_count: true,
}).extend({ columns: z.string().nullable() })
type Row = z.infer<typeof Row>

type Asked = { readonly project: string; readonly suite: string; readonly branch?: string | undefined }

const COLUMNS = sql.fragment`
  runs.run_no, runs.id, runs.created_at, runs.note, runs.git_branch, runs.git_commit, runs.case_count, runs.pass_count,
  runs.pass_interval, runs.fail_count,   runs.error_count, runs.xpass_count, matrices.columns`

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

const Outlined = z.object({
  run_no: count,
  outline: z.instanceof(Buffer),
  measures: z.instanceof(Buffer).nullable(),
})

/** Outlines that one query reads: 28 bytes a case, and up to 41 of its measures. */
const OUTLINES_PER_QUERY = 20

/** The outlines of runs, by the number of the run. */
const listOutlines = (run_nos: readonly number[], hasMeasures: boolean): Query<Array<z.infer<typeof Outlined>>> =>
  any(sql.type(Outlined)`
    SELECT run_no, outline, ${hasMeasures ? sql.fragment`measures` : sql.fragment`NULL AS measures`} FROM run_outlines
    WHERE run_no IN (${sql.join(
      Array.from({ length: OUTLINES_PER_QUERY }, (_, i) => run_nos[i] ?? -1),
      sql.fragment`, `,
    )})`)

const outlinedTests = (outline: Outline): Set<number> => {
  const keys = new Set<number>()
  for (let i = 0; i < outline.size; i++) keys.add(outline.unitKey(i))
  return keys
}

const NOTHING_MEASURED: MeasuresView = {
  score: null,
  cost_usd: null,
  latency_p50_ms: null,
  latency_p95_ms: null,
  tokens: null,
}

const figureView = (figure: Figure | null, unit: number): z.infer<typeof MeasureView> => {
  const scaled = (value: number | null): number | null => (value === null ? null : value / unit)
  return figure && { ...figure, value: figure.value / unit, lower: scaled(figure.lower), upper: scaled(figure.upper) }
}

const measuresView = (outline: Outline, measures: Buffer | null, ranksOf: RanksOf): MeasuresView => {
  if (!measures) return NOTHING_MEASURED
  const figures = runFigures(outline, readMeasures(measures), ranksOf)
  return Object.fromEntries(
    FIGURE_VIEWS.map(([name, [view, unit]]) => [view, figureView(figures[name], unit)]),
  ) as MeasuresView
}

type OutlinedFacts = { readonly shared: number; readonly measures: MeasuresView }
type Outlines = ReadonlyMap<number, OutlinedFacts>

/** The share of the first run's tests that each run has, and what its cases measured, by the number of the run. */
const readOutlines = async (reader: Reader, runs: readonly Row[], hasMeasures: boolean): Promise<Outlines> => {
  const read = new Map<number, OutlinedFacts>()
  const ranksOf = rememberedRanks()
  let newest: ReadonlySet<number> | null = null
  for (let from = 0; from < runs.length; from += OUTLINES_PER_QUERY) {
    const part = runs.slice(from, from + OUTLINES_PER_QUERY)
    const rows = await reader.read(
      listOutlines(
        part.map(({ run_no }) => run_no),
        hasMeasures,
      ),
    )
    const outlines = new Map(rows.map((row) => [row.run_no, { ...row, outline: readOutline(row.outline) }]))
    const first = outlines.get(part[0]?.run_no ?? -1)
    newest ??= first ? outlinedTests(first.outline) : new Set()
    for (const [run_no, { outline, measures }] of outlines) {
      const own = outlinedTests(outline)
      let common = 0
      for (const key of newest) if (own.has(key)) common++
      const shared = newest.size === 0 ? 1 : common / newest.size
      read.set(run_no, { shared, measures: measuresView(outline, measures, ranksOf) })
    }
  }
  return read
}

/** The changes of each measure. Scores are those of judges, so they are looked at between two changes of a judge. */
const changesOf = (joined: Trend['runs'], stretches: readonly Trend['runs'][] = [joined]): Trend['measure_changes'] =>
  Object.fromEntries(
    FIGURE_VIEWS.map(([name, [view]]) => [
      view,
      (name === 'score' ? stretches : [joined]).flatMap((runs) => {
        const measured = runs.flatMap(({ id, measures }) => {
          const figure = measures[view]
          return figure ? [{ id, value: figure.value }] : []
        })
        const changes = levelChanges(
          name,
          measured.map(({ value }) => value),
        )
        return changes.flatMap(({ from, before, after }) => {
          const run = measured[from]
          return run ? [{ run_id: run.id, before, after }] : []
        })
      }),
    ]),
  ) as Trend['measure_changes']

type JudgeChanges = NonNullable<Trend['judge_changes']>

/** Whether judges decided any case, and the runs whose judge is another one than in the run before. `runs` are oldest first. */
const readJudged = async (
  reader: Reader,
  runs: readonly Row[],
): Promise<{ readonly isJudged: boolean; readonly judge_changes: JudgeChanges }> => {
  const judges = await readJudges(
    reader,
    runs.map(({ run_no }) => run_no),
  )
  const ofRun = Map.groupBy(judges, ({ run_no }) => run_no)
  const judge_changes = runs.slice(1).flatMap(({ id, run_no }, i) => {
    const changed = judgeChanges(ofRun.get(runs[i]?.run_no ?? -1) ?? [], ofRun.get(run_no) ?? [])
    return changed.length === 0 ? [] : [{ run_id: id, judges: changed }]
  })
  return { isJudged: judges.length > 0, judge_changes }
}

/** Divides runs, oldest first, before each of the given ones. */
const stretchesOf = (runs: Trend['runs'], at: ReadonlySet<string>): Trend['runs'][] => {
  const stretches: Trend['runs'][] = [[]]
  for (const run of runs) {
    if (at.has(run.id)) stretches.push([])
    stretches.at(-1)?.push(run)
  }
  return stretches
}

/** Runs in which flaky cases are looked for, and how many of those cases the answer has. */
const [FLAKY_WINDOW, FLAKY_CASES] = [20, 40]

/** The number of runs that are read to find like ones. */
const MAX_READ = 400

const trendRun = (row: Row, { shared, measures }: OutlinedFacts): z.infer<typeof TrendRun> => ({
  id: row.id,
  created_at: rfc3339(row.created_at),
  note: orNull(row.note),
  git_branch: orNull(row.git_branch),
  git_commit: orNull(row.git_commit),
  ...runPassRate(row),
  left_out: Math.max(0, row.case_count - row.pass_count - row.fail_count - row.error_count - row.xpass_count),
  shared,
  partial: shared < LIKE_SHARE,
  measures,
})

const baselineView = (pinned: Row, measures: MeasuresView, runs: Trend['runs']): Trend['baseline'] => ({
  id: pinned.id,
  created_at: rfc3339(pinned.created_at),
  note: orNull(pinned.note),
  ...runPassRate(pinned),
  in_runs: runs.some(({ id }) => id === pinned.id),
  measures,
})

/**
 * The trend of a suite: its runs of the same providers as the newest one, and where their pass rate changed. Null for a
 * suite without visible runs. Reads the outlines of at most 200 runs, so it must run on a reader thread. Without
 * `has_measures`, nothing is said of what the runs measured.
 */
export const findTrend = async (
  reader: Reader,
  viewer: Viewer,
  asked: Asked,
  has_measures = true,
): Promise<Trend | null> => {
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
  const none = {
    providers: [],
    runs: [],
    other_runs: 0,
    has_older: false,
    changes: [],
    measure_changes: changesOf([]),
  }
  const pinned = baseline && (await reader.read(findPinned(viewer, baseline.run_id)))[0]
  const front = { project: asked.project, suite: asked.suite, branch: asked.branch ?? null }
  const view = async (runs: Trend['runs']): Promise<Trend['baseline']> => {
    if (!pinned) return null
    const shown = runs.find(({ id }) => id === pinned.id)
    const own = shown ?? (await readOutlines(reader, [pinned], has_measures)).get(pinned.run_no)
    return baselineView(pinned, own?.measures ?? NOTHING_MEASURED, runs)
  }
  if (!newest) return { ...front, ...none, baseline: await view([]), flakiness }
  const providers = columnProviders(newest.columns)
  const names = JSON.stringify(providers.toSorted())
  const read = rows.slice(0, MAX_READ)
  const like = read.filter((row) => JSON.stringify(columnProviders(row.columns).sort()) === names)
  const shown = like.slice(0, MAX_TREND_RUNS)
  const outlines = await readOutlines(reader, shown, has_measures)
  const unknown = { shared: 0, measures: NOTHING_MEASURED }
  const runs = shown.map((row) => trendRun(row, outlines.get(row.run_no) ?? unknown)).reverse()
  const joined = runs.filter(({ partial }) => !partial)
  const partial = new Set(runs.flatMap(({ id, partial: is }) => (is ? [id] : [])))
  const { isJudged, judge_changes } = await readJudged(reader, shown.filter(({ id }) => !partial.has(id)).reverse())
  const stretches = stretchesOf(joined, new Set(judge_changes.map(({ run_id }) => run_id)))
  const counts = ({ passed, total, rate }: Segment) => ({ passed, total, rate })
  const changes = stretches.flatMap((stretch) => {
    const { segments } = segmentTrend(stretch)
    return segments.flatMap((segment, i) => {
      const [before, run] = [segments[i - 1], stretch[segment.from]]
      return before && run ? [{ run_id: run.id, before: counts(before), after: counts(segment) }] : []
    })
  })
  return {
    ...front,
    providers,
    runs,
    other_runs: read.length - like.length,
    has_older: rows.length > MAX_READ || like.length > MAX_TREND_RUNS,
    changes,
    ...(judge_changes.length > 0 && { judge_changes }),
    ...(isJudged && { judged: true }),
    measure_changes: changesOf(joined, stretches),
    baseline: await view(runs),
    flakiness,
  }
}
