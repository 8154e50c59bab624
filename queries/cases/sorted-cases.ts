import { sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import type { CaseRow } from '../../domain/run/columns.ts'
import type { CaseStatus } from '../../domain/run/document.ts'
import { after, sortedBy } from '../sort-order.ts'
import type { SortOrder } from '../sort-order.ts'

// The cases of a run in another order than that of the document. Such a list reads and sorts all cases of the run that
// match. An index for each order would cost an entry in each for every case that is stored.

export const CASE_SORTS = ['document', 'status', 'score', 'latency', 'cost', 'name'] as const
export type CaseSort = (typeof CASE_SORTS)[number]
export type CaseOrder = SortOrder<CaseSort>

export const isDocumentOrder = ({ sort, order }: CaseOrder): boolean => sort === 'document' && order === 'asc'

/** From what needs attention to what does not. */
const STATUS_ORDER: Readonly<Record<CaseStatus, number>> = { fail: 0, error: 1, xpass: 2, skip: 3, xfail: 4, pass: 5 }

type Sorted = Pick<CaseRow, 'n' | 'status' | 'score' | 'latency_ms' | 'cost_micro' | 'name' | 'test_id' | 'case_key'>

/**
 * The value by which a list is sorted. A score of 0 of a skipped case and a latency of 0 were not measured. A case
 * without a name is shown with its test, or with its key.
 */
const VALUES: Readonly<Record<CaseSort, { sql: Fragment; of: (row: Sorted) => number | string | null }>> = {
  document: { sql: sql.fragment`cases.n`, of: ({ n }) => n },
  status: {
    sql: sql.fragment`(CASE cases.status ${sql.join(
      Object.entries(STATUS_ORDER).map(
        ([status, place]) => sql.fragment`WHEN ${status} THEN CAST(${place} AS integer)`,
      ),
      sql.fragment` `,
    )} END)`,
    of: ({ status }) => STATUS_ORDER[status],
  },
  score: {
    sql: sql.fragment`(CASE WHEN cases.status = 'skip' THEN nullif(cases.score, 0) ELSE cases.score END)`,
    of: ({ status, score }) => (status === 'skip' && score === 0 ? null : score),
  },
  latency: { sql: sql.fragment`nullif(cases.latency_ms, 0)`, of: ({ latency_ms }) => latency_ms || null },
  cost: { sql: sql.fragment`cases.cost_micro`, of: ({ cost_micro }) => cost_micro },
  name: {
    sql: sql.fragment`coalesce(cases.name, cases.test_id, cases.case_key)`,
    of: ({ name, test_id, case_key }) => name ?? test_id ?? case_key,
  },
}

/** A position in a sorted list: the value of its last case, and the index of that case. */
export type SortedCasePosition = { readonly value: number | string | null; readonly n: number }

/** The position of a case in a list in this order. */
export const positionOf = ({ sort }: CaseOrder, row: Sorted): SortedCasePosition => ({
  value: VALUES[sort].of(row),
  n: row.n,
})

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
  const value = VALUES[sort].sql
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

/** Compares positions as the database does. */
export const comparePositions =
  ({ order }: CaseOrder) =>
  (a: SortedCasePosition, b: SortedCasePosition): number => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || a.n - b.n
    const difference =
      typeof a.value === 'string' || typeof b.value === 'string'
        ? Buffer.compare(Buffer.from(String(a.value)), Buffer.from(String(b.value)))
        : a.value - b.value
    return (order === 'asc' ? difference : -difference) || a.n - b.n
  }
