import { z } from 'zod'
import { setKey } from '../../domain/sets.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { any, mapped, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { findSuiteAccess, listProjectAccess, listSuiteAccess, setAccess, type SetAccess } from '../access/set-access.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { LEVELS } from '../access/levels.ts'
import { rate, rfc3339 } from '../../domain/wire.ts'

/** Maximum number of points in a sparkline or a series, and of suites in `recent_pass_rates`. */
const MAX_POINTS = 20

const count = z.number().int()
const level = z.enum(LEVELS).nullable()

const Totals = z.object({
  pass_count: count,
  fail_count: count,
  error_count: count,
  case_count: count,
  empty_count: count.optional(),
})

const ProjectSetView = z
  .object({
    project: z.string(),
    suite_count: count,
    run_count: count,
    last_run_at: count,
    ...Totals.shape,
    recent_pass_rates: z.array(z.number()),
    restricted: z.boolean(),
    my_level: level,
  })
  .meta({ id: 'ProjectSetView' })
export const ProjectSets = z.object({ projects: z.array(ProjectSetView) }).meta({ id: 'ProjectSets' })

const SuiteSetView = z
  .object({
    suite: z.string(),
    run_count: count,
    last_run_at: count.nullable(),
    ...Totals.shape,
    latest_pass_rate: z.number().nullable(),
    sparkline: z.array(z.number()),
    baseline_run_id: z.string().nullable(),
    restricted: z.boolean(),
    my_level: level,
  })
  .meta({ id: 'SuiteSetView' })
export const ProjectSet = z
  .object({ project: z.string(), restricted: z.boolean(), my_level: level, suites: z.array(SuiteSetView) })
  .meta({ id: 'ProjectSet' })
export type ProjectSet = z.infer<typeof ProjectSet>
export const SuiteSet = SuiteSetView.extend({ project: z.string() }).meta({ id: 'SuiteSet' })

export const ProjectList = z
  .object({
    projects: z.array(z.object({ project: z.string(), run_count: count, suite_count: count, last_run_at: z.string() })),
  })
  .meta({ id: 'ProjectList' })
export type ProjectList = z.infer<typeof ProjectList>
const SeriesPoint = z.object({
  run_id: z.string(),
  created_at: z.string(),
  total: count,
  passed: count,
  pass_rate: z.number(),
})
export const SuiteList = z
  .object({
    project: z.string(),
    suites: z.array(
      z.object({
        suite: z.string(),
        run_count: count,
        last_run_at: z.string().nullable(),
        baseline_run_id: z.string().nullable(),
        series: z.array(SeriesPoint),
      }),
    ),
  })
  .meta({ id: 'SuiteList' })
export type SuiteList = z.infer<typeof SuiteList>

const SetRow = z.object({
  set_key: z.string(),
  project: z.string(),
  suite: z.string().nullable(),
  run_count: count,
  case_count: count,
  pass_count: count,
  fail_count: count,
  error_count: count,
  empty_count: count,
  last_run_at: count,
  latest_total: count,
  latest_passed: count,
  baseline_run_id: z.string().nullable(),
})
type SetRow = z.infer<typeof SetRow>

/** The visible run sets, with the newest run of each. A set has a row only while it has runs. */
const listSetRows = (viewer: Viewer, where: Fragment): Query<SetRow[]> =>
  any(sql.type(SetRow)`
    SELECT sets.set_key, sets.project, sets.suite, sets.run_count, sets.case_count, sets.pass_count, sets.fail_count,
      sets.error_count, sets.empty_count,
      newest.created_at AS last_run_at, newest.case_count AS latest_total, newest.pass_count AS latest_passed, baselines.run_id AS baseline_run_id
    FROM sets
      JOIN runs newest ON newest.run_no = sets.latest_run_no
      LEFT JOIN baselines ON baselines.project = sets.project AND baselines.suite = sets.suite
    WHERE ${where} AND ${visible(viewer, 'sets')}
    ORDER BY sets.project, sets.suite`)

