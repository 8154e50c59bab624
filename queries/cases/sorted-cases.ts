import { sql, type Fragment } from '../../storage/sql.ts'
import { STATUS_ORDER, type CaseSort, type SortedCasePosition } from '../../domain/lists/case-order.ts'
import { after, sortedBy, type SortOrder } from '../sort-order.ts'

// The cases of a run in another order than that of the document. Such a list reads and sorts all cases of the run that
// match. An index for each order would cost an entry in each for every case that is stored.

export type CaseOrder = SortOrder<CaseSort>

export const isDocumentOrder = ({ sort, order }: CaseOrder): boolean => sort === 'document' && order === 'asc'

/** The value by which a list is sorted, as `positionOf` finds it. */
const VALUES: Readonly<Record<CaseSort, Fragment>> = {
  document: sql.fragment`cases.n`,
  status: sql.fragment`(CASE cases.status ${sql.join(
    Object.entries(STATUS_ORDER).map(([status, place]) => sql.fragment`WHEN ${status} THEN CAST(${place} AS integer)`),
    sql.fragment` `,
  )} END)`,
  score: sql.fragment`(CASE WHEN cases.status = 'skip' THEN nullif(cases.score, 0) ELSE cases.score END)`,
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
  const start = from
    ? [after(value, order, from.value === null ? null : last(from.value), sql.fragment`cases.n > ${from.n}`)]
    : []
  return sql.fragment`
    SELECT cases.n, ${value} AS value FROM cases WHERE ${sql.and([sql.fragment`cases.run_no = ${run_no}`, matching, ...start])}
    ORDER BY ${sortedBy(sql.fragment`value`, order)}, cases.n ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit}`}`
}

export const placesOrder = ({ order }: CaseOrder): Fragment =>
  sql.fragment`ORDER BY ${sortedBy(sql.fragment`place.value`, order)}, place.n`
