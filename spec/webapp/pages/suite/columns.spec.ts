import { expect, it } from 'vitest'
import { bestFirst, columnNames, countWith, runsWith } from '../../../../webapp/pages/suite/grid/columns.ts'
import type { GridRow, GridRun } from '../../../../webapp/pages/suite/grid/marks.ts'

const run = (id: string, pass_count: number, ...provider_ids: readonly string[]) =>
  ({ id, pass_count, case_count: 4, provider_ids, note: `note ${id}`, created_at: '2026-05-02T00:00:00Z' }) as GridRun
const suite = { project: 'p', suite: 's' }

it('the best run is first, the newest of equal ones, and marks move with their runs', () => {
  const rows = [{ marks: 'pf.' }] as GridRow[]
  const found = bestFirst([run('a', 1), run('b', 3), run('c', 1)], rows)
  expect([found.runs.map(({ id }) => id), found.rows.map(({ marks }) => marks)]).toEqual([['b', 'c', 'a'], ['f.p']])
})

it('runs are named by their providers where these tell them apart', () => {
  expect(columnNames([run('a', 1, 'm'), run('b', 1, 'n', 'o')], suite)).toEqual(['m', 'n + o'])
  expect(columnNames([run('a', 1, 'm'), run('b', 1, 'n'), run('c', 1, 'm')], suite)).toEqual([
    '2 May · m',
    'n',
    '2 May · m',
  ])
  expect(columnNames([run('a', 1, 'm'), run('b', 1, 'm')], suite)).toEqual(['note a', 'note b'])
  expect(columnNames([run('a', 1, 'm', 'n', 'o')], suite)).toEqual(['note a'])
})

it('the runs that have a test are compared, that of the cell first, eight at most', () => {
  const runs = Array.from({ length: 10 }, (_, i) => run(`r${i}`, 1))
  expect(runsWith(runs, 'p.f.......')).toEqual(['r0', 'r2'])
  expect(countWith('p.f.......')).toBe(2)
  expect(runsWith(runs, 'pppppppppp', 9)).toEqual(['r9', 'r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
})