const Count = z.object({ n: z.number() })

/** Maximum number of sets in a short list. Two queries are enough to read the series of so many sets. */
const MAX_SHORT_LIST = 200

/**
 * Whether the list of the sets of one project, or of all projects if `project` is null, is long. Only visible sets
 * count, so that hidden sets do not affect which thread builds the list.
 */
export const findIsLong = (viewer: Viewer, project: string | null): Query<boolean> => {
  const where = project === null ? sql.fragment`TRUE` : sql.fragment`sets.project = ${project}`
  return mapped(
    one(
      sql.type(Count)`
        SELECT count(*) AS n
        FROM (SELECT 1 FROM sets WHERE ${where} AND ${visible(viewer, 'sets')} LIMIT ${MAX_SHORT_LIST + 1}) listed`,
    ),
    ({ n }) => n > MAX_SHORT_LIST,
  )
}

const totals = (rows: readonly SetRow[]) => {
  const sum = (column: 'pass_count' | 'fail_count' | 'error_count' | 'case_count' | 'empty_count') =>
    rows.reduce((total, row) => addCounts(total, row[column]), 0)
  const empty_count = sum('empty_count')
  return {
    pass_count: sum('pass_count'),
    fail_count: sum('fail_count'),
    error_count: sum('error_count'),
    case_count: sum('case_count'),
    ...(empty_count > 0 ? { empty_count } : {}),
  }
}

const byProject = (rows: readonly SetRow[]): Map<string, SetRow[]> => Map.groupBy(rows, ({ project }) => project)
const newestUpload = (rows: readonly SetRow[]): number =>
  rows.reduce((newest, { last_run_at }) => Math.max(newest, last_run_at), -Infinity)
const suitesOf = (rows: readonly SetRow[]): Array<SetRow & { suite: string }> =>
  rows.filter((row): row is SetRow & { suite: string } => row.suite !== null)

/** Every project with a visible run, as a set: totals and the newest pass rate of each suite. */
export const listProjectSets = async (reader: Reader, viewer: Viewer): Promise<z.infer<typeof ProjectSets>> => {
  const { rows, ...granted } = await reader.readAll({
    rows: listSetRows(viewer, sql.fragment`TRUE`),
    ...listProjectAccess(viewer),
  })
  const access = setAccess(granted)
  return {
    projects: [...byProject(rows)].map(([project, sets]) => ({
      project,
      suite_count: suitesOf(sets).length,
      run_count: sets.reduce((total, { run_count }) => total + run_count, 0),
      last_run_at: newestUpload(sets),
      ...totals(sets),
      recent_pass_rates: suitesOf(sets)
        .slice(0, MAX_POINTS)
        .map(({ latest_passed, latest_total }) => rate(latest_passed, latest_total)),
      restricted: access.isRestricted(project, null),
      my_level: access.myLevel(project, null),
    })),
  }
}

const Point = z.object({ set_key: z.string(), run_id: z.string(), created_at: count, total: count, passed: count })
type Point = z.infer<typeof Point>

/** Number of suites that one query reads. SQLite allows 500 parts in a compound SELECT. */
const SUITES_PER_QUERY = 100

/** The newest points of each set, newest first. */
const listSeries = async (reader: Reader, keys: readonly string[]): Promise<Map<string, Point[]>> => {
  const found: Point[] = []
  for (let start = 0; start < keys.length; start += SUITES_PER_QUERY) {
    const parts = keys.slice(start, start + SUITES_PER_QUERY).map(
      (key) => sql.fragment`SELECT * FROM (
        SELECT set_key, run_id, created_at, total, passed FROM suite_series
        WHERE set_key = ${key}
        ORDER BY created_at DESC, run_id DESC LIMIT ${MAX_POINTS}) part`,
    )
    found.push(...(await reader.read(any(sql.type(Point)`${sql.join(parts, sql.fragment` UNION ALL `)}`))))
  }
  return Map.groupBy(found, ({ set_key }) => set_key)
}

