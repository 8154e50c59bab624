import { z } from 'zod'
import { shownShape } from '../../domain/run/column.ts'
import { runColumns, RunRow } from '../../domain/run/run-columns.ts'
import { setKey } from '../../domain/sets.ts'
import { any, mapped, one, sql, type OrderedUnion } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { ADDED_COLUMNS, ADDED_JOIN, AddedRow, addedText, RunAdded } from './annotations.ts'
import { unindexed } from '../index-walk.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import { indexed, walkRuns, type Filter, type FilteredRange, type Position } from './run-walk.ts'
import { isNewestFirst, listSortedRuns, parseSortedCursor, sortedCursorText, type RunOrder } from './sorted-runs.ts'
import { UPLOADER } from './uploader.ts'

const count = z.number().int()
const text = z.string().nullable()

/** One row of the run list. `runListItem` makes it, except `uploaded_at`, `uploaded_by` and what was added after the upload. */
export const RunListItem = z
  .object({ ...shownShape(runColumns, 'list', 'list alone'), added: RunAdded.optional() })
  .meta({ id: 'RunListItem' })
export type RunListItem = z.infer<typeof RunListItem>

export const RunList = z
  .object({ runs: z.array(RunListItem), next_cursor: text, cached_hidden: count.nullable() })
  .meta({ id: 'RunList' })
export type RunList = z.infer<typeof RunList>

const ListedRow = RunRow.pick({
  list_item: true,
  created_at: true,
  id: true,
  uploaded_at: true,
  uploaded_by: true,
}).extend(AddedRow.shape)
type ListedRow = z.infer<typeof ListedRow>

const listItem = ({ list_item, uploaded_at, uploaded_by, ...row }: Omit<ListedRow, 'created_at' | 'id'>): string => {
  const added = addedText(row)
  return `${list_item.slice(0, -1)},"uploaded_at":"${rfc3339(uploaded_at)}","uploaded_by":${JSON.stringify(uploaded_by)}${added === null ? '' : `,"added":${added}`}}`
}

export type RunFilters = {
  readonly project?: string | undefined
  readonly suite?: string | undefined
  readonly tag?: string | undefined
  readonly provider?: string | undefined
  readonly branch?: string | undefined
  readonly status?: 'pass' | 'fail' | 'error' | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly cached?: Cached | undefined
  readonly origin?: 'ci' | 'local' | undefined
  readonly actor?: string | undefined
}

/**
 * Selects runs by their use of the cache: `exclude` hides fully cached runs, `only` shows nothing but these, `all`
 * shows every run.
 */
export type Cached = 'exclude' | 'only' | 'all'

const STATUS = {
  fail: sql.fragment`runs.failing`,
  error: sql.fragment`runs.erroring`,
  pass: sql.fragment`NOT runs.failing AND NOT runs.erroring`,
}
const CACHED = { exclude: sql.fragment`NOT runs.fully_cached`, only: sql.fragment`runs.fully_cached`, all: undefined }
const ORIGIN = { ci: sql.fragment`runs.ci_provider IS NOT NULL`, local: sql.fragment`runs.ci_provider IS NULL` }

const setFilters = ({ project, suite }: RunFilters): Filter[] =>
  project !== undefined && suite !== undefined
    ? [indexed(sql.fragment`runs.set_key = ${setKey({ project, suite })}`)]
    : [
        ...(project === undefined ? [] : [indexed(sql.fragment`runs.project = ${project}`)]),
        ...(suite === undefined ? [] : [indexed(sql.fragment`runs.suite = ${suite}`)]),
      ]

/** Runs whose document has the tag, and runs to which it was added, which are others. */
const tagFilter = (tag: string): Filter => ({
  ranges: [
    { of: 'run_tags', from: sql.fragment`run_tags`, where: sql.fragment`run_tags.tag = ${tag}` },
    { of: 'run_added_tags', from: sql.fragment`run_added_tags`, where: sql.fragment`run_added_tags.tag = ${tag}` },
  ],
  check: unindexed(sql.fragment`
    EXISTS (SELECT 1 FROM run_tags x WHERE x.tag = ${tag} AND x.run_no = runs.run_no)
    OR EXISTS (SELECT 1 FROM run_added_tags x WHERE x.tag = ${tag} AND x.run_no = runs.run_no)`),
})

/** Runs with a case of the provider. */
const providerFilter = (provider: string): Filter => ({
  ranges: [
    {
      of: 'run_providers',
      from: sql.fragment`run_providers`,
      where: sql.fragment`run_providers.provider_id = ${provider}`,
    },
  ],
  check: unindexed(
    sql.fragment`EXISTS (SELECT 1 FROM run_providers x WHERE x.provider_id = ${provider} AND x.run_no = runs.run_no)`,
  ),
})

