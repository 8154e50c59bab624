import { describe, expect, it } from 'vitest'
import type { CaseListItem } from '../../../queries/cases/cases.ts'
import { neighbourInList, neighbourOnServer } from '../../../webapp/cases/case-neighbours.ts'
import type { FetchCasePage } from '../../../webapp/cases/case-neighbours.ts'
import { aRow } from '../../support/stores/case-rows.ts'

const rows = (['pass', 'fail', 'pass', 'pass', 'fail'] as const).map((status, idx) =>
  aRow({ case_key: `k${idx}`, idx, status }),
)
const key = (row: CaseListItem | null): string | null => row && row.case_key

describe('the case beside one in a list', () => {
  it.each([
    [1, 'next', false, 'k2'],
    [1, 'next', true, 'k4'],
    [3, 'previous', true, 'k2'],
    [4, 'next', false, null],
    [0, 'previous', false, null],
    [4, 'previous', true, 'k1'],
  ] as const)('of place %i, %s, alike %s, is %s', (at, direction, alike, found) =>
    expect(key(neighbourInList(rows, at, direction, alike))).toBe(found),
  )
})

/** A run of many cases of which some match, paged as the server does; it counts the pages. */
const serverOf = (matching: readonly number[]) => {
  const asked: Array<number | null> = []
  const page: FetchCasePage = async (after, limit) => {
    asked.push(after)
    const behind = matching.filter((idx) => idx > (after ?? -1))
    const cases = behind.slice(0, limit).map((idx) => aRow({ case_key: `k${idx}`, idx }))
    return { cases, next_cursor: behind.length > limit ? String(cases.at(-1)?.idx) : null }
  }
  return { page, asked }
}
const all = Array.from({ length: 10_000 }, (_, idx) => idx)

describe('the case beside one on the server', () => {
  it('is found in one page where every case matches', async () => {
    const { page, asked } = serverOf(all)
    expect(key(await neighbourOnServer(page, 5_000, 'next', null))).toBe('k5001')
    expect(key(await neighbourOnServer(page, 5_000, 'previous', null))).toBe('k4999')
    expect(asked).toEqual([5_000, 4_949])
  })
  it('is found in a few pages where few match', async () => {
    const { page, asked } = serverOf([7, 9_000])
    expect(key(await neighbourOnServer(page, 9_000, 'previous', null))).toBe('k7')
    expect(asked.length).toBeLessThan(8)
  })
  it('is the nearest, even where a wide window holds more than a page', async () => {
    const { page } = serverOf([...Array.from({ length: 700 }, (_, idx) => idx), 5_000])
    expect(key(await neighbourOnServer(page, 5_000, 'previous', null))).toBe('k699')
  })
  it('is none at either end', async () => {
    const { page } = serverOf([3])
    expect(await neighbourOnServer(page, 3, 'next', null)).toBeNull()
    expect(await neighbourOnServer(page, 3, 'previous', null)).toBeNull()
    expect(await neighbourOnServer(page, 0, 'previous', null)).toBeNull()
  })
})
