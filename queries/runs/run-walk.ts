import { z } from 'zod'
import { any, mapped, orderedUnion, sql, type Fragment, type OrderedUnion } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { unindexed, walkIndexes } from '../index-walk.ts'

// The run list has one order, newest first, and each filter has an index in that order.

/** A position in the list: newest first, ids in descending byte order within one instant. */
export type Position = { readonly created_at: number; readonly id: string }

/**
 * Rows that one index contains, in the order of the list. Table `of` has the columns `created_at`, `id` and `run_no`.
 */
type Range = {
  readonly of: 'runs' | 'run_tags' | 'run_added_tags' | 'run_providers'
  readonly from: Fragment
  readonly where: Fragment
}

/**
 * A filter in two forms. `ranges` together contain all its matches, each match once. `check` is the same filter as a
 * condition on `runs`. A filter without ranges is only checked.
 */
export type Filter = { readonly ranges: readonly Range[] | null; readonly check: Fragment }

/** The part of the list after one position (exclusive) and down to another (inclusive). */
type Bounds = { readonly before: Position | null; readonly down_to: Position | null }

/** Filters that must all match, within bounds. */
export type FilteredRange = Bounds & { readonly filters: readonly Filter[] }

/** A filter on columns of `runs` that have an index. */
export const indexed = (where: Fragment): Filter => ({
  ranges: [{ of: 'runs', from: sql.fragment`runs`, where }],
  check: unindexed(where),
})

const EVERYTHING: Filter = indexed(sql.fragment`TRUE`)

const within = (of: Range['of'], { before, down_to }: Bounds): Fragment[] => {
  const position = sql.fragment`(${sql.identifier([of, 'created_at'])}, ${sql.identifier([of, 'id'])})`
  return [
    ...(before ? [sql.fragment`${position} < (${before.created_at}, ${before.id})`] : []),
    ...(down_to ? [sql.fragment`${position} >= (${down_to.created_at}, ${down_to.id})`] : []),
  ]
}

/** Positions of the first `limit` rows of a filter that pass the checks, in order. */
const positions = ({ ranges }: Filter, checks: readonly Fragment[], bounds: Bounds, limit: number): OrderedUnion => {
  const parts = (ranges ?? []).map(({ of, from, where }) => {
    const [created_at, id, run_no] = [
      sql.identifier([of, 'created_at']),
      sql.identifier([of, 'id']),
      sql.identifier([of, 'run_no']),
    ]
    // Checks need the columns of `runs`. Without checks, the index alone has all the columns.
    const isJoined = of !== 'runs' && checks.length > 0
    const tables = isJoined ? sql.fragment`${from} CROSS JOIN runs` : from
    const joins = isJoined ? [sql.fragment`runs.run_no = ${run_no}`] : []
    return sql.fragment`
      SELECT ${created_at} AS created_at, ${id} AS id, ${run_no} AS run_no
      FROM ${tables}
      WHERE ${sql.and([where, ...within(of, bounds), ...joins, ...checks])}`
  })
  return orderedUnion(parts, sql.fragment`created_at DESC, id DESC`, limit)
}

const Place = z.object({ created_at: z.number(), id: z.string() })

/** The position of row number `count` of a filter within the bounds; null if it has fewer rows there. */
const findEnd = (filter: Filter, bounds: Bounds, count: number): Query<Position | null> =>
  mapped(
    any(
      positions(
        filter,
        [],
        bounds,
        count,
      )((rows) => sql.type(Place)`SELECT created_at, id FROM (${rows} LIMIT 1 OFFSET ${count - 1}) place`),
    ),
    (rows) => rows[0] ?? null,
  )

const MAX_STEP = 4000

type Options<Row> = {
  /** Reads the rows at these positions, in order. */
  readonly rowsAt: (positions: OrderedUnion, limit: number) => Query<Row[]>
  /**
   * Returns another filter, which may be rarer than the given ones. Called once, if the first step does not fill the
   * page.
   */
  readonly rarer?: () => Promise<Filter | null>
}

/** The first `limit` rows of a walk. A single filter with ranges takes one query; all other walks are done in steps. */
export const walkRuns = async <Row>(
  reader: Reader,
  { filters, before, down_to }: FilteredRange,
  limit: number,
  { rowsAt, rarer }: Options<Row>,
): Promise<Row[]> => {
  const read = (lead: Filter, checks: readonly Fragment[], bounds: Bounds, count: number): Promise<Row[]> =>
    reader.read(rowsAt(positions(lead, checks, bounds, count), count))

  const [only = EVERYTHING] = filters
  if (filters.length <= 1 && only.ranges) return read(only, [], { before, down_to }, limit)

  const withRanges = filters.filter(({ ranges }) => ranges !== null)
  const checked = filters.filter(({ ranges }) => ranges === null)
  return walkIndexes<Filter, Position, Row>({
    leads: withRanges.length > 0 ? withRanges : [EVERYTHING],
    from: before,
    limit,
    maxStep: MAX_STEP,
    endsOf: async (leads, from, count) =>
      Object.values(
        await reader.readAll(
          Object.fromEntries(
            leads.map((lead, i) => [`end${i}`, findEnd(lead, { before: from, down_to }, count)] as const),
          ),
        ),
      ),
    isFurther: (a, b) => a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id),
    rowsOf: (lead, leads, { from, to }, count) => {
      const checks = [...leads, ...checked].filter((filter) => filter !== lead).map(({ check }) => check)
      return read(lead, checks, { before: from, down_to: to ?? down_to }, count)
    },
    afterFirstStep: async (leads) => {
      const another = await rarer?.()
      return another ? [another, ...leads.filter((lead) => lead !== EVERYTHING)] : leads
    },
  })
}
