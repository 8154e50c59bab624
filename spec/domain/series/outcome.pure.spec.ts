import { describe, expect, it } from 'vitest'
import { isBetter, isWorse, newChange } from '../../../domain/series/outcome.ts'
import { mcnemar } from '../../../domain/statistics/statistics.ts'

const counted = (worse: number, better: number) => ({ worse, better, p: mcnemar(worse, better).p_value })
const points = (...passed: readonly number[]) => passed.map((each) => ({ passed: each, total: 100 }))

it('a comparison of two runs is worse or better from six changed cases of one direction on', () => {
  expect([5, 6].map((n) => isWorse(counted(n, 0)))).toEqual([false, true])
  expect([5, 6].map((n) => isBetter(counted(0, n)))).toEqual([false, true])
  expect([isBetter(counted(6, 0)), isWorse(counted(0, 6)), isWorse(counted(0, 0))]).toEqual([false, false, false])
})

describe('a new change of a trend', () => {
  const level = [90, 91, 89, 90, 92, 90, 89, 91]
  /** Which run confirms a change, and the first run of that change. */
  const confirmed = (...passed: readonly number[]) =>
    passed.flatMap((_, n) => {
      const change = newChange(points(...passed.slice(0, n + 1)))
      return change ? [[n, change.from]] : []
    })

  it('is confirmed once, by the fourth run of it', () => {
    expect(confirmed(...level, 60, 61, 59, 60, 62, 60, 61)).toEqual([[11, 8]])
    const change = newChange(points(...level, 60, 61, 59, 60))
    expect([change?.before.passed, change?.after.passed]).toEqual([722, 240])
  })

  it('is not found in a level trend, after one bad run, nor in too few runs', () => {
    expect(confirmed(...level, 90, 91, 89)).toEqual([])
    expect(confirmed(...level, 60)).toEqual([])
    expect(confirmed(90, 10)).toEqual([])
    expect(newChange([])).toBeNull()
  })

  it('is found again when the rate comes back', () =>
    expect(confirmed(...level, 60, 61, 59, 60, 61, 90, 91, 89, 90, 91)).toEqual([
      [11, 8],
      [16, 13],
    ]))
})
