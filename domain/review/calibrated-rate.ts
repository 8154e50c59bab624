import type { Grouped, Unusable } from '../statistics/judge.ts'

/** Labels in the run itself from which on its own calibration counts, and labels of a calibration that is not weak. */
export const ENOUGH_LABELS = 50
/** Labels in each verdict, unless all its cases are labelled. */
export const ENOUGH_PER_VERDICT = 10

/** Why there is no calibrated rate. */
export type NoRate = 'judge_unknown' | 'no_labels' | 'few_cases' | 'few_labels' | Unusable

/**
 * A calibrated pass rate of all cases of a run, or why there is none. `groups`: of cases that depend on each other, null if none
 * do. `clipped`: the share of draws that had to be cut to [0, 1].
 */
export type CalibratedRate =
  | (Grouped & { readonly reason: null; readonly groups: number | null; readonly clipped: number })
  | { readonly reason: NoRate }

/** By labels in the run itself, or by those of like runs. */
export type CalibrationMethod = 'own' | 'carried_over'

/** How much of a run its pool knows: the judged tests of the run, those of them in the pool, and those that another criterion judged there. */
export type Coverage = { readonly tests: number; readonly in_pool: number; readonly other_criterion: number }
