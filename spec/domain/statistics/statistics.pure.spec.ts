import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { mcnemar, passRate } from '../../../domain/statistics/statistics.ts'

const counts = fc.nat({ max: 1_000_000 })

describe('a pass rate', () => {
  it.each([
    [2, 5, 0.4, 0.117621, 0.769276],
    [50, 100, 0.5, 0.403832, 0.596168],
  ])('for %i of %i has the published Wilson interval', (passed, total, rate, lower, upper) => {
    const result = passRate(passed, total)
    expect(result).toMatchObject({ passed, total, rate })
    expect(result.lower).toBeCloseTo(lower, 6)
    expect(result.upper).toBeCloseTo(upper, 6)
  })

  it('is zero without cases', () =>
    expect(passRate(0, 0)).toEqual({ passed: 0, total: 0, rate: 0, lower: 0, upper: 0 }))

  it('is inside its interval, and the interval inside 0 and 1', () =>
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const { rate, lower, upper } = passRate(Math.min(a, b), Math.max(a, b))
        expect(lower).toBeGreaterThanOrEqual(0)
        expect(upper).toBeLessThanOrEqual(1)
        expect(lower).toBeLessThanOrEqual(rate + 1e-12)
        expect(upper).toBeGreaterThanOrEqual(rate - 1e-12)
      }),
    ))

  it('mirrors the rate of failures', () =>
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 1_000_000 }), (a, total) => {
        const passed = a % (total + 1)
        const [passes, failures] = [passRate(passed, total), passRate(total - passed, total)]
        expect(passes.lower).toBeCloseTo(1 - failures.upper, 10)
        expect(passes.upper).toBeCloseTo(1 - failures.lower, 10)
      }),
    ))
})

describe("McNemar's test", () => {
  it.each([
    [0, 0, 0, false],
    [1, 1, 0, false],
    [5, 0, 3.2, false],
    [6, 0, 4.1667, true],
    [20, 2, 13.1364, true],
  ])('for %i regressions and %i fixes has the published statistic', (regressions, fixes, statistic, significant) => {
    const result = mcnemar(regressions, fixes)
    expect(result).toMatchObject({ regressions, fixes, significant })
    expect(result.statistic).toBeCloseTo(statistic, 4)
  })

  it.each([
    [5, 0, 2 / 2 ** 5],
    [6, 0, 2 / 2 ** 6],
    [20, 2, (2 * (1 + 22 + 231)) / 2 ** 22],
    [9, 3, (2 * (1 + 12 + 66 + 220)) / 2 ** 12],
    [0, 1000, 2 * 2 ** -1000],
  ])('for %i and %i has the exact two-sided p-value', (regressions, fixes, p) => {
    expect(mcnemar(regressions, fixes).p_value / p).toBeCloseTo(1, 12)
  })

  it('equals the sum of binomial coefficients computed in integers', () =>
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.nat({ max: 300 }), (regressions, fixes) => {
        const exact = exactP(regressions, fixes)
        expect(mcnemar(regressions, fixes).p_value / exact).toBeCloseTo(1, 11)
      }),
    ))

  it('is correct for a million changed cases', () => {
    // P(X <= k) of a binomial this large is normal up to the continuity correction; 2 * Phi(-2.0) = 0.0455002638963584.
    expect(mcnemar(501_000, 499_000).p_value).toBeCloseTo(0.0455002638963584, 3)
    expect(mcnemar(500_001, 499_999).p_value).toBeCloseTo(1 - 1 / Math.sqrt(Math.PI * 500_000), 3)
    expect(mcnemar(500_000, 500_000).p_value).toBe(1)
    expect(mcnemar(1_000_000, 0).p_value).toBe(0)
  })

  it('is symmetric in regressions and fixes', () =>
    fc.assert(
      fc.property(counts, counts, (b, c) => {
        const [first, second] = [mcnemar(b, c), mcnemar(c, b)]
        expect([first.statistic, first.significant, first.p_value]).toEqual([
          second.statistic,
          second.significant,
          second.p_value,
        ])
        expect(first.p_value).toBeGreaterThanOrEqual(0)
        expect(first.p_value).toBeLessThanOrEqual(1)
      }),
    ))

  it('finds nothing in equal numbers', () =>
    fc.assert(
      fc.property(counts, (n) => {
        expect(mcnemar(n, n)).toMatchObject({ statistic: 0, significant: false, p_value: 1 })
      }),
    ))

  it('has a smaller p-value for a larger difference with equal sum', () =>
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5000 }), fc.nat(), (sum, pick) => {
        const fewer = 1 + (pick % Math.floor(sum / 2))
        expect(mcnemar(sum - fewer + 1, fewer - 1).p_value).toBeLessThanOrEqual(mcnemar(sum - fewer, fewer).p_value)
      }),
    ))
})

const exactP = (b: number, c: number): number => {
  const n = b + c
  let term = 1n
  let sum = 0n
  for (let i = 0; i <= Math.min(b, c); i++) {
    sum += term
    term = (term * BigInt(n - i)) / BigInt(i + 1)
  }
  const scaled = (2n * sum * 10n ** 400n) / 2n ** BigInt(n)
  return Math.min(1, Number(scaled / 10n ** 100n) / 1e300)
}
