import { clusteredMean } from './means.ts'
import { incompleteBeta, SIGNIFICANCE } from './quantiles.ts'

export type QuantileInterval = { readonly value: number; readonly lower: number | null; readonly upper: number | null }

/** The rank of a quantile among `n` sorted values, from 1, by nearest rank: the quantile is an observed value. */
const rankOf = (share: number, n: number): number => Math.min(n, Math.max(1, Math.ceil(share * n)))

/** With fewer independent values on one side of a quantile, the sample may lack what lies beyond its interval. */
const FEWEST_BEYOND = 2.5

const smallestRank = (n: number, reaches: (rank: number) => boolean): number => {
  let [low, high] = [1, n]
  while (low < high) {
    const middle = (low + high) >> 1
    if (reaches(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The ranks of the bootstrap percentile interval, 95 %, of a quantile of `n` independent values. A resample has its r-th
 * smallest value at or below the k-th of the sample with the probability I(k / n; r, n - r + 1) (B. Efron, Ann. Stat. 7,
 * 1979, 1-26, section 3), so these are the ends that more and more resamples approach, without a draw.
 */
export const bootstrapRanks = (n: number, share: number): readonly [lower: number, upper: number] => {
  const rank = rankOf(share, n)
  const ends = [SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2].map((p) =>
    smallestRank(n, (k) => incompleteBeta(rank, n - rank + 1, k / n, (n - k) / n) >= p),
  )
  return [ends[0] ?? rank, ends[1] ?? rank]
}

/**
 * The same where values of one group depend on each other: the interval of the share of values at or below the quantile,
 * with residuals summed by group, taken back to values (R. S. Woodruff, JASA 47, 1952, 635-646). It is what the bootstrap
 * of groups approaches with many groups. Null for fewer than two groups.
 */
const clusteredRanks = (
  values: readonly number[],
  groups: readonly unknown[],
  value: number,
  share: number,
): readonly [lower: number, upper: number] | null => {
  const interval = clusteredMean(
    values.map((each) => (each <= value ? 1 : 0)),
    groups,
  )
  if (!interval) return null
  const margin = interval.upper - interval.mean
  const n = values.length
  return [rankOf(share - margin, n), rankOf(share + margin, n)]
}

/** Remembers the ranks of intervals: runs of one suite often have the same number of cases. */
export type RanksOf = typeof bootstrapRanks
export const rememberedRanks = (): RanksOf => {
  const known = new Map<string, ReturnType<RanksOf>>()
  return (n, share) => {
    const key = `${n}/${share}`
    const ranks = known.get(key) ?? bootstrapRanks(n, share)
    known.set(key, ranks)
    return ranks
  }
}

/**
 * Quantiles of the same values, by nearest rank, each with its 95 % interval. `groups`: which values depend on each other;
 * null if none do. Null without values; no interval where fewer than 2.5 independent values are expected on one side of the
 * quantile: a median needs 5 values, a 95th percentile 50.
 */
export const quantileIntervals = (
  values: readonly number[],
  shares: readonly number[],
  groups: readonly unknown[] | null,
  ranksOf: RanksOf = bootstrapRanks,
): QuantileInterval[] | null => {
  const n = values.length
  if (n === 0) return null
  const sorted = Float64Array.from(values).sort()
  const independent = groups ? new Set(groups).size : n
  return shares.map((share) => {
    const value = sorted[rankOf(share, n) - 1] ?? NaN
    const isFew = independent * Math.min(share, 1 - share) < FEWEST_BEYOND - 1e-9
    const ranks = isFew ? null : groups ? clusteredRanks(values, groups, value, share) : ranksOf(n, share)
    return {
      value,
      lower: ranks ? (sorted[ranks[0] - 1] ?? null) : null,
      upper: ranks ? (sorted[ranks[1] - 1] ?? null) : null,
    }
  })
}
