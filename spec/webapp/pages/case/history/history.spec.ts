import { describe, expect, it } from 'vitest'
import type { RunListItem } from '../../../../../queries/runs/run-list.ts'
import { historyCells } from '../../../../../webapp/pages/case/history/history.ts'

const time = (n: number): string => `2026-05-${String(n).padStart(2, '0')}T09:00:00+00:00`
// Only the fields that the strip reads.
const run = (n: number): RunListItem => ({ id: `r${n}`, created_at: time(n), note: null }) as RunListItem
const point = (n: number, status: string) => ({
  run_id: `r${n}`,
  created_at: time(n),
  status,
  score: 1,
  output_hash: null,
  output_changed: null,
  cached: null,
  prompt_tokens: null,
  completion_tokens: null,
  cost_usd: null,
  latency_ms: null,
  git_commit: null,
  config_digest: null,
})
const runs = (newest: number, oldest: number) => Array.from({ length: newest - oldest + 1 }, (_, n) => run(newest - n))

describe('the history of a case', () => {
  it('is oldest first, with a gap for a run without the case', () =>
    expect(
      historyCells(runs(3, 1), [point(3, 'pass'), point(1, 'fail')], 'r3').map(({ run_id, status }) => [
        run_id,
        status,
      ]),
    ).toEqual([
      ['r1', 'fail'],
      ['r2', null],
      ['r3', 'pass'],
    ]))

  it('marks changes of verdict, ignoring gaps and skipped cases', () => {
    const cells = historyCells(
      runs(6, 1),
      [point(6, 'fail'), point(5, 'error'), point(4, 'xpass'), point(3, 'skip'), point(1, 'pass')],
      'r6',
    )
    expect(cells.filter(({ flipped }) => flipped).map(({ run_id }) => run_id)).toEqual(['r5'])
  })

  it('takes an expected failure as no verdict, as the history page does', () => {
    const cells = historyCells(runs(3, 1), [point(3, 'pass'), point(2, 'xfail'), point(1, 'pass')], 'r3')
    expect(cells.filter(({ flipped }) => flipped)).toEqual([])
  })

  it('contains the newest twenty runs, and the open run if it is older', () => {
    const cells = historyCells(runs(25, 2), [point(25, 'pass'), point(1, 'fail')], 'r1')
    expect(cells).toHaveLength(21)
    expect([cells[0]?.run_id, cells[1]?.run_id, cells.at(-1)?.run_id]).toEqual(['r1', 'r6', 'r25'])
  })
})
