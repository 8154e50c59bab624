import { expect, it } from 'vitest'
import { lastFlip, splitFlaky } from '../../../../webapp/pages/suite/flaky-cases.ts'

it.each([
  ['ppp', -1],
  ['ppf', 2],
  ['pfsx.f', 1],
  ['p~f', 1],
  ['s.p', -1],
])('%s changed last in run %i', (marks, run) => expect(lastFlip(marks)).toBe(run))

it('a regression that stays is changed, not flaky; the newest change is first, and both kinds have room', () => {
  const flaky = Array.from({ length: 9 }, () => ({ marks: 'pfpfp', flaky: true, flips: 4 }))
  const [old, recent] = [
    { marks: 'pffff', flaky: false, flips: 1 },
    { marks: 'pppff', flaky: false, flips: 1 },
  ]
  expect(splitFlaky([old, recent])).toEqual({ flaky: [], changed: [recent, old] })
  const both = splitFlaky([...flaky, old, recent, old])
  expect([both.flaky.length, both.changed.length]).toEqual([4, 2])
})