/**
 * Maximum number of principals with one label, and of run sets that one viewer may see, for which a filter has one
 * index range each.
 */
const MAX_RANGES = 32

const Label = z.object({ id: z.string() })
const listLabelled = (label: string): Query<string[]> =>
  mapped(
    any(sql.type(Label)`SELECT id FROM principals WHERE label = ${label} AND kind <> 'key' LIMIT ${MAX_RANGES + 1}`),
    (rows) => rows.map(({ id }) => id),
  )

/** Runs whose document names the actor, and runs that a principal with this label uploaded. */
const actorFilter = (actor: string, uploaders: readonly string[]): Filter => {
  const named = sql.fragment`runs.actor = ${actor}`
  const uploaded = uploaders.map((id) => indexed(sql.fragment`runs.uploaded_by = ${id} AND (${named}) IS NOT TRUE`))
  return {
    ranges: uploaders.length > MAX_RANGES ? null : [indexed(named), ...uploaded].flatMap(({ ranges }) => ranges ?? []),
    check: unindexed(
      sql.fragment`${named} OR runs.uploaded_by IN (SELECT id FROM principals WHERE label = ${actor} AND kind <> 'key')`,
    ),
  }
}

const runFilters = (viewer: Viewer, filters: RunFilters, uploaders: readonly string[]): Filter[] => {
  const { tag, provider, branch, status, cached, origin, actor } = filters
  const cache = cached && CACHED[cached]
  return [
    ...setFilters(filters),
    ...(tag === undefined ? [] : [tagFilter(tag)]),
    ...(provider === undefined ? [] : [providerFilter(provider)]),
    ...(branch === undefined ? [] : [indexed(sql.fragment`runs.git_branch = ${branch}`)]),
    ...(actor === undefined ? [] : [actorFilter(actor, uploaders)]),
    ...(status ? [indexed(STATUS[status])] : []),
    ...(cache ? [indexed(cache)] : []),
    ...(origin ? [indexed(ORIGIN[origin])] : []),
    ...(viewer.sees_all ? [] : [{ ranges: null, check: visible(viewer, 'runs') }]),
  ]
}

const SetKey = z.object({ set_key: z.string().nullable() })

/**
 * A filter with one index range for each run set that the viewer may see, so that no row of a hidden set is read. Null
 * if there are too many.
 */
const findVisibleSets = async (reader: Reader, viewer: Viewer): Promise<Filter | null> => {
  const rows = await reader.read(
    any(sql.type(SetKey)`SELECT sets.set_key FROM sets WHERE ${visible(viewer, 'sets')} LIMIT ${MAX_RANGES + 1}`),
  )
  if (rows.length > MAX_RANGES) return null
  // Runs without a project are in no set. Every viewer may see them, but a limited key.
  const keys = [
    ...(viewer.limit ? [] : [sql.fragment`runs.set_key IS NULL`]),
    ...rows.map(({ set_key }) => sql.fragment`runs.set_key = ${set_key}`),
  ]
  return { ranges: keys.flatMap((where) => indexed(where).ranges ?? []), check: sql.fragment`TRUE` }
}

export const runCursorText = ({ created_at, id }: Position): string => `${created_at}:${id}`

/** Null for text that is not a cursor: the list then starts with the first page. */
export const parseRunCursor = (cursor: string | undefined): Position | null => {
  const parts = /^(-?\d{1,16}):(.+)$/s.exec(cursor ?? '')
  return parts?.[1] !== undefined && parts[2] !== undefined ? { created_at: Number(parts[1]), id: parts[2] } : null
}

/**
 * Where a page starts and where the list ends. A limit of time is expressed as a position too, so that the cursor and
 * the limits together are one range of an index.
 */
const boundsOf = ({ since, until }: RunFilters, after: Position | null): Pick<FilteredRange, 'before' | 'down_to'> => {
  // No id is empty. So in the list, the runs at time `t` or later precede `(t, '')`, and all earlier runs follow it.
  const down_to = since === undefined ? null : { created_at: since, id: '' }
  if (until === undefined || (after && after.created_at <= until)) return { before: after, down_to }
  return { before: { created_at: until + 1, id: '' }, down_to }
}

const rowsAt = (positions: OrderedUnion, limit: number): Query<ListedRow[]> =>
  any(
    positions(
      (places) => sql.type(ListedRow)`
        SELECT runs.list_item, runs.created_at, runs.id, runs.uploaded_at, ${UPLOADER}, ${ADDED_COLUMNS}
        FROM (${places} LIMIT ${limit}) place CROSS JOIN runs ${ADDED_JOIN}
        WHERE runs.run_no = place.run_no
        ORDER BY place.created_at DESC, place.id DESC
        LIMIT ${limit}`,
    ),
  )

