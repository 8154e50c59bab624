import { describe, expect, it } from 'vitest'
import { pairOf } from '../../../../webapp/pages/runs/use-selection.ts'

const run = (id: string, created_at: string) => ({ id, created_at, project: null, suite: null, note: null })
const [older, newer] = [run('b', '2026-03-11T08:00:00Z'), run('a', '2026-03-11T08:00:00.001Z')]

describe('pairOf', () => {
  it('uses the older run as the base, in any order of selection', () => {
    expect(pairOf([older, newer])).toEqual({ base: older, head: newer })
    expect(pairOf([newer, older])).toEqual({ base: older, head: newer })
  })
  it('orders runs of the same instant by id', () =>
    expect(pairOf([run('b', older.created_at), run('a', older.created_at)])?.base.id).toBe('a'))
  it('returns null unless there are two runs', () =>
    expect([pairOf([older]), pairOf([older, newer, older])]).toEqual([null, null]))
})
