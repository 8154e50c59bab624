import type { CaseRow } from '../run/case-columns.ts'
import type { CaseStatus } from '../run/document.ts'
import { byCodePoint } from '../text/code-point-order.ts'

// The orders of the cases of a run. The service sorts by SQL; a page without a server sorts by these functions alone.

export const CASE_SORTS = ['document', 'status', 'score', 'latency', 'cost', 'name'] as const
export type CaseSort = (typeof CASE_SORTS)[number]

/** From what needs attention to what does not. */
export const STATUS_ORDER: Readonly<Record<CaseStatus, number>> = {
  fail: 0,
  error: 1,
  xpass: 2,
  skip: 3,
  xfail: 4,
  pass: 5,
}

type Sorted = Pick<CaseRow, 'n' | 'status' | 'score' | 'latency_ms' | 'cost_micro' | 'name' | 'test_id' | 'case_key'>

/**
 * The value by which a list is sorted. A score of 0 of a skipped case and a latency of 0 were not measured. A case
 * without a name is shown with its test, or with its key.
 */
const VALUES: Readonly<Record<CaseSort, (row: Sorted) => number | string | null>> = {
  document: ({ n }) => n,
  status: ({ status }) => STATUS_ORDER[status],
  score: ({ status, score }) => (status === 'skip' && score === 0 ? null : score),
  latency: ({ latency_ms }) => latency_ms || null,
  cost: ({ cost_micro }) => cost_micro,
  name: ({ name, test_id, case_key }) => name ?? test_id ?? case_key,
}

/** A position in a sorted list: the value of its last case, and the index of that case. */
export type SortedCasePosition = { readonly value: number | string | null; readonly n: number }

type Order = { readonly sort: CaseSort; readonly order: 'asc' | 'desc' }

/** The position of a case in a list in this order. */
export const sortedCasePosition = ({ sort }: Pick<Order, 'sort'>, row: Sorted): SortedCasePosition => ({
  value: VALUES[sort](row),
  n: row.n,
})

/** Compares positions as the database does. */
export const comparePositions =
  ({ order }: Pick<Order, 'order'>) =>
  (a: SortedCasePosition, b: SortedCasePosition): number => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || a.n - b.n
    const difference =
      typeof a.value === 'string' || typeof b.value === 'string'
        ? byCodePoint(String(a.value), String(b.value))
        : a.value - b.value
    return (order === 'asc' ? difference : -difference) || a.n - b.n
  }
