import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as agreement from '../../../domain/statistics/agreement.ts'
import { dependenceOf, designEffect } from '../../../domain/statistics/dependence.ts'
import { fisherExact } from '../../../domain/statistics/fisher-exact.ts'
import { judgeMeasures, ownCalibratedRate, posteriorOf } from '../../../domain/statistics/judge.ts'
import { expectedHalfWidth, labelsByVerdict, labelsNeeded } from '../../../domain/statistics/planning.ts'
import { DRAWS, estimateOf, rateDraws, widened } from '../../../domain/statistics/posterior.ts'
import { ppiMean, type Predicted } from '../../../domain/statistics/ppi.ts'
import { betaQuantiles, incompleteBeta } from '../../../domain/statistics/quantiles.ts'

const count = fc.integer({ min: 0, max: 2_000 })

describe('quantiles of the beta distribution', () => {
  it('are the values below which the probabilities lie, in ascending order', () =>
    fc.assert(
      fc.property(count, count, (x, rest) => {
        const points = Float64Array.from({ length: 64 }, (_, i) => (i + 0.5) / 64)
        const quantiles = betaQuantiles(x + 0.5, rest + 0.5, points)
        points.forEach((p, i) => {
          const at = quantiles[i] ?? NaN
          // Near 1 a last digit of the quantile is more than one of the probability.
          if (at < 0.999) expect(Math.abs(incompleteBeta(x + 0.5, rest + 0.5, at) - p)).toBeLessThan(1e-10)
          expect(at).toBeGreaterThanOrEqual(i === 0 ? 0 : (quantiles[i - 1] ?? 0))
        })
      }),
      { numRuns: 40 },
    ))
  it('are mirrored with the counts', () => {
    const [low] = betaQuantiles(45.5, 5.5, Float64Array.of(0.1))
    const [high] = betaQuantiles(5.5, 45.5, Float64Array.of(0.9))
    expect((low ?? 0) + (high ?? 0)).toBeCloseTo(1, 13)
  })
})

describe('draws', () => {
  it('are in the order of their points, and the same each time', () => {
    const draws = rateDraws('run', 7, 10)
    expect(draws).toHaveLength(DRAWS)
    expect(draws).toEqual(rateDraws('run', 7, 10))
    // The first points of base 2 are 1/2, 1/4 and 3/4.
    const [middle, quarter, most] = draws
    expect(quarter).toBeLessThan(middle ?? 0)
    expect(most).toBeGreaterThan(middle ?? 1)
    expect(estimateOf(draws).estimate).toBeCloseTo(0.69, 2)
  })
  it('have limits that a factor of 1 leaves, and a larger one moves within their scale', () => {
    const limits = { estimate: 0.9, lower: 0.7, upper: 0.98 }
    for (const scale of ['share', 'coefficient', 'difference'] as const) {
      const same = widened(limits, 1, scale)
      expect(same.lower).toBeCloseTo(0.7, 12)
      const wide = widened(limits, 2, scale)
      expect(wide.lower).toBeLessThan(0.7)
      expect(wide.upper).toBeGreaterThan(0.98)
      if (scale !== 'difference') expect(wide.upper).toBeLessThan(1)
    }
  })
})

describe('a judge', () => {
  it('has numbers for whatever was counted', () =>
    fc.assert(
      fc.property(count, count, count, count, count, count, (x1, f1, x0, f0, passed, failed) => {
        fc.pre(passed + failed > 0)
        const posterior = posteriorOf({ x1, m1: x1 + f1, x0, m0: x0 + f0 }, { passed, total: passed + failed })
        for (const { estimate, lower, upper } of [
          ownCalibratedRate(posterior),
          ...Object.values(judgeMeasures(posterior)),
        ]) {
          expect(lower).toBeLessThanOrEqual(estimate)
          expect(upper).toBeGreaterThanOrEqual(estimate)
        }
      }),
      { numRuns: 12 },
    ))
})

