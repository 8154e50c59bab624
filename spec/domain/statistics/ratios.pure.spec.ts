import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meanInterval } from '../../../domain/statistics/means.ts'
import { pairedRatio } from '../../../domain/statistics/ratios.ts'

const alone = (pairs: ReadonlyArray<readonly [number, number]>) =>
  pairedRatio(pairs.map(([base, head], group) => ({ base, head, group })))
const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
const somePairs = fc.array(fc.tuple(positive, positive), { minLength: 2, maxLength: 30 })

describe('the ratio of paired values', () => {
  it('is the geometric mean, with the t interval of the logarithms', () => {
    // The logarithms to base 2 are 1, 2 and 3: mean 2, standard error 1 / sqrt(3), t(0.975, 2) = 4.30265.
    const { estimate, lower, upper } = alone([
      [1, 2],
      [1, 4],
      [1, 8],
    ])!
    const margin = 4.302652729696142 / Math.sqrt(3)
    expect(estimate).toBeCloseTo(4, 12)
    expect([Math.log2(lower), Math.log2(upper)]).toEqual([expect.closeTo(2 - margin, 9), expect.closeTo(2 + margin, 9)])
  })

  it('is the inverse of that in the other direction, and of any unit', () => {
    fc.assert(
      fc.property(somePairs, positive, (pairs, unit) => {
        const there = alone(pairs)
        const back = alone(pairs.map(([base, head]) => [head, base] as const))
        const scaled = alone(pairs.map(([base, head]) => [base * unit, head * unit] as const))
        if (!there || !back || !scaled) return
        expect(there.estimate * back.estimate).toBeCloseTo(1, 6)
        expect(there.p_value).toBeCloseTo(back.p_value, 6)
        expect(Math.log(scaled.estimate)).toBeCloseTo(Math.log(there.estimate), 6)
      }),
    )
  })

  it('has the p-value of the t test of the logarithms', () => {
    const pairs = [1.3, 0.8, 1.9, 2.2, 1.1].map((head) => [1, head] as const)
    expect(alone(pairs)?.p_value).toBeCloseTo(meanInterval(pairs.map(([, head]) => Math.log(head)))!.p_value, 12)
  })

  it('counts pairs of one group as dependent', () => {
    const heads = [2, 2, 2, 3, 3, 3, 4, 4, 4]
    const grouped = pairedRatio(heads.map((head) => ({ base: 1, head, group: head })))!
    const apart = alone(heads.map((head) => [1, head] as const))!
    expect(grouped.estimate).toBe(apart.estimate)
    expect(grouped.groups).toBe(3)
    expect(grouped.upper).toBeGreaterThan(apart.upper)
  })

  it('is null for one group, and for a ratio that is not finite', () => {
    expect(alone([[1, 2]])).toBeNull()
    expect(
      alone([
        [5e-324, 1e308],
        [1, 1],
      ]),
    ).toBeNull()
  })
})
