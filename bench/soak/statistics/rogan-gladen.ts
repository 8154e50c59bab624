import { normalQuantile } from '../../../domain/statistics/quantiles.ts'

/** Shares that were measured: of `n` cases of the run the judge passes `p`; of `m1` that people pass it passes `q1`, of `m0` that they fail it fails `q0`. */
type Measured = {
  readonly p: number
  readonly n: number
  readonly q0: number
  readonly m0: number
  readonly q1: number
  readonly m1: number
}

const Z = normalQuantile(0.975)

/**
 * The pass rate of Rogan and Gladen with its error by the delta method, and Wald's interval (J. Lee et al., arXiv 2511.21140). The
 * service does not use it: it needs people's verdicts at random among the cases that they pass and fail, and covers less.
 */
export const roganGladen = ({ p, n, q0, m0, q1, m1 }: Measured) => {
  const j = q1 + q0 - 1
  const unclipped = (p + q0 - 1) / j
  const variance =
    (p * (1 - p)) / n + ((1 - unclipped) ** 2 * q0 * (1 - q0)) / m0 + (unclipped ** 2 * q1 * (1 - q1)) / m1
  const se = Math.sqrt(variance) / Math.abs(j)
  const clip = (rate: number): number => Math.min(1, Math.max(0, rate))
  return {
    estimate: clip(unclipped),
    unclipped,
    se,
    clipped: unclipped < 0 || unclipped > 1,
    lower: clip(unclipped - Z * se),
    upper: clip(unclipped + Z * se),
  }
}