describe('cases that depend on each other', () => {
  const none = { pool: 0, passed: 0, failed: 0 }
  const gradient = { run: 1, pool: 0, passed: 0, failed: 0 }
  it('count as one if they are equal', () => {
    const rows = [1, -1, 1, -1].flatMap((run, group) => [0, 1, 2].map(() => ({ ...none, group, run })))
    const dependence = dependenceOf(rows)
    // Three equal cases a group: three times the variance, and 4/3 for the few groups.
    expect(dependence && designEffect(dependence, gradient).design_effect).toBeCloseTo(4, 12)
  })
  it('never make an interval narrower than independent ones', () => {
    const dependence = dependenceOf([1, -1, 1, -1].map((run, i) => ({ ...none, group: Math.floor(i / 2), run })))
    const found = dependence && designEffect(dependence, gradient)
    expect(found?.design_effect).toBe(0)
    expect(found?.factor).toBeGreaterThan(1)
  })
  it('need two groups', () => expect(dependenceOf([{ ...none, group: 'a', run: 1 }])).toBeNull())
})

describe("Fisher's exact test", () => {
  it('is symmetric, and 1 for equal rates', () =>
    fc.assert(
      fc.property(fc.tuple(count, count), fc.tuple(count, count), ([a, b], [c, d]) => {
        const p = fisherExact([a, b], [c, d])
        expect(p).toBeGreaterThanOrEqual(0)
        expect(p).toBeLessThanOrEqual(1)
        expect(fisherExact([c, d], [a, b])).toBeCloseTo(p, 9)
        expect(fisherExact([b, a], [d, c])).toBeCloseTo(p, 9)
        expect(fisherExact([a, b], [a, b])).toBe(1)
      }),
    ))
  it('does not overflow', () => expect(fisherExact([50_000, 0], [0, 50_000])).toBe(0))
})

describe('labels that are needed', () => {
  it('reach the half width', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 5_000 }),
        fc.integer({ min: 50, max: 5_000 }),
        fc.double({ min: 0.02, max: 0.2, noNaN: true }),
        (passed, failed, half) => {
          const labels = { x1: 45, m1: 50, x0: 10, m0: 50 }
          const found = labelsByVerdict(labels, { passed, failed }, half)
          if (found === null) return
          expect(found.passed).toBeLessThanOrEqual(passed)
          expect(found.failed).toBeLessThanOrEqual(failed)
          const run = { n: passed + failed, w: passed / (passed + failed) }
          // Whole labels in each verdict miss the best shares by half a label.
          expect(expectedHalfWidth(labels, run, found)).toBeLessThanOrEqual(half * 1.001)
        },
      ),
    ))
  it('are more of the other verdict where one has too few cases', () => {
    const labels = { x1: 119, m1: 140, x0: 15, m0: 72 }
    expect(labelsNeeded(labels, { n: 500, w: 391 / 500 }, 0.04).labels).toBe(494)
    expect(labelsByVerdict(labels, { passed: 391, failed: 109 }, 0.04)).toEqual({ passed: 386, failed: 109 })
    expect(labelsByVerdict(labels, { passed: 391, failed: 109 }, 0.03)).toBeNull()
  })
  it('are ten of each verdict, or all of it', () => {
    const none = { x1: 0, m1: 0, x0: 0, m0: 0 }
    expect(labelsByVerdict(none, { passed: 990, failed: 10 }, 0.1)).toEqual({ passed: 96, failed: 10 })
    expect(labelsByVerdict(none, { passed: 996, failed: 4 }, 0.1)).toEqual({ passed: 97, failed: 4 })
  })
  it('are more by the design effect', () => {
    const labels = { x1: 45, m1: 50, x0: 10, m0: 50 }
    const [single, double] = [1, 2].map(
      (effect) => labelsNeeded(labels, { n: 5_000, w: 0.7 }, 0.05, effect).labels ?? 0,
    )
    expect(double).toBeGreaterThan(2 * (single ?? 0))
  })
  it('without any in a verdict show nothing', () =>
    expect(expectedHalfWidth({ x1: 0, m1: 0, x0: 0, m0: 0 }, { n: 100, w: 0.5 }, { passed: 50, failed: 0 })).toBeNull())
})

