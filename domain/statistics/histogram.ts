import { CASE_STATUSES, type CaseStatus } from '../run/document.ts'

/** The number `n` of cases with this value and status. */
export type ValueTally = { readonly value: number; readonly status: CaseStatus; readonly n: number }

/** A bin from `from` (inclusive) to `to` (exclusive); the last bin includes `to`. */
export type Bin = { readonly from: number; readonly to: number; readonly counts: Readonly<Record<CaseStatus, number>> }

const MAX_BINS = 30

/**
 * Above this ratio of the largest to the smallest value, equal steps would put nearly all values into the first bin.
 */
const MAX_RATIO_OF_EQUAL_STEPS = 4

/**
 * Returns ascending integer edges of bins for non-negative integers (milliseconds, tokens) from `min` to `max`: equal
 * factors if the values are far apart, otherwise equal steps. The last edge is `max` + 1. There are at least two edges.
 */
export const wholeEdges = (min: number, max: number): number[] => {
  const end = max + 1
  const bins = Math.min(MAX_BINS, end - min)
  const edgeAt =
    min > 0 && max / min > MAX_RATIO_OF_EQUAL_STEPS
      ? (n: number) => min * (end / min) ** (n / bins)
      : (n: number) => min + ((end - min) * n) / bins
  const edges = Array.from({ length: bins + 1 }, (_, n) => Math.round(edgeAt(n)))
  // With equal factors, the edges of small numbers are less than one apart.
  return edges.filter((edge, n) => n === 0 || edge !== edges[n - 1])
}

/**
 * Returns ascending edges of bins for scores: twenty steps from 0 to 1, or from `min` to `max` if they are outside of
 * that range.
 */
export const scoreEdges = (min: number, max: number): number[] => {
  const [from, to] = min >= 0 && max <= 1 ? [0, 1] : [min, max === min ? min + 1 : max]
  return Array.from({ length: 21 }, (_, n) => (n === 20 ? to : from + ((to - from) * n) / 20))
}

const lastAtOrBelow = (edges: readonly number[], value: number): number => {
  let [low, high] = [0, edges.length - 2]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((edges[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** Counts values per bin and status. A value outside of the `edges` is counted in the nearest bin. */
export const histogram = (tallies: Iterable<ValueTally>, edges: readonly number[]): Bin[] => {
  const counts = edges
    .slice(1)
    .map(() => Object.fromEntries(CASE_STATUSES.map((status) => [status, 0])) as Record<CaseStatus, number>)
  for (const { value, status, n } of tallies) {
    const bin = counts[lastAtOrBelow(edges, value)]
    if (bin) bin[status] += n
  }
  return counts.map((byStatus, n) => ({ from: edges[n] ?? 0, to: edges[n + 1] ?? 0, counts: byStatus }))
}

/** Returns the quantile for a share from 0 to 1 by nearest rank; null without values. `tallies` are sorted by value. */
export const quantile = (tallies: readonly ValueTally[], share: number): number | null => {
  const total = tallies.reduce((sum, { n }) => sum + n, 0)
  let remaining = Math.max(1, Math.ceil(total * share))
  for (const { value, n } of tallies) {
    remaining -= n
    if (remaining <= 0) return value
  }
  return null
}
