import type { CaseList, CaseListItem } from '../../queries/cases/cases.ts'

export type Direction = 'previous' | 'next'
/**
 * A page of a run's cases: those behind place `after` (from the start where it is null), at most `limit` of them, as
 * the list's filters want.
 */
export type PageOfCases = (after: number | null, limit: number, status: string | null) => Promise<CaseList>

/** The case beside one in a list, of the same status where `alike` asks for it; null where the list ends. */
export const besideIn = (
  cases: readonly CaseListItem[],
  at: number,
  direction: Direction,
  alike: boolean,
): CaseListItem | null => {
  const step = direction === 'next' ? 1 : -1
  const status = cases[at]?.status
  for (let n = at + step; n >= 0 && n < cases.length; n += step) {
    const each = cases[n]
    if (each && (!alike || each.status === status)) return each
  }
  return null
}

const MAX_A_PAGE = 200
const NEAR = 50

/**
 * The nearest case before a place: windows before it, each wider than the last, until one holds a case or the list
 * begins.
 */
const nearestBefore = async (page: PageOfCases, idx: number, status: string | null): Promise<CaseListItem | null> => {
  for (let width = NEAR; ; width *= 4) {
    const start = idx - width - 1
    let after: number | null = start < 0 ? null : start
    let nearest: CaseListItem | null = null
    for (;;) {
      const { cases, next_cursor }: CaseList = await page(after, MAX_A_PAGE, status)
      nearest = cases.findLast((each) => each.idx < idx) ?? nearest
      const last = cases.at(-1)
      if (!last || next_cursor === null || last.idx >= idx) break
      after = last.idx
    }
    if (nearest || start < 0) return nearest
  }
}

/** The case of a run that stands beside a place in its document, asked of the server; null where there is none. */
export const besideOnServer = async (
  page: PageOfCases,
  idx: number,
  direction: Direction,
  status: string | null,
): Promise<CaseListItem | null> => {
  if (direction === 'previous') return idx === 0 ? null : nearestBefore(page, idx, status)
  const { cases } = await page(idx, 1, status)
  return cases[0] ?? null
}
