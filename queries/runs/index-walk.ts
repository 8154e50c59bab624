import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import type { Fragment } from '../../storage/sql.ts'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Dialect, Query, Reader } from '../../storage/storage.ts'

// The run list is in one order, newest first, and each filter has an index in that order. One filter alone is a range
// of its index. Of several, one gives the order and the others are checked row by row: which one is chosen by looking
// how far back in time the same number of its next rows reaches, since the rarest leaves the fewest rows to check.

/** A place in the list's order: newest first, ids in descending byte order within one instant. */
export type Position = { readonly created_at: number; readonly id: string }

/**
 * Rows that one index holds in the list's order: `of` names the table whose `created_at`, `id` and `run_no` tell it.
 */
export type Range = { readonly of: 'runs' | 'run_tags'; readonly from: Fragment; readonly where: Fragment }

/**
 * A filter: ranges that together hold what it matches, each row in one of them, and the same as a condition on `runs`.
 */
export type Filter = { readonly ranges: readonly Range[] | null; readonly check: Fragment }

/** What is asked for: filters that must all match, from a place on (exclusive) down to another (inclusive). */
export type Walk = {
  readonly filters: readonly Filter[]
  readonly before: Position | null
  readonly down_to: Position | null
}

/** `(…) IS TRUE` is a condition that no index is chosen for. */
export const unindexed = (condition: Fragment): Fragment => sql.fragment`((${condition}) IS TRUE)`

const runsWhere = (where: Fragment): Range => ({ of: 'runs', from: sql.fragment`runs`, where })

/** A filter on columns of `runs` that have an index. */
export const indexed = (where: Fragment): Filter => ({ ranges: [runsWhere(where)], check: unindexed(where) })

const EVERYTHING: Filter = indexed(sql.fragment`TRUE`)

const bounds = (of: Range['of'], { before, down_to }: Pick<Walk, 'before' | 'down_to'>): Fragment[] => {
  const place = sql.fragment`(${sql.identifier([of, 'created_at'])}, ${sql.identifier([of, 'id'])})`
  return [
    ...(before ? [sql.fragment`${place} < (${before.created_at}, ${before.id})`] : []),
    ...(down_to ? [sql.fragment`${place} >= (${down_to.created_at}, ${down_to.id})`] : []),
  ]
}

/**
 * How a storage takes several ranges in order: SQLite merges them as it reads, PostgreSQL sorts them all unless each is
 * told how much is wanted.
 */
const bounded = (dialect: Dialect, part: Fragment, most: number): Fragment =>
  dialect === 'sqlite'
    ? part
    : sql.fragment`SELECT * FROM (${part} ORDER BY created_at DESC, id DESC LIMIT ${most}) range`

/**
 * Places of the first rows of a filter that pass the checks, in order: no more is read of any range than is wanted of
 * all.
 */
const places = (
  dialect: Dialect,
  ranges: readonly Range[],
  checks: readonly Fragment[],
  bound: Pick<Walk, 'before' | 'down_to'>,
  most: number,
): Fragment => {
  const parts = ranges.map(({ of, from, where }) => {
    const [created_at, id, run_no] = [
      sql.identifier([of, 'created_at']),
      sql.identifier([of, 'id']),
      sql.identifier([of, 'run_no']),
    ]
    // Checks are on `runs`; without any the index alone answers.
    const joined = of === 'runs' || checks.length === 0 ? from : sql.fragment`${from} CROSS JOIN runs`
    const joins = of === 'runs' || checks.length === 0 ? [] : [sql.fragment`runs.run_no = ${run_no}`]
    return sql.fragment`SELECT ${created_at} AS created_at, ${id} AS id, ${run_no} AS run_no FROM ${joined} WHERE ${sql.and([where, ...bounds(of, bound), ...joins, ...checks])}`
  })
  const each = parts.length > 1 ? parts.map((part) => bounded(dialect, part, most)) : parts
  return sql.fragment`${sql.join(each, sql.fragment` UNION ALL `)} ORDER BY created_at DESC, id DESC`
}

const Place = z.object({ created_at: z.number(), id: z.string() })

/** Where the next `count` rows of a filter end: null when there are no more. */
const endOf = (
  dialect: Dialect,
  ranges: readonly Range[],
  bound: Pick<Walk, 'before' | 'down_to'>,
  count: number,
): Query<Position | null> =>
  mapped(
    any(
      sql.type(
        Place,
      )`SELECT created_at, id FROM (${places(dialect, ranges, [], bound, count)} LIMIT 1 OFFSET ${count - 1}) place`,
    ),
    (rows) => rows[0] ?? null,
  )

/** Rows looked at before the choice is made anew, at first and at most: no step holds a thread for long. */
const FIRST_STEP = 500
const LONGEST_STEP = 4000

const isBefore = (a: Position, b: Position): boolean =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id)

type Step<Row> = {
  /** Reads the rows at these places, in order. */
  readonly rowsAt: (places: Fragment, limit: number) => Query<Row[]>
  /** Asked once, when the first step did not fill the page: another filter that may be rarer than those given. */
  readonly rarer?: () => Promise<Filter | null>
}

/**
 * The first `limit` rows of a walk. Reads what is there with one query where an index alone tells, and in steps
 * otherwise.
 */
export const walkRuns = async <Row>(
  reader: Reader,
  { filters, before, down_to }: Walk,
  limit: number,
  { rowsAt, rarer }: Step<Row>,
): Promise<Row[]> => {
  const checksBut = (driver: Filter, all: readonly Filter[]): Fragment[] =>
    all.filter((each) => each !== driver).map(({ check }) => check)
  const read = (driver: Filter, all: readonly Filter[], bound: Pick<Walk, 'before' | 'down_to'>, most: number) =>
    reader.read(
      rowsAt(
        sql.fragment`${places(reader.dialect, driver.ranges ?? [], checksBut(driver, all), bound, most)} LIMIT ${most}`,
        most,
      ),
    )

  const [only] = filters
  if (!only) return read(EVERYTHING, [], { before, down_to }, limit)
  if (filters.length === 1 && only.ranges) return read(only, filters, { before, down_to }, limit)

  let asked = filters
  let at = before
  const found: Row[] = []
  for (let step = FIRST_STEP; ; step = Math.min(step * 2, LONGEST_STEP)) {
    const withRanges = asked.filter(({ ranges }) => ranges !== null)
    const drivers = withRanges.length > 0 ? withRanges : [EVERYTHING]
    const ends = Object.values(
      await reader.readAll(
        Object.fromEntries(
          drivers.map(
            ({ ranges }, i) => [`end${i}`, endOf(reader.dialect, ranges ?? [], { before: at, down_to }, step)] as const,
          ),
        ),
      ),
    )
    let rarest = 0
    for (const [i, end] of ends.entries()) {
      const best = ends[rarest]
      if (best && (!end || isBefore(end, best))) rarest = i
    }
    const end = ends[rarest] ?? null
    found.push(
      ...(await read(
        drivers[rarest] ?? EVERYTHING,
        asked,
        { before: at, down_to: end ?? down_to },
        limit - found.length,
      )),
    )
    if (!end || found.length === limit) return found
    at = end
    if (step === FIRST_STEP) {
      const another = await rarer?.()
      if (another) asked = [another, ...asked]
    }
    // Others get their turn between the steps of a long walk.
    await turn()
  }
}
