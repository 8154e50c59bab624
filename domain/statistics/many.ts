/** The share of false discoveries that a flagged result accepts. */
export const FALSE_DISCOVERY_RATE = 0.05

/**
 * Adjusts the p-values of one family of tests, in their order, so that testing many at once does not raise the share of
 * false discoveries: the smallest of p(j) m / j over all j >= i, at most 1 (Y. Benjamini, Y. Hochberg, JRSS B 57, 1995,
 * 289-300; the same as `p.adjust(method = "BH")` of R).
 */
export const adjustForMany = (pValues: readonly number[]): number[] => {
  const descending = pValues.map((p, index) => ({ p, index })).sort((a, b) => b.p - a.p)
  const adjusted = new Array<number>(pValues.length).fill(1)
  let smallest = 1
  descending.forEach(({ p, index }, place) => {
    smallest = Math.min(smallest, (p * pValues.length) / (pValues.length - place))
    adjusted[index] = smallest
  })
  return adjusted
}
