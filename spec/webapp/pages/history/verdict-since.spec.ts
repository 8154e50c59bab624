import { describe, expect, it } from 'vitest'
import type { Status } from '../../../../webapp/runs/statuses.ts'
import { lastChange, verdictSince } from '../../../../webapp/pages/history/verdict-since.ts'

/** Runs of these statuses, newest first, a day apart; the newest is of 28 August. */
const runs = (...statuses: readonly Status[]) =>
  statuses.map((status, i) => ({ status, created_at: new Date(Date.UTC(2025, 7, 28 - i)).toISOString() }))

describe('since when a case passes or fails', () => {
  it.each<[readonly Status[], string]>([
    [['fail', 'error', 'pass'], 'Failing since 27 Aug 2025 (2 runs)'],
    [['xpass', 'fail', 'pass'], 'Passing since 28 Aug 2025 (1 run)'],
    [['skip', 'fail', 'xfail', 'fail', 'pass'], 'Failing since 25 Aug 2025 (2 runs); no verdict in the newest run'],
    [['pass', 'pass'], 'Passing in all 2 runs'],
    [['fail'], 'Failing in its only run'],
    [['skip', 'xfail'], 'No verdict in any run'],
  ])('%j', (statuses, text) => expect(verdictSince(runs(...statuses), false, 'UTC').text).toBe(text))

  it('is about the newest runs if there are older ones', () =>
    expect(verdictSince(runs('fail', 'fail'), true, 'UTC')).toEqual({
      text: 'Failing in the newest 2 runs',
      isPass: false,
    }))
})

it.each<[readonly Status[], number]>([
  [['fail', 'fail', 'pass', 'fail'], 1],
  [['pass', 'fail'], 0],
  [['skip', 'fail', 'skip', 'pass'], 1],
  [['pass', 'xpass', 'skip'], 0],
  [[], 0],
])('the verdict of %j changed last at index %i', (statuses, index) => expect(lastChange(runs(...statuses))).toBe(index))