describe('the mean that people would give', () => {
  const predicted = (
    values: ReadonlyArray<readonly [judged: number, label: number | null]>,
    groupOf = (i: number): unknown => i,
  ): Predicted[] => values.map(([judged, label], i) => ({ group: groupOf(i), judged, label }))
  const values = Array.from(
    { length: 60 },
    (_, i) => [((i * 37) % 100) / 100, i < 20 ? ((i * 53) % 90) / 100 : null] as const,
  )
  it('is that of each stratum by its share', () => {
    const [one, other] = [
      predicted(values),
      predicted(
        values.map(([judged, label]) => [judged / 2, label === null ? null : label / 2]),
        (i) => -1 - i,
      ),
    ]
    const [alone, half, both] = [ppiMean([one]), ppiMean([other]), ppiMean([one, other, []])]
    expect(both?.estimate).toBeCloseTo(((alone?.estimate ?? NaN) + (half?.estimate ?? NaN)) / 2, 12)
    expect(both?.se).toBeCloseTo(Math.hypot(alone?.se ?? NaN, half?.se ?? NaN) / 2, 12)
    expect(both?.df).toBe(38)
  })
  it('is less certain where cases of a test are equal', () => {
    const trials = values.flatMap((value) => [value, value, value])
    const [single, grouped] = [ppiMean([predicted(trials)]), ppiMean([predicted(trials, (i) => Math.floor(i / 3))])]
    expect(grouped?.estimate).toBe(single?.estimate)
    expect(grouped?.se).toBeGreaterThan(1.6 * (single?.se ?? NaN))
    expect(grouped?.df).toBe(59)
  })
  it('is that of the labels alone if all cases have one', () => {
    const found = ppiMean([predicted(values.slice(0, 20))])
    expect(found).toMatchObject({ lambda: 0, df: 19 })
    expect(found?.estimate).toBeCloseTo(
      values.slice(0, 20).reduce((sum, [, label]) => sum + (label ?? 0) / 20, 0),
      12,
    )
  })
  it('needs two labels in each stratum', () => {
    expect(ppiMean([predicted(values.slice(19))])).toBeNull()
    expect(ppiMean([])).toBeNull()
    expect(ppiMean([predicted(values, () => 'one test')])).toBeNull()
  })
})

describe('coefficients of agreement', () => {
  const label = fc.integer({ min: 0, max: 3 })
  const items = fc.array(fc.array(label, { maxLength: 4 }), { maxLength: 30 })
  const all = (ratings: number[][], groups: readonly unknown[] | null = null) =>
    [agreement.gwet, agreement.fleissKappa, agreement.krippendorffAlpha].map((of) => of(ratings, undefined, groups))
  it('are at most 1, between their limits, and null without two items or two categories', () =>
    fc.assert(
      fc.property(items, (ratings) => {
        for (const found of all(ratings)) {
          if (found === null) continue
          expect(found.estimate).toBeLessThanOrEqual(1 + 1e-12)
          expect(found.lower).toBeLessThanOrEqual(found.estimate + 1e-9)
          expect(found.upper).toBeGreaterThanOrEqual(Math.min(1, found.estimate) - 1e-9)
        }
      }),
    ))
  it('do not depend on the order of items and labels, nor on the names of categories', () =>
    fc.assert(
      fc.property(items, (ratings) => {
        const turned = ratings.map((labels) => labels.map((each) => 10 - each).reverse()).reverse()
        const found = all(turned)
        all(ratings).forEach((each, i) => {
          if (each === null) expect(found[i]).toBeNull()
          else expect(found[i]?.estimate).toBeCloseTo(each.estimate, 9)
        })
      }),
    ))
  it('are less certain where items of a test are labelled alike', () => {
    const ratings = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? [0, 1] : i % 4 < 3 ? [1, 1] : [0, 0]))
    const trials = ratings.flatMap((labels) => [labels, labels, labels])
    const groups = trials.map((_, i) => Math.floor(i / 3))
    const [single, grouped] = [all(trials), all(trials, groups)]
    single.forEach((each, i) => {
      expect(grouped[i]?.estimate).toBe(each?.estimate)
      expect(grouped[i]?.units).toBe(40)
      expect(grouped[i]?.se).toBeGreaterThan(1.6 * (each?.se ?? NaN))
      expect(grouped[i]?.lower).toBeLessThan(each?.lower ?? NaN)
    })
    const [narrow, wide] = [
      agreement.percentAgreement(trials),
      agreement.percentAgreement(trials, agreement.nominal, groups),
    ]
    expect(wide?.lower).toBeLessThan(narrow?.lower ?? NaN)
  })
})
