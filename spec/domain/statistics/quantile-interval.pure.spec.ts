import { describe, expect, it } from 'vitest'
import { seededNumbers } from '../../../domain/statistics/bootstrap.ts'
import { bootstrapRanks, quantileIntervals, rememberedRanks } from '../../../domain/statistics/quantile-interval.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const normals = (seed: string): (() => number) => {
  const draw = seededNumbers(seed)
  const uniform = () => (draw() + 0.5) / 2 ** 32
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

describe('the interval of a quantile', () => {
  it.each(reference.resampled_quantiles.cases)('has the ranks of all resamples: $n values, $share', (known) =>
    expect(bootstrapRanks(known.n, known.share)).toEqual(known.ranks),
  )

  it('is what resampling approaches', () => {
    const normal = normals('resampled')
    const values = Array.from({ length: 101 }, () => Math.exp(normal())).sort((a, b) => a - b)
    const draw = seededNumbers('resampled/draws')
    const medians = Float64Array.from({ length: 9_999 }, () => {
      const resample = Float64Array.from({ length: 101 }, () => values[Math.floor((draw() / 2 ** 32) * 101)] ?? NaN)
      return resample.sort()[50] ?? NaN
    }).sort()
    const [median] = quantileIntervals(values, [0.5], null) ?? []
    // A place among 101 values is as near as 9,999 resamples come.
    const near = (value: number | null | undefined) => values.indexOf(value ?? NaN)
    expect(Math.abs(near(median?.lower) - near(medians[249]))).toBeLessThanOrEqual(1)
    expect(Math.abs(near(median?.upper) - near(medians[9_749]))).toBeLessThanOrEqual(1)
  })

  it('takes trials of a test together', () => {
    const { values, median, p95 } = reference.clustered_quantiles
    const groups = values.map((_, i) => Math.floor(i / 4))
    const found = quantileIntervals(values, [0.5, 0.95], groups) ?? []
    expect(found.map(({ value, lower, upper }) => [value, lower, upper])).toEqual([median, p95])
  })

  it('contains the true quantile in about 95 of 100 samples', () => {
    const normal = normals('coverage')
    const ranks = rememberedRanks()
    const share = (samples: number, of: () => boolean) =>
      Array.from({ length: samples }, of).filter(Boolean).length / samples
    const contains = (truth: number, values: number[], at: number, groups: number[] | null) => {
      const [found] = quantileIntervals(values, [at], groups, ranks) ?? []
      return (found?.lower ?? NaN) <= truth && truth <= (found?.upper ?? NaN)
    }
    const alone = () => Array.from({ length: 200 }, () => Math.exp(normal()))
    expect(share(1_000, () => contains(1, alone(), 0.5, null))).toBeCloseTo(0.95, 1.2)
    expect(share(1_000, () => contains(Math.exp(1.6448536269514722), alone(), 0.95, null))).toBeGreaterThan(0.91)
    // Four trials of 50 tests, of whose variance 70 % is between tests. As independent values, 80 of 100 would contain it.
    const groups = Array.from({ length: 200 }, (_, i) => Math.floor(i / 4))
    const trials = () => {
      const tests = Array.from({ length: 50 }, () => normal() * Math.sqrt(0.7))
      return groups.map((test) => Math.exp((tests[test] ?? 0) + normal() * Math.sqrt(0.3)))
    }
    expect(share(1_000, () => contains(1, trials(), 0.5, groups))).toBeGreaterThan(0.93)
    expect(share(1_000, () => contains(1, trials(), 0.5, null))).toBeLessThan(0.85)
  })

  it('is absent where too few values are beyond the quantile', () => {
    const values = (n: number) => Array.from({ length: n }, (_, i) => i)
    const ends = (n: number, at: number, groups: number[] | null = null) =>
      quantileIntervals(values(n), [at], groups)?.map(({ lower, upper }) => [lower === null, upper === null])
    expect(quantileIntervals([], [0.5], null)).toBeNull()
    expect(quantileIntervals([7], [0.5], null)).toEqual([{ value: 7, lower: null, upper: null }])
    expect([ends(4, 0.5), ends(5, 0.5)]).toEqual([[[true, true]], [[false, false]]])
    expect([ends(49, 0.95), ends(50, 0.95)]).toEqual([[[true, true]], [[false, false]]])
    expect(
      ends(
        50,
        0.95,
        values(50).map((i) => i >> 1),
      ),
    ).toEqual([[true, true]])
  })
})
