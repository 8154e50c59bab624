import type { CaseList, CaseListItem } from '../../queries/cases/cases.ts'

export type Direction = 'previous' | 'next'
/**
 * Fetches a page of a run's cases that match the list's filters: at most `limit` cases after the index `after`, or from
 * the start if it is null.
 */
export type FetchCasePage = (after: number | null, limit: number, status: string | null) => Promise<CaseList>

/**
 * The case next to `index` in a list, of the same status if `sameStatus`. Null at the end of the list; undefined if it may
 * be a case that is not loaded.
 */
export const neighbourInList = (
  cases: ReadonlyArray<CaseListItem | undefined>,
  index: number,
  direction: Direction,
  sameStatus: boolean,
): CaseListItem | null | undefined => {
  const step = direction === 'next' ? 1 : -1
  const status = cases[index]?.status
  for (let n = index + step; n >= 0 && n < cases.length; n += step) {
    const candidate = cases[n]
    if (!candidate) return undefined
    if (!sameStatus || candidate.status === status) return candidate
  }
  return null
}

const MAX_PAGE_CASES = 200
const FIRST_WINDOW = 50

/**
 * The nearest case before the index `idx`. Searches windows before it, each four times as wide as the previous one,
 * until a window contains a case or reaches the start of the list.
 */
const nearestBefore = async (
  fetchPage: FetchCasePage,
  idx: number,
  status: string | null,
): Promise<CaseListItem | null> => {
  for (let width = FIRST_WINDOW; ; width *= 4) {
    const start = idx - width - 1
    let after: number | null = start < 0 ? null : start
    let nearest: CaseListItem | null = null
    for (;;) {
      const { cases, next_cursor }: CaseList = await fetchPage(after, MAX_PAGE_CASES, status)
      nearest = cases.findLast((candidate) => candidate.idx < idx) ?? nearest
      const last = cases.at(-1)
      if (!last || next_cursor === null || last.idx >= idx) break
      after = last.idx
    }
    if (nearest || start < 0) return nearest
  }
}

/** The case next to the index `idx` of the document, fetched from the server; null if there is none. */
export const neighbourOnServer = async (
  fetchPage: FetchCasePage,
  idx: number,
  direction: Direction,
  status: string | null,
): Promise<CaseListItem | null> => {
  if (direction === 'previous') return idx === 0 ? null : nearestBefore(fetchPage, idx, status)
  const { cases } = await fetchPage(idx, 1, status)
  return cases[0] ?? null
}