const Count = z.object({ n: z.number() })

/**
 * Fully cached runs, counted by run set, so that visibility is checked once for each set. An index over fully cached
 * runs contains all columns that the query reads.
 */
const countHidden = (viewer: Viewer, { project, suite, since, until, ...filters }: RunFilters): Query<number> => {
  const conditions = [
    ...(project === undefined ? [] : [sql.fragment`runs.project = ${project}`]),
    ...(suite === undefined ? [] : [sql.fragment`runs.suite = ${suite}`]),
    ...(since === undefined ? [] : [unindexed(sql.fragment`runs.created_at >= ${since}`)]),
    ...(until === undefined ? [] : [unindexed(sql.fragment`runs.created_at <= ${until}`)]),
    ...runFilters({ ...viewer, sees_all: true }, { ...filters, cached: 'all' }, []).map(({ check }) => check),
  ]
  return mapped(
    one(sql.type(Count)`
      SELECT coalesce(sum(counted.n), 0) AS n
      FROM (
        SELECT project, suite, count(*) AS n FROM runs
        WHERE ${sql.and([sql.fragment`runs.fully_cached`, ...conditions])}
        GROUP BY project, suite
      ) counted
      WHERE ${visible(viewer, 'counted')}`),
    ({ n }) => n,
  )
}

type RunPage = { readonly limit: number; readonly cursor?: string | undefined }

type ListText = { readonly items: string[]; readonly next_cursor: string | null; readonly cached_hidden: number | null }
const listText = ({ items, next_cursor, cached_hidden }: ListText): string =>
  `{"runs":[${items.join(',')}],"next_cursor":${JSON.stringify(next_cursor)},"cached_hidden":${cached_hidden}}`

/** The run list as JSON text: newest first, keyset pages. `cached_hidden` is set only on a first page that excludes cached runs. */
export const listRuns = async (
  reader: Reader,
  viewer: Viewer,
  filters: RunFilters,
  { limit, cursor }: RunPage,
): Promise<string> => {
  const after = parseRunCursor(cursor)
  const isCounted = filters.cached === 'exclude' && after === null
  const uploaders = filters.actor === undefined ? [] : await reader.read(listLabelled(filters.actor))
  const walk = { filters: runFilters(viewer, filters, uploaders), ...boundsOf(filters, after) }
  const rows = await walkRuns(reader, walk, limit + 1, {
    rowsAt,
    ...(viewer.sees_all ? {} : { rarer: () => findVisibleSets(reader, viewer) }),
  })
  const { rows: listed, next_cursor } = page(rows, limit, (last) => runCursorText(last))
  const cached_hidden = isCounted ? await reader.read(countHidden(viewer, filters)) : null
  return listText({ items: listed.map(listItem), next_cursor, cached_hidden })
}

/**
 * The run list in any order, as JSON text. An order other than newest first reads all runs that match, so it must run in
 * a reader thread.
 */
export const listRunsBy = async (
  reader: Reader,
  viewer: Viewer,
  filters: RunFilters,
  order: RunOrder,
  { limit, cursor }: RunPage,
): Promise<string> => {
  if (isNewestFirst(order)) return listRuns(reader, viewer, filters, { limit, cursor })
  const after = parseSortedCursor(order, cursor)
  const { project, suite, tag, provider, since, until, ...others } = filters
  const checks = [
    ...runFilters({ ...viewer, sees_all: true }, others, []).map(({ check }) => check),
    ...(tag === undefined
      ? []
      : [
          unindexed(sql.fragment`runs.run_no IN (
            SELECT run_tags.run_no FROM run_tags WHERE run_tags.tag = ${tag}
            UNION ALL SELECT run_added_tags.run_no FROM run_added_tags WHERE run_added_tags.tag = ${tag})`),
        ]),
    ...(provider === undefined
      ? []
      : [
          unindexed(sql.fragment`runs.run_no IN (
            SELECT run_providers.run_no FROM run_providers WHERE run_providers.provider_id = ${provider})`),
        ]),
    ...(since === undefined ? [] : [unindexed(sql.fragment`runs.created_at >= ${since}`)]),
    ...(until === undefined ? [] : [unindexed(sql.fragment`runs.created_at <= ${until}`)]),
  ]
  const rows = await reader.read(listSortedRuns(viewer, { project, suite }, checks, order, after, limit + 1))
  const { rows: listed, next_cursor } = page(rows, limit, (last) => sortedCursorText(order, last))
  const isCounted = filters.cached === 'exclude' && after === null
  const cached_hidden = isCounted ? await reader.read(countHidden(viewer, filters)) : null
  return listText({ items: listed.map(listItem), next_cursor, cached_hidden })
}
