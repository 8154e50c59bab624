import { CASE_STATUSES } from '../run/document.ts'
import type { CaseStatus } from '../run/document.ts'

/** So many cases of one status had this value. */
export type Tally = { readonly value: number; readonly status: CaseStatus; readonly n: number }

/** From `from` on and below `to`; the last bin holds its `to` as well. */
export type Bin = { readonly from: number; readonly to: number; readonly counts: Readonly<Record<CaseStatus, number>> }

const MAX_BINS = 30

/** Above this ratio of the largest to the smallest value equal steps would put nearly all into the first bin. */
const WIDE = 4

/**
 * Edges of bins for whole positive numbers (milliseconds, tokens), ascending and whole: equal factors where values are
 * far apart, else equal steps. The last edge is one above the largest. At least two edges; `min` and `max` are of the
 * values.
 */
export const wholeEdges = (min: number, max: number): number[] => {
  const end = max + 1
  const bins = Math.min(MAX_BINS, end - min)
  const at =
    min > 0 && max / min > WIDE
      ? (n: number) => min * (end / min) ** (n / bins)
      : (n: number) => min + ((end - min) * n) / bins
  const edges = Array.from({ length: bins + 1 }, (_, n) => Math.round(at(n)))
  // Equal factors of small numbers are less than one apart.
  return edges.filter((edge, n) => n === 0 || edge !== edges[n - 1])
}

/**
 * Edges of bins for scores, ascending: twenty steps from 0 to 1, or from the least to the largest where they leave that
 * range.
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

/** How values spread over the bins between `edges`, by status. Values beyond the edges count in the outer bins. */
export const histogram = (tallies: Iterable<Tally>, edges: readonly number[]): Bin[] => {
  const counts = edges
    .slice(1)
    .map(() => Object.fromEntries(CASE_STATUSES.map((status) => [status, 0])) as Record<CaseStatus, number>)
  for (const { value, status, n } of tallies) {
    const bin = counts[lastAtOrBelow(edges, value)]
    if (bin) bin[status] += n
  }
  return counts.map((of, n) => ({ from: edges[n] ?? 0, to: edges[n + 1] ?? 0, counts: of }))
}

/**
 * The value that a share (0 to 1) of all is at or below, by nearest rank; null of nothing. `tallies` ascend by value.
 */
export const quantile = (tallies: readonly Tally[], share: number): number | null => {
  const total = tallies.reduce((sum, { n }) => sum + n, 0)
  let left = Math.max(1, Math.ceil(total * share))
  for (const { value, n } of tallies) {
    left -= n
    if (left <= 0) return value
  }
  return null
}
