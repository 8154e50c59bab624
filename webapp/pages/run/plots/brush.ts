import type { Range } from '../../../cases/case-filters.ts'

type Bin = { readonly from: number; readonly to: number }

/** The bins from `first` up to `end`, which is exclusive. */
export type Brush = { readonly first: number; readonly end: number }

/**
 * The filter that selects the cases of some bins; null for all bins. If the last bin is one of them, the range has no
 * upper bound, because the last bin includes its upper edge.
 */
export const brushedRange = (bins: readonly Bin[], { first, end }: Brush): Range | null => {
  const [from, to] = [bins[first]?.from, bins[end - 1]?.to]
  if (from === undefined || to === undefined || end <= first || (first === 0 && end === bins.length)) return null
  return { from, below: end === bins.length ? null : to }
}

/** The bins that a filter selects, including those that it selects in part; null without a filter. */
export const brushOf = (bins: readonly Bin[], range: Range | null): Brush | null => {
  if (!range || bins.length === 0) return null
  const first = bins.findLastIndex(({ from }) => from <= range.from)
  const { below } = range
  const last = below === null ? -1 : bins.findIndex(({ to }) => to >= below)
  return { first: Math.max(0, first), end: last < 0 ? bins.length : Math.max(last + 1, Math.max(0, first) + 1) }
}
