import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bootstrapInterval, MAX_RESAMPLED, seededNumbers, bootstrapSeed } from '../../../domain/statistics/bootstrap.ts'
import { clusteredMean, meanInterval, meanOf, median } from '../../../domain/statistics/means.ts'
import { MIN_CHANGED, midP, pairedDifference, pairedVerdict } from '../../../domain/statistics/paired-rates.ts'
import { mcnemar, passRate } from '../../../domain/statistics/statistics.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const { wilson, mcnemar_exact, paired_difference, paired_scores: scores } = reference
const near = (value: number | null | undefined, known: number, tolerance: number): void => {
  expect(Math.abs((value ?? NaN) - known)).toBeLessThanOrEqual(tolerance)
}

it.each([...wilson.cases.map((known) => ({ ...known, tolerance: wilson.tolerance })), ...wilson.published.cases])(
  'the pass rate of $passed of $total is from $lower to $upper',
  ({ passed, total, lower, upper }) => {
    const { tolerance } = wilson.published.cases.some((known) => known.lower === lower) ? wilson.published : wilson
    near(passRate(passed, total).lower, lower, tolerance)
    near(passRate(passed, total).upper, upper, tolerance)
  },
)

describe('the exact test', () => {
  it.each(mcnemar_exact.cases)('of $regressions worse and $fixes better', ({ regressions, fixes, p_value, mid_p }) => {
    near(mcnemar(regressions, fixes).p_value, p_value, mcnemar_exact.tolerance)
    near(midP(regressions, fixes), mid_p, mcnemar_exact.tolerance)
    near(midP(fixes, regressions), mid_p, mcnemar_exact.tolerance)
  })
  it('agrees with a published one', () => {
    const { regressions, fixes, p_value } = mcnemar_exact.published
    near(mcnemar(regressions, fixes).p_value, p_value, mcnemar_exact.tolerance)
  })
  it('decides the verdict', () => {
    expect(pairedVerdict(6, 0)).toBe('worse')
    expect(pairedVerdict(0, 6)).toBe('better')
    expect(pairedVerdict(6, 1)).toBe('no_clear_change')
    expect(pairedVerdict(5, 0)).toBe('too_few')
    expect(pairedVerdict(0, 0)).toBe('too_few')
    expect(mcnemar(MIN_CHANGED - 1, 0).p_value).toBeGreaterThan(0.05)
    expect(mcnemar(MIN_CHANGED, 0).p_value).toBeLessThan(0.05)
  })
})

describe('the difference of paired pass rates', () => {
  it.each(paired_difference.cases)('of $regressions and $fixes of $pairs', (known) => {
    const found = pairedDifference(known.regressions, known.fixes, known.pairs)
    near(found?.estimate, known.difference, paired_difference.tolerance)
    near(found?.lower, known.lower, paired_difference.tolerance)
    near(found?.upper, known.upper, paired_difference.tolerance)
  })
  it('is undefined without pairs', () => expect(pairedDifference(0, 0, 0)).toBeNull())
  it('stays between -1 and 1, and mirrors', () =>
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), fc.nat(500), (worse, better, same) => {
        const pairs = worse + better + same
        const [found, mirrored] = [pairedDifference(worse, better, pairs), pairedDifference(better, worse, pairs)]
        if (!found || !mirrored) return
        expect(found.lower).toBeGreaterThanOrEqual(-1)
        expect(found.upper).toBeLessThanOrEqual(1)
        near(found.lower, -mirrored.upper, 1e-12)
      }),
    ))
})

const differences = scores.head.map((value, i) => value - (scores.base[i] ?? 0))

describe('the mean of paired scores', () => {
  it('has the interval and the test of Student', () => {
    const found = meanInterval(differences)
    const { df, ...known } = scores.independent
    expect(found?.df).toBe(df)
    for (const [name, value] of Object.entries(known))
      near(found?.[name as keyof typeof known], value, scores.tolerance)
  })
  it.each([
    ['differences', differences, scores.clustered],
    ['scores', scores.head, scores.clustered_of_head],
  ] as const)('has a clustered error of %s', (_, values, known) => {
    const found = clusteredMean(values, scores.groups)
    expect(found).toMatchObject({ groups: known.clusters, df: known.df, few_groups: true })
    near(found?.mean, known.mean, scores.tolerance)
    near(found?.se, known.se_clustered, scores.tolerance)
    near(found?.lower, known.lower, scores.tolerance)
    near(found?.upper, known.upper, scores.tolerance)
    near(found?.p_value, known.p_value, scores.tolerance)
  })
  it('has the plain error if each value is a group of its own', () => {
    const found = clusteredMean(differences, [...differences.keys()])
    near(found?.se, scores.independent.se, scores.tolerance)
    expect(found?.few_groups).toBe(false)
  })
  it('is undefined for too few values or groups', () => {
    expect([meanInterval([]), meanInterval([1])]).toEqual([null, null])
    expect([clusteredMean([], []), clusteredMean([1, 2], ['a', 'a'])]).toEqual([null, null])
    expect(meanInterval([1e200, -1e200])).toBeNull()
  })
  it('has p-values without variance', () => {
    expect(meanInterval([0, 0, 0])).toMatchObject({ mean: 0, se: 0, t: 0, p_value: 1 })
    expect(meanInterval([1, 1, 1])).toMatchObject({ mean: 1, se: 0, t: null, p_value: 0 })
  })
  it('is finite for huge values', () => expect(meanOf([1e308, 1e308])).toBe(1e308))
  it('is not the median', () =>
    expect([median([]), median([3]), median([1, 9, 2]), median([4, 1, 3, 2])]).toEqual([null, 3, 2, 2.5]))
})

describe('the bootstrap', () => {
  it('draws the known numbers', () => {
    const draw = seededNumbers(scores.bootstrap.seed_text)
    expect(bootstrapSeed('base', 'head')).toBe(scores.bootstrap.seed_text)
    expect(scores.bootstrap.first_draws.map(() => draw())).toEqual(scores.bootstrap.first_draws)
  })
  it('has the known interval, and that of scipy within its tolerance', () => {
    const found = bootstrapInterval(differences, scores.bootstrap.seed_text)
    expect(found?.resamples).toBe(scores.bootstrap.resamples)
    near(found?.lower, scores.bootstrap.lower, scores.tolerance)
    near(found?.upper, scores.bootstrap.upper, scores.tolerance)
    near(found?.lower, scores.bootstrap_scipy_99999.lower, scores.bootstrap_scipy_99999.tolerance)
    near(found?.upper, scores.bootstrap_scipy_99999.upper, scores.bootstrap_scipy_99999.tolerance)
  })
  it('has the exact quantiles of four differences', () => {
    const { differences: four, quantile_2_5, quantile_97_5 } = scores.bootstrap_exact_small
    expect(bootstrapInterval(four, 'four')).toMatchObject({ lower: quantile_2_5, upper: quantile_97_5 })
  })
  it('is left out for one pair and for too many', () => {
    expect(bootstrapInterval([1], 'one')).toBeNull()
    expect(bootstrapInterval(new Array<number>(MAX_RESAMPLED + 1).fill(1), 'many')).toBeNull()
  })
})
