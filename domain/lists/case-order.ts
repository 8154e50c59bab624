import type { CaseRow } from '../run/case-columns.ts'
import type { CaseStatus } from '../run/document.ts'
import { byCodePoint } from '../text/code-point-order.ts'

// The orders of the cases of a run. The service sorts by SQL; a page without a server sorts by these functions alone.

export const CASE_SORTS = ['document', 'failures', 'status', 'score', 'latency', 'cost', 'name'] as const
export type CaseSort = (typeof CASE_SORTS)[number]

/** Errors first, because they say nothing of the system; then what failed. */
export const FAILURE_ORDER: Readonly<Record<CaseStatus, number>> = {
  error: 0,
  fail: 1,
  xpass: 2,
  skip: 3,
  xfail: 4,
  pass: 5,
}

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

/** A score of 0 of a skipped case was not measured. */
const measuredScore = ({ status, score }: Sorted): number | null => (status === 'skip' && score === 0 ? null : score)

/**
 * The value by which a list is sorted. A score of 0 of a skipped case and a latency of 0 were not measured. A case
 * without a name is shown with its test, or with its key.
 */
const VALUES: Readonly<Record<CaseSort, (row: Sorted) => number | string | null>> = {
  document: ({ n }) => n,
  failures: ({ status }) => FAILURE_ORDER[status],
  status: ({ status }) => STATUS_ORDER[status],
  score: measuredScore,
  latency: ({ latency_ms }) => latency_ms || null,
  cost: ({ cost_micro }) => cost_micro,
  name: ({ name, test_id, case_key }) => name ?? test_id ?? case_key,
}

/**
 * A position in a sorted list: the value of its last case, and the index of that case. `then` is the score, by which
 * cases of the same value are sorted, the lowest first in both directions. Undefined in an order that has no such value.
 */
export type SortedCasePosition = {
  readonly value: number | string | null
  readonly then?: number | null | undefined
  readonly n: number
}

type Order = { readonly sort: CaseSort; readonly order: 'asc' | 'desc' }

/** The position of a case in a list in this order. */
export const sortedCasePosition = ({ sort }: Pick<Order, 'sort'>, row: Sorted): SortedCasePosition => ({
  value: VALUES[sort](row),
  then: sort === 'failures' ? measuredScore(row) : undefined,
  n: row.n,
})

/** Compares numbers of which the absent ones are last. */
const compareScores = (a: number | null = null, b: number | null = null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : a - b

/** Compares positions as the database does. */
export const comparePositions =
  ({ order }: Pick<Order, 'order'>) =>
  (a: SortedCasePosition, b: SortedCasePosition): number => {
    const later = compareScores(a.then, b.then) || a.n - b.n
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || later
    const difference =
      typeof a.value === 'string' || typeof b.value === 'string'
        ? byCodePoint(String(a.value), String(b.value))
        : a.value - b.value
    return (order === 'asc' ? difference : -difference) || later
  }