const suiteView = (
  row: SetRow & { suite: string },
  series: readonly Point[],
  access: SetAccess,
): z.infer<typeof SuiteSetView> => {
  const sparkline = series.map(({ passed, total }) => rate(passed, total)).reverse()
  return {
    suite: row.suite,
    run_count: row.run_count,
    last_run_at: row.last_run_at,
    ...totals([row]),
    latest_pass_rate: sparkline.at(-1) ?? null,
    sparkline,
    baseline_run_id: row.baseline_run_id,
    restricted: access.isRestricted(row.project, row.suite),
    my_level: access.myLevel(row.project, row.suite),
  }
}

/** The suites of a project as sets; null if no run of the project is visible. */
export const findProjectSet = async (
  reader: Reader,
  viewer: Viewer,
  project: string,
): Promise<z.infer<typeof ProjectSet> | null> => {
  const { rows, ...granted } = await reader.readAll({
    rows: listSetRows(viewer, sql.fragment`sets.project = ${project}`),
    ...listSuiteAccess(viewer, project),
  })
  if (rows.length === 0) return null
  const access = setAccess(granted)
  const suites = suitesOf(rows)
  const series = await listSeries(
    reader,
    suites.map(({ set_key }) => set_key),
  )
  return {
    project,
    restricted: access.isRestricted(project, null),
    my_level: access.myLevel(project, null),
    suites: suites.map((row) => suiteView(row, series.get(row.set_key) ?? [], access)),
  }
}

/** One suite as a set; null if none of its runs is visible. */
export const findSuiteSet = async (
  reader: Reader,
  viewer: Viewer,
  { project, suite }: { project: string; suite: string },
): Promise<z.infer<typeof SuiteSet> | null> => {
  const where = sql.fragment`sets.set_key = ${setKey({ project, suite })}`
  const { rows, ...granted } = await reader.readAll({
    rows: listSetRows(viewer, where),
    ...findSuiteAccess(viewer, project, suite),
  })
  const [row] = suitesOf(rows)
  if (!row) return null
  const series = await listSeries(reader, [row.set_key])
  return { project, ...suiteView(row, series.get(row.set_key) ?? [], setAccess(granted)) }
}

/** Every project with a visible run, newest first. */
export const listProjects = (viewer: Viewer): Query<z.infer<typeof ProjectList>> =>
  mapped(listSetRows(viewer, sql.fragment`TRUE`), (rows) => ({
    projects: [...byProject(rows)]
      .map(([project, sets]) => ({ project, sets, newest: newestUpload(sets) }))
      // The sort is stable, so equal times stay ordered by name.
      .sort((a, b) => b.newest - a.newest)
      .map(({ project, sets, newest }) => ({
        project,
        run_count: sets.reduce((total, { run_count }) => total + run_count, 0),
        suite_count: suitesOf(sets).length,
        last_run_at: rfc3339(newest),
      })),
  }))

/** A project's suites with their newest runs; empty for an unknown or hidden project. */
export const listSuites = async (
  reader: Reader,
  viewer: Viewer,
  project: string,
): Promise<z.infer<typeof SuiteList>> => {
  const rows = suitesOf(await reader.read(listSetRows(viewer, sql.fragment`sets.project = ${project}`)))
  const series = await listSeries(
    reader,
    rows.map(({ set_key }) => set_key),
  )
  return {
    project,
    suites: rows.map((row) => {
      const points = series.get(row.set_key) ?? []
      return {
        suite: row.suite,
        run_count: points.length,
        last_run_at: rfc3339(row.last_run_at),
        baseline_run_id: row.baseline_run_id,
        series: points.map(({ run_id, created_at, total, passed }) => ({
          run_id,
          created_at: rfc3339(created_at),
          total,
          passed,
          pass_rate: rate(passed, total),
        })),
      }
    }),
  }
}
