import { expect, it } from 'vitest'
import { changeBetween, measureChanges } from '../../../domain/series/change.ts'
import { packMeasures, readMeasures } from '../../../domain/series/measures.ts'
import { readOutline, packOutline } from '../../../domain/series/outline.ts'
import { STATUS } from '../../support/documents/letters.ts'

const closeTo = (value: number): unknown => expect.closeTo(value, 12)

/** A run with a case for each letter; a dot leaves the case out. */
const aRun = (letters: string, testOf = (n: number) => `t${n}`) =>
  readOutline(
    packOutline(
      [...letters].flatMap((letter, n) => {
        const status = STATUS[letter]
        const ids = { provider_id: 'model', prompt_id: null, test_id: testOf(n) }
        const digests = { prompt_digest: null, provider_digest: null, assert_digest: null }
        return status ? [{ n, history_key: n, status, ...ids, ...digests }] : []
      }),
    ),
  )

it('counts the cases of both runs whose verdict changed', () => {
  const [older, newer] = ['ppppXXffessspppp.p', 'fesxsfpXfpXfxxp.pp']
  expect(changeBetween(aRun(older), aRun(newer))).toEqual({
    worse: 3,
    better: 2,
    lost: 2,
    regained: 2,
    p: 1,
    p_with_lost: 1,
    has_trials: false,
  })
})

it('tests the cases that ran in both, and again with lost ones as worse', () =>
  expect(changeBetween(aRun('pppppp'), aRun('fsssss'))).toMatchObject({
    worse: 1,
    lost: 5,
    p: 1,
    p_with_lost: closeTo(0.03125),
  }))

it('notices trials', () =>
  expect(
    changeBetween(
      aRun('pp'),
      aRun('pp', () => 't'),
    ).has_trials,
  ).toBe(true))

const measuredRun = (
  values: ReadonlyArray<readonly [cost: number | null, latency: number | null, cached?: boolean]>,
) => {
  const outline = aRun('p'.repeat(values.length), (n) => `t${n >> 1}`)
  const cases = values.map(([cost_micro, latency_ms, cached = false]) => ({
    status: 'pass' as const,
    score: null,
    cost_micro,
    latency_ms,
    prompt_tokens: null,
    completion_tokens: null,
    cached,
  }))
  return { outline, measures: readMeasures(packMeasures(cases)) }
}

it('has the ratio of cost and latency over the cases of both runs, trials together, cached answers apart', () => {
  const older = measuredRun([
    [100, 10],
    [100, 10],
    [100, 10],
    [100, 10],
    [100, null],
    [0, 10, true],
  ])
  const newer = measuredRun([
    [200, 10],
    [200, 10],
    [800, 10],
    [800, 10],
    [400, 10],
    [900, 10],
    [900, 10],
  ])
  const { cost, latency } = measureChanges(older, newer)
  // The logarithms to base 2 are 1, 1, 3, 3, 2: mean 2, of three tests.
  expect(cost).toMatchObject({ estimate: closeTo(4), pairs: 5, groups: 3, from_cache: 1 })
  expect(latency).toMatchObject({ estimate: closeTo(1), pairs: 4, groups: 2, from_cache: 1 })
  expect(measureChanges(older, measuredRun([[1, 1]]))).toEqual({ cost: null, latency: null })
})
