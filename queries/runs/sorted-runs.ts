import { z } from 'zod'
import { setKey } from '../../domain/sets.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { unindexed } from '../index-walk.ts'
import { after, sortedBy, type SortOrder } from '../sort-order.ts'
import type { Position } from './run-walk.ts'
import { ADDED_COLUMNS, ADDED_JOIN, AddedRow } from './annotations.ts'
import { UPLOADER } from './uploader.ts'

// The run list in another order than newest first. The index `runs_measured` has all columns that such a list filters and
// sorts by. The list reads that index, from start to end unless a run set is given, and sorts what matches. An index for
// each order would make every list with a filter read its runs from the table, one by one.

export const RUN_SORTS = ['time', 'uploaded', 'pass_rate', 'cost', 'duration'] as const
export type RunSort = (typeof RUN_SORTS)[number]
export type RunOrder = SortOrder<RunSort>

/** Whether an order is that of the list without `sort`. */
export const isNewestFirst = ({ sort, order }: RunOrder): boolean => sort === 'time' && order === 'desc'

/** A run without cases has no pass rate. A duration of 0 was not measured. */
const VALUES: Readonly<Record<RunSort, Fragment>> = {
  time: sql.fragment`runs.created_at`,
  uploaded: sql.fragment`runs.uploaded_at`,
  pass_rate: sql.fragment`(CASE WHEN runs.case_count > 0 THEN CAST(runs.pass_count AS double precision) / runs.case_count END)`,
  cost: sql.fragment`runs.cost_micro`,
  duration: sql.fragment`nullif(runs.duration_ms, 0)`,
}

const SortedRow = AddedRow.extend({
  list_item: z.string(),
  created_at: z.number(),
  id: z.string(),
  uploaded_at: z.number(),
  uploaded_by: z.string().nullable(),
  value: z.number().nullable(),
})
export type SortedRow = z.infer<typeof SortedRow>

/** A position in a sorted list: the value by which it is sorted, null if the run has none, and the place of the run. */
export type SortedPosition = Position & { readonly value: number | null }

export const sortedCursorText = ({ sort, order }: RunOrder, { value, created_at, id }: SortedPosition): string =>
  `${sort}.${order}:${value ?? ''}:${created_at}:${id}`

/** Null for text that is not a cursor of a list in this order: the list then starts with the first page. */
export const parseSortedCursor = ({ sort, order }: RunOrder, cursor: string | undefined): SortedPosition | null => {
  const [, name, value, created_at, id] =
    /^([a-z_]+\.[a-z]+):(-?\d+(?:\.\d+)?(?:e-?\d+)?)?:(-?\d{1,16}):(.+)$/s.exec(cursor ?? '') ?? []
  if (name !== `${sort}.${order}` || created_at === undefined || id === undefined) return null
  return { value: value === undefined ? null : Number(value), created_at: Number(created_at), id }
}

/** Whether the viewer may see a run, by its set. Visibility is checked once for each set instead of once for each run. */
const inVisibleSet = (viewer: Viewer): Fragment =>
  viewer.sees_all
    ? sql.fragment`TRUE`
    : unindexed(
        sql.fragment`${viewer.limit ? sql.fragment`` : sql.fragment`runs.set_key IS NULL OR `}runs.set_key IN (SELECT sets.set_key FROM sets WHERE ${visible(viewer, 'sets')})`,
      )

/** Filters of a list by project and suite. */
export type SetFilters = { readonly project?: string | undefined; readonly suite?: string | undefined }

const inSets = ({ project, suite }: SetFilters): Fragment[] => {
  if (project === undefined) return suite === undefined ? [] : [unindexed(sql.fragment`runs.suite = ${suite}`)]
  return [
    suite === undefined
      ? unindexed(sql.fragment`runs.set_key IN (SELECT sets.set_key FROM sets WHERE sets.project = ${project})`)
      : sql.fragment`runs.set_key = ${setKey({ project, suite })}`,
  ]
}

/** The first rows of a sorted list that pass the checks, after a position. */
export const listSortedRuns = (
  viewer: Viewer,
  sets: SetFilters,
  checks: readonly Fragment[],
  { sort, order }: RunOrder,
  from: SortedPosition | null,
  limit: number,
): Query<SortedRow[]> => {
  const value = VALUES[sort]
  const start = from
    ? [
        after(
          value,
          order,
          from.value === null ? null : sql.fragment`CAST(${from.value} AS double precision)`,
          sql.fragment`(runs.created_at, runs.id) < (${from.created_at}, ${from.id})`,
        ),
      ]
    : []
  const where = sql.and([sql.fragment`TRUE`, ...inSets(sets), ...checks, inVisibleSet(viewer), ...start])
  return any(sql.type(SortedRow)`
    SELECT runs.list_item, place.created_at, place.id, place.value, runs.uploaded_at, ${UPLOADER}, ${ADDED_COLUMNS}
    FROM (
      SELECT runs.run_no, runs.created_at, runs.id, ${value} AS value FROM runs WHERE ${where}
      ORDER BY ${sortedBy(sql.fragment`value`, order)}, runs.created_at DESC, runs.id DESC LIMIT ${limit}
    ) place CROSS JOIN runs ${ADDED_JOIN} WHERE runs.run_no = place.run_no
    ORDER BY ${sortedBy(sql.fragment`place.value`, order)}, place.created_at DESC, place.id DESC`)
}
