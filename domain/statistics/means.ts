import { SIGNIFICANCE, studentP, studentQuantile } from './quantiles.ts'

/** A mean with its 95 % interval and the t test that it is 0. `t` is null if all values are equal and not 0. */
export type MeanInterval = {
  readonly mean: number
  readonly se: number
  readonly df: number
  readonly lower: number
  readonly upper: number
  readonly t: number | null
  readonly p_value: number
}

export type ClusteredMean = MeanInterval & { readonly groups: number; readonly few_groups: boolean }

/** With fewer groups, the error of a clustered mean is itself uncertain. */
const FEW_GROUPS = 10

/** The mean of values that need not be few: sums in one pass, and finite if the values are. */
export const meanOf = (values: readonly number[]): number => {
  let sum = 0
  for (const value of values) sum += value
  if (Number.isFinite(sum)) return sum / values.length
  return values.reduce((total, value) => total + value / values.length, 0)
}

const withError = (mean: number, se: number, df: number): MeanInterval => {
  const margin = studentQuantile(1 - SIGNIFICANCE / 2, df) * se
  const t = se > 0 ? mean / se : mean === 0 ? 0 : null
  return { mean, se, df, lower: mean - margin, upper: mean + margin, t, p_value: t === null ? 0 : studentP(t, df) }
}

const finite = <M extends MeanInterval>(interval: M): M | null =>
  Number.isFinite(interval.lower) && Number.isFinite(interval.upper) ? interval : null

/**
 * The mean of independent values with Student's t interval; for differences of pairs, the paired t test. Null for fewer
 * than two values, and for values whose squares are not finite.
 */
export const meanInterval = (values: readonly number[]): MeanInterval | null => {
  const n = values.length
  if (n < 2) return null
  const mean = meanOf(values)
  let squares = 0
  for (const value of values) squares += (value - mean) ** 2
  return finite(withError(mean, Math.sqrt(squares / (n - 1) / n), n - 1))
}

/**
 * The mean of values that depend on each other within groups: residuals are summed by group (E. Miller, arXiv
 * 2411.00640), with the factor G / (G - 1) for the number of groups (K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986,
 * 13-22; as statsmodels has it) and Student's t with G - 1 degrees of freedom. Null for fewer than two groups.
 */
export const clusteredMean = (values: readonly number[], groups: readonly unknown[]): ClusteredMean | null => {
  const n = values.length
  const mean = meanOf(values)
  const sums = new Map<unknown, number>()
  values.forEach((value, i) => sums.set(groups[i], (sums.get(groups[i]) ?? 0) + value - mean))
  const count = sums.size
  if (count < 2) return null
  let squares = 0
  for (const sum of sums.values()) squares += sum ** 2
  const interval = withError(mean, Math.sqrt((count / (count - 1)) * squares) / n, count - 1)
  return finite({ ...interval, groups: count, few_groups: count < FEW_GROUPS })
}

/** The median; null without values. */
export const median = (values: readonly number[]): number | null => {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? 0) / 2 + upper / 2
}
