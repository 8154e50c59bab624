/** Terms that are equal but for rounding count as equally probable. */
const SAME = 1 + 1e-7

/**
 * Fisher's exact test of two counted rates, two-sided: the probability of all tables with the same sums that are not more
 * probable than this one (R. A. Fisher, Statistical Methods for Research Workers, 1934). Each rate is [count, rest].
 */
export const fisherExact = ([a, b]: readonly [number, number], [c, d]: readonly [number, number]): number => {
  const [first, counted, all] = [a + b, a + c, a + b + c + d]
  const [least, most] = [Math.max(0, first + counted - all), Math.min(first, counted)]
  // The weights follow from the one of the most probable table by their ratio, so nothing overflows.
  const mode = Math.min(most, Math.max(least, Math.floor(((first + 1) * (counted + 1)) / (all + 2))))
  const weights = new Float64Array(most - least + 1)
  weights[mode - least] = 1
  for (let k = mode; k < most; k++)
    weights[k + 1 - least] =
      ((weights[k - least] ?? 0) * (first - k) * (counted - k)) / ((k + 1) * (all - first - counted + k + 1))
  for (let k = mode; k > least; k--)
    weights[k - 1 - least] =
      ((weights[k - least] ?? 0) * k * (all - first - counted + k)) / ((first - k + 1) * (counted - k + 1))
  const own = (weights[a - least] ?? 0) * SAME
  let [sum, extreme] = [0, 0]
  for (const weight of weights) {
    sum += weight
    if (weight <= own) extreme += weight
  }
  return Math.min(1, extreme / sum)
}
