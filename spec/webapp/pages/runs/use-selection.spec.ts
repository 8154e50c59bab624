import { describe, expect, it } from 'vitest'
import { inOrder } from '../../../../webapp/pages/runs/use-selection.ts'

const run = (id: string, created_at: string) => ({ id, created_at, project: null, suite: null, note: null })
const [older, newer] = [run('b', '2026-03-11T08:00:00Z'), run('a', '2026-03-11T08:00:00.001Z')]

describe('inOrder', () => {
  it('puts the run that finished first first, whatever the order of selection', () => {
    expect(inOrder([older, newer])).toEqual([older, newer])
    expect(inOrder([newer, older])).toEqual([older, newer])
  })
  it('decides by id if two runs finished at the same time', () =>
    expect(inOrder([run('b', older.created_at), run('a', older.created_at)])[0]?.id).toBe('a'))
})
