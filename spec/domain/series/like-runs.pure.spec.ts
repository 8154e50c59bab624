import { describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { likeRuns, stillFailing } from '../../../domain/series/like-runs.ts'
import { readOutline, packOutline } from '../../../domain/series/outline.ts'
import { flakiness } from '../../../domain/statistics/flakiness.ts'

type Given = {
  readonly test: string
  readonly status?: CaseStatus
  readonly repeat?: number
  readonly prompt?: string | null
}

const aRun = (cases: readonly Given[]) =>
  readOutline(
    packOutline(
      cases.map(({ test, status = 'pass', repeat = 0, prompt = null }, n) => ({
        n,
        history_key: n + repeat * 1000,
        status,
        provider_id: 'model',
        prompt_id: null,
        test_id: test,
        prompt_digest: prompt,
        provider_digest: null,
        assert_digest: null,
      })),
    ),
  )
const tests = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ test: `t${from + i}` }))
/** The tallies of a series of single-case runs, newest first. */
const measureRuns = (runs: ReadonlyArray<readonly Given[]>) => {
  const like = likeRuns()
  for (const run of runs) like.add(aRun(run))
  return like.units().map(({ tally }) => flakiness(tally))
}

describe('like runs', () => {
  it('have at least 60 % of the cases of the newest run', () => {
    const like = likeRuns()
    expect(
      [tests(10), tests(6), tests(5), [...tests(6, 4), ...tests(100, 20)], [...tests(5, 5), ...tests(100, 20)]].map(
        (run) => like.add(aRun(run)),
      ),
    ).toEqual([true, true, false, true, false])
    expect(like.count()).toBe(3)
  })

  it('count the trials of a test as one case of both', () => {
    const like = likeRuns()
    const trials = tests(2).flatMap(({ test }) => [0, 1, 2].map((repeat) => ({ test, repeat })))
    expect([trials, tests(2), tests(1)].map((run) => like.add(aRun(run)))).toEqual([true, true, false])
  })

  it('follow each test over its runs, and fold its trials', () => {
    const one = (status: CaseStatus) => [{ test: 't', status }]
    const trials = (...statuses: readonly CaseStatus[]) =>
      statuses.map((status, repeat) => ({ test: 't', status, repeat }))
    expect(measureRuns([one('pass'), one('fail'), one('skip'), one('error'), one('xpass')])).toMatchObject([
      { points: 4, flips: 2 },
    ])
    expect(measureRuns([trials('pass', 'fail'), trials('pass', 'pass'), trials('fail', 'fail')])).toMatchObject([
      { points: 3, flips: 2, pass_rate: 0.5 },
    ])
  })

  it('end for a test where a digest changes that both runs have', () => {
    const at = (status: CaseStatus, prompt: string | null) => [{ test: 't', status, prompt }]
    expect(measureRuns([at('pass', 'b'), at('fail', 'b'), at('pass', 'a'), at('fail', 'a')])).toMatchObject([
      { points: 2, flips: 1 },
    ])
    expect(measureRuns([at('pass', 'a'), at('fail', null), at('pass', 'a')])).toMatchObject([{ points: 3, flips: 2 }])
    expect(measureRuns([at('pass', 'b'), at('fail', null), at('pass', 'a')])).toMatchObject([{ points: 2, flips: 1 }])
  })

  it.each([
    ['fail fail pass', { cases: 1, runs: 2 }],
    ['fail error skip fail pass', { cases: 1, runs: 3 }],
    ['fail pass', { cases: 0, runs: 0 }],
    ['fail fail', { cases: 0, runs: 0 }],
    ['pass fail fail pass', { cases: 0, runs: 0 }],
    ['skip fail fail pass', { cases: 0, runs: 0 }],
    ['fail fail pass fail pass fail', { cases: 0, runs: 0 }],
  ])('know a test that fails since several runs and passed before: %s', (newestFirst, expected) => {
    const like = likeRuns()
    for (const status of newestFirst.split(' ')) like.add(aRun([{ test: 't', status: status as CaseStatus }]))
    expect(stillFailing(like.units())).toEqual(expected)
  })
})
