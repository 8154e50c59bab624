import type { CaseRow } from '../run/case-columns.ts'

// Which cases of a run a filter lists. The service filters by SQL; a page without a server filters by this function.

/** The filters of a case list but for the one that searches texts. Each is optional. */
export type CaseFacets = {
  readonly status?: string | undefined
  readonly tag?: string | undefined
  readonly provider?: string | undefined
  readonly prompt?: string | undefined
  readonly test?: string | undefined
  readonly stop_reason?: string | undefined
  readonly error_class?: string | undefined
  readonly empty_reason?: string | undefined
  readonly cached?: boolean | undefined
  /** `_from` is inclusive, `_below` is exclusive. */
  readonly score_from?: number | undefined
  readonly score_below?: number | undefined
  readonly latency_from?: number | undefined
  readonly latency_below?: number | undefined
}

type Filtered = Pick<
  CaseRow,
  | 'status'
  | 'provider_id'
  | 'prompt_id'
  | 'test_id'
  | 'stop_reason'
  | 'error_class'
  | 'empty_reason'
  | 'cached'
  | 'score'
  | 'latency_ms'
> & { readonly tags: readonly string[] }

/**
 * Whether a case matches all filters. Ranges exclude cases without the value, and cases with a latency of 0, because it
 * was not measured.
 */
export const matchesCase = (filters: CaseFacets, row: Filtered): boolean => {
  const isEqual = (wanted: string | undefined, value: string | null): boolean =>
    wanted === undefined || wanted === value
  return (
    isEqual(filters.status, row.status) &&
    isEqual(filters.provider, row.provider_id) &&
    isEqual(filters.prompt, row.prompt_id) &&
    isEqual(filters.test, row.test_id) &&
    isEqual(filters.stop_reason, row.stop_reason) &&
    isEqual(filters.empty_reason, row.empty_reason) &&
    (isEqual(filters.error_class, row.error_class) ||
      // An error of which the class is not known.
      (filters.error_class === 'unknown' && row.status === 'error' && row.error_class === null)) &&
    (filters.cached === undefined || filters.cached === (row.cached === true)) &&
    (filters.tag === undefined || row.tags.includes(filters.tag)) &&
    isWithin(row.score, filters.score_from, filters.score_below) &&
    isWithin(row.latency_ms || null, filters.latency_from, filters.latency_below)
  )
}

const isWithin = (value: number | null, from: number | undefined, below: number | undefined): boolean =>
  (from === undefined || (value !== null && value >= from)) &&
  (below === undefined || (value !== null && value < below))
