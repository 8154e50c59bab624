import { expect, it } from 'vitest'
import { changeBetween } from '../../../domain/series/change.ts'
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
