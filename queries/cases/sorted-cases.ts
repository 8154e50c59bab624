import { sql, type Fragment } from '../../storage/sql.ts'
import { FAILURE_ORDER, STATUS_ORDER, type CaseSort, type SortedCasePosition } from '../../domain/lists/case-order.ts'
import { after, sortedBy, type SortOrder } from '../sort-order.ts'

// The cases of a run in another order than that of the document. Such a list reads and sorts all cases of the run that
// match. An index for each order would cost an entry in each for every case that is stored.

export type CaseOrder = SortOrder<CaseSort>

export const isDocumentOrder = ({ sort, order }: CaseOrder): boolean => sort === 'document' && order === 'asc'

const byStatus = (places: Readonly<Record<string, number>>): Fragment =>
  sql.fragment`(CASE cases.status ${sql.join(
    Object.entries(places).map(([status, place]) => sql.fragment`WHEN ${status} THEN CAST(${place} AS integer)`),
    sql.fragment` `,
  )} END)`
const SCORE = sql.fragment`(CASE WHEN cases.status = 'skip' THEN nullif(cases.score, 0) ELSE cases.score END)`

/** The value by which a list is sorted, as `positionOf` finds it. */
const VALUES: Readonly<Record<CaseSort, Fragment>> = {
  document: sql.fragment`cases.n`,
  failures: byStatus(FAILURE_ORDER),
  status: byStatus(STATUS_ORDER),
  score: SCORE,
  latency: sql.fragment`nullif(cases.latency_ms, 0)`,
  cost: sql.fragment`cases.cost_micro`,
  name: sql.fragment`coalesce(cases.name, cases.test_id, cases.case_key)`,
}

/** A cursor names the last case. The cases of a run never change, so its value is read again from its row. */
export const sortedCaseCursor = ({ sort, order }: CaseOrder, n: number): string => `${sort}.${order}:${n}`

/** Null for text that is not a cursor of a list in this order: the list then starts with the first page. */
export const parseSortedCaseCursor = ({ sort, order }: CaseOrder, cursor: string | undefined): number | null => {
  const [, name, n] = /^([a-z]+\.[a-z]+):(\d{1,10})$/.exec(cursor ?? '') ?? []
  return name === `${sort}.${order}` && n !== undefined ? Number(n) : null
}

/** The indexes of the first cases of a run in an order, after a position. */
export const sortedPlaces = (
  run_no: number,
  matching: Fragment,
  { sort, order }: CaseOrder,
  from: SortedCasePosition | null,
  limit: number | null,
): Fragment => {
  const value = VALUES[sort]
  const last = (known: number | string): Fragment =>
    typeof known === 'string' ? sql.fragment`${known}` : sql.fragment`CAST(${known} AS double precision)`
  const lastOf = (known: number | string | null): Fragment | null => (known === null ? null : last(known))
  const further = (n: number): Fragment => sql.fragment`cases.n > ${n}`
  const start = from
    ? [
        after(
          value,
          order,
          lastOf(from.value),
          from.then === undefined ? further(from.n) : after(SCORE, 'asc', lastOf(from.then), further(from.n)),
        ),
      ]
    : []
  const then = sort === 'failures' ? SCORE : sql.fragment`NULL`
  return sql.fragment`
    SELECT cases.n, ${value} AS value, ${then} AS later FROM cases
    WHERE ${sql.and([sql.fragment`cases.run_no = ${run_no}`, matching, ...start])}
    ORDER BY ${sortedBy(sql.fragment`value`, order)}, ${thenBy(sort, sql.fragment`later`)}cases.n ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit}`}`
}

/** The term for cases of the same value, in an order that has one. */
const thenBy = (sort: CaseSort, later: Fragment): Fragment =>
  sort === 'failures' ? sql.fragment`${sortedBy(later, 'asc')}, ` : sql.fragment``

export const placesOrder = ({ sort, order }: CaseOrder): Fragment =>
  sql.fragment`ORDER BY ${sortedBy(sql.fragment`place.value`, order)}, ${thenBy(sort, sql.fragment`place.later`)}place.n`
