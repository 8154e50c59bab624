import type { CalibrationState } from '../review/calibration-state.ts'

// What a gate knows about a run, as the service reports it.

export type Mean = { readonly mean: number; readonly se: number; readonly df: number }
type Estimate = { readonly lower: number }

/** The numbers of one run. What is undefined is null. */
export type GatedRunFacts = {
  readonly pass_rate: { readonly passed: number; readonly total: number; readonly rate: number; readonly lower: number }
  /** Cases with the status `error`. */
  readonly errors: number
  /** The mean score of all cases, those with an error included, and the lower limit of its interval if there is one. */
  readonly score: { readonly mean: number; readonly lower: number | null } | null
  /** The lower limit of the pass rate over groups of cases that depend on each other. */
  readonly clustered_pass_rate: Estimate | null
  /** Whether a test has several trials, or a grouping was asked for. */
  readonly is_clustered: boolean
}

/** A measure over the cases that recorded it in both runs. */
export type Measured = {
  readonly pairs: number
  readonly base: number | null
  readonly head: number | null
  /** How many times as high it is, with its 95 % interval, over the pairs without an answer from a cache. Null for fewer than two tests. */
  readonly ratio: {
    readonly estimate: number
    readonly lower: number
    readonly upper: number
    readonly pairs: number
  } | null
  readonly from_cache: number
}

/** The numbers of a run against its baseline. */
export type ComparedFacts = {
  readonly pairs: number
  readonly worse: number
  readonly better: number
  /** The exact test of McNemar; null without pairs. */
  readonly p_value: number | null
  /** The lower limit of the difference of the pass rates; null without pairs. */
  readonly lower: number | null
  /** The difference over groups; null with fewer than two groups. */
  readonly clustered:
    | (Mean & { readonly p_value: number; readonly groups: number; readonly few_groups: boolean })
    | null
  readonly is_clustered: boolean
  readonly grouped_by: string
  readonly cost_usd: Measured
  readonly latency_ms: Measured
  /** Cases that pass in the baseline and fail in the run, and how many of them are flaky; null if no rule needs them. */
  readonly newly_failing: { readonly cases: number; readonly flaky: number } | null
}

type Interval = { readonly estimate: number; readonly lower: number; readonly upper: number }

/** What people say of the judge of a metric. */
export type GatedCalibration = {
  readonly state: CalibrationState
  /** All that keeps the state from `good`, the gravest first, in words. */
  readonly reasons: readonly string[]
  /** The pass rate that people would find; null if it is not known. */
  readonly rate: Interval | null
  /** How far judge and people agree; null without labels. */
  readonly agreement: { readonly ac1: Interval; readonly kappa: Interval } | null
  readonly labels: number
}
