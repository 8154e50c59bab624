import { describe, expect, it } from 'vitest'
import type { CaseListItem } from '../../../queries/cases/cases.ts'
import { neighbourInList, neighbourOnServer, type FetchCasePage } from '../../../webapp/cases/case-neighbours.ts'
import { aRow } from '../../support/stores/case-rows.ts'

const rows = (['pass', 'fail', 'pass', 'pass', 'fail'] as const).map((status, idx) =>
  aRow({ case_key: `k${idx}`, idx, status }),
)
const key = (row: CaseListItem | null | undefined): string | null => row?.case_key ?? null

it.each([
  [1, 'next', false, 'k2'],
  [1, 'next', true, 'k4'],
  [3, 'previous', true, 'k2'],
  [4, 'next', false, null],
  [0, 'previous', false, null],
  [4, 'previous', true, 'k1'],
] as const)(
  'the neighbour of a case in a list for index %i (%s, same status: %s) is %s',
  (index, direction, sameStatus, found) => expect(key(neighbourInList(rows, index, direction, sameStatus))).toBe(found),
)

/** A server whose run has many cases, of which some match. It records the cursors of the requested pages. */
const serverOf = (matching: readonly number[]) => {
  const cursors: Array<number | null> = []
  const page: FetchCasePage = async (after, limit) => {
    cursors.push(after)
    const remaining = matching.filter((idx) => idx > (after ?? -1))
    const cases = remaining.slice(0, limit).map((idx) => aRow({ case_key: `k${idx}`, idx }))
    return { cases, next_cursor: remaining.length > limit ? String(cases.at(-1)?.idx) : null }
  }
  return { page, cursors }
}
const all = Array.from({ length: 10_000 }, (_, idx) => idx)

describe('the neighbour of a case on the server', () => {
  it('is found in one page if every case matches', async () => {
    const { page, cursors } = serverOf(all)
    expect(key(await neighbourOnServer(page, 5_000, 'next', null))).toBe('k5001')
    expect(key(await neighbourOnServer(page, 5_000, 'previous', null))).toBe('k4999')
    expect(cursors).toEqual([5_000, 4_949])
  })
  it('is found in a few pages if few cases match', async () => {
    const { page, cursors } = serverOf([7, 9_000])
    expect(key(await neighbourOnServer(page, 9_000, 'previous', null))).toBe('k7')
    expect(cursors.length).toBeLessThan(8)
  })
  it('is the nearest one, even if a window contains more than a page', async () => {
    const { page } = serverOf([...Array.from({ length: 700 }, (_, idx) => idx), 5_000])
    expect(key(await neighbourOnServer(page, 5_000, 'previous', null))).toBe('k699')
  })
  it('is null at both ends of the list', async () => {
    const { page } = serverOf([3])
    expect(await neighbourOnServer(page, 3, 'next', null)).toBeNull()
    expect(await neighbourOnServer(page, 3, 'previous', null)).toBeNull()
    expect(await neighbourOnServer(page, 0, 'previous', null)).toBeNull()
  })
})
