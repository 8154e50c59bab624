import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casePasses, caseScore, isUndecided } from '../../../engine/assertions/score.ts'

type Scored = { status: 'pass' | 'fail' | 'error' | 'skipped'; score: number; weight: number }

const pass = (weight = 1, score = 1): Scored => ({ status: 'pass', score, weight })
const fail = (weight = 1, score = 0): Scored => ({ status: 'fail', score, weight })
const error: Scored = { status: 'error', score: 0, weight: 1 }
const skipped: Scored = { status: 'skipped', score: 0, weight: 1 }

describe('the score of a case', () => {
  it.each<[readonly Scored[], number]>([
    [[], 1],
    [[pass(), fail()], 0.5],
    [[pass(3), fail()], 0.75],
    [[pass(1, 0.5), skipped], 0.5],
    [[pass(), error, skipped], 0.5],
    [[pass(3), fail(2), error], 0.5],
    [[error, skipped], 0],
    [[error], 0],
    [[skipped], 0],
    [[fail(0)], 1],
    [[pass(0), { ...error, weight: 0 }], 0],
    [[pass(1e9), pass(1e9), fail(1e9), fail(1e9)], 0.5],
  ])('of %j is %d', (results, score) => expect(caseScore(results)).toBe(score))

  it('is at most what was earned, and in 0..1', () => {
    const result = fc.record({
      status: fc.constantFrom('pass' as const, 'fail' as const, 'error' as const, 'skipped' as const),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      weight: fc.oneof(fc.constantFrom(0, 1, 1e9), fc.double({ min: 0, max: 1e9, noNaN: true })),
    })
    fc.assert(
      fc.property(fc.array(result, { minLength: 1, maxLength: 6 }), (results) => {
        const score = caseScore(results)
        expect(score >= 0 && score <= 1).toBe(true)
        const asZeros = results.map((one) => (one.status === 'error' ? fail(one.weight) : one))
        expect(score).toBeLessThanOrEqual(caseScore(asZeros))
      }),
      { seed: 1 },
    )
  })
})

describe('the verdict of a case', () => {
  it('without a threshold, is that of every evaluated assertion', () => {
    expect(casePasses([], undefined)).toBe(true)
    expect(casePasses([pass(), skipped, error], undefined)).toBe(true)
    expect(casePasses([pass(), fail(0)], undefined)).toBe(false)
  })

  it('with a threshold, is that of the score', () => {
    expect(casePasses([pass(), fail()], 0.5)).toBe(true)
    expect(casePasses([pass(), fail()], 0.51)).toBe(false)
  })
})

describe('isUndecided', () => {
  it.each<[readonly Scored[], number, number | undefined, boolean]>([
    [[pass()], 1, undefined, true],
    [[], 1, undefined, true],
    [[pass(), fail()], 1, undefined, false],
    [[pass(), error], 1, undefined, false],
    [[pass()], 0, undefined, false],
    [[pass()], -1, undefined, false],
    [[pass(), fail()], 2, 0.75, true],
    [[pass(), fail()], 2, 0.76, false],
    [[pass(), fail()], 2, 0.25, false],
    [[pass(), fail()], 2, 0.26, true],
    [[fail()], 1, 0.5, true],
    [[], 1, 0, false],
    [[error], 1, 0.5, true],
  ])('of %j with remaining weight %d and threshold %s is %s', (results, weight, threshold, undecided) => {
    expect(isUndecided(results, weight, threshold)).toBe(undecided)
  })

  it('is false only if no result of the rest changes the verdict', () => {
    const weight = fc.integer({ min: 1, max: 8 })
    const result = fc.tuple(weight, fc.boolean()).map(([w, passes]) => (passes ? pass(w) : fail(w)))
    fc.assert(
      fc.property(
        fc.array(result, { maxLength: 4 }),
        weight,
        fc.option(fc.integer({ min: 0, max: 8 })),
        (local, rest, t) => {
          const threshold = t === null ? undefined : t / 8
          const best = casePasses([...local, pass(rest)], threshold)
          const worst = casePasses([...local, fail(rest)], threshold)
          expect(isUndecided(local, rest, threshold)).toBe(best !== worst)
        },
      ),
    )
  })
})
