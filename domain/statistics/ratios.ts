import { clusteredMean } from './means.ts'

/** A ratio with its 95 % interval and the test that it is 1. */
export type PairedRatio = {
  readonly estimate: number
  readonly lower: number
  readonly upper: number
  readonly p_value: number
  readonly groups: number
  readonly few_groups: boolean
}

/**
 * The ratio of paired positive values: the geometric mean of head / base, with Student's t on the logarithms (J. M.
 * Bland, D. G. Altman, BMJ 312, 1996, 1153). Pairs of one group depend on each other. Null for fewer than two groups, and
 * for values whose ratio is not finite.
 */
export const pairedRatio = (
  pairs: ReadonlyArray<{ readonly base: number; readonly head: number; readonly group: unknown }>,
): PairedRatio | null => {
  const interval = clusteredMean(
    pairs.map(({ base, head }) => Math.log(head) - Math.log(base)),
    pairs.map(({ group }) => group),
  )
  if (!interval) return null
  const [estimate, lower, upper] = [interval.mean, interval.lower, interval.upper].map(Math.exp) as [
    number,
    number,
    number,
  ]
  const { p_value, groups, few_groups } = interval
  return Number.isFinite(upper) ? { estimate, lower, upper, p_value, groups, few_groups } : null
}
