import type { Labelled } from '../statistics/judge.ts'
import { labelsByVerdict, labelsNeeded } from '../statistics/planning.ts'
import type { CalibratedRate } from './calibrated-rate.ts'

/** What a next queue needs for a half width: more labels of cases that the judge passed and failed. */
export type LabelPlan = {
  readonly half_width: number
  /** Labels in the run itself, those it has included; null if the run alone is wider. */
  readonly labels: number | null
  readonly more: { readonly passed: number; readonly failed: number } | null
  /** Why there is no plan: the run is too small for this half width, or has too few cases of a verdict. */
  readonly reason: 'run_too_small' | 'too_few_cases' | null
  readonly run_half_width: number
}

const HALF_WIDTHS = [0.1, 0.075, 0.05, 0.04, 0.03, 0.02] as const
/** A plan is worth its work if it narrows the interval at least to this share. */
const NARROWER = 0.9

/**
 * Plans of labels in the run itself, the least work first: for each half width of a ladder that is narrower than what is known
 * now. `own`: its labels so far; `known`: all labels, which say how people label.
 */
export const planLabels = (
  own: Labelled,
  known: Labelled,
  run: { readonly passed: number; readonly failed: number },
  rate: CalibratedRate,
): LabelPlan[] => {
  const n = run.passed + run.failed
  const now = rate.reason === null ? (rate.upper - rate.lower) / 2 : Infinity
  const effect = rate.reason === null ? Math.max(1, rate.design_effect ?? 1) : 1
  return HALF_WIDTHS.filter((half) => half <= NARROWER * now).map((half_width) => {
    const { labels, run_half_width } = labelsNeeded(known, { n, w: run.passed / n }, half_width, effect)
    const plan = { half_width, run_half_width }
    if (labels === null) return { ...plan, labels: null, more: null, reason: 'run_too_small' }
    const wanted = labelsByVerdict(known, run, half_width, effect)
    if (wanted === null) return { ...plan, labels, more: null, reason: 'too_few_cases' }
    const more = { passed: Math.max(0, wanted.passed - own.m1), failed: Math.max(0, wanted.failed - own.m0) }
    return { ...plan, labels: wanted.passed + wanted.failed, more, reason: null }
  })
}
