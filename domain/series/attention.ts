import { counted } from '../plain/counted.ts'
import type { JudgeField } from '../review/judge-id.ts'
import { DEFAULT_RISE_PERCENT, THRESHOLDS, type Thresholds } from '../suite-settings.ts'
import type { MeasureChange, MeasureChanges, SeriesChange } from './change.ts'
import type { StillFailing } from './like-runs.ts'

// What a suite needs, as one reason: the first that applies, in this order.
//   worse    the paired exact test against the previous like run says so
//   lost     it says so only if passes that are now skipped count as worse
//   judge    another judge decided a metric than in the previous like run
//   cost     its cases cost more than in the previous like run, by the paired ratio
//   latency  they take longer
//   flaky    many of its cases flip between passing and failing
//   errors   cases of the newest run ended in error
//   stale    no run for long, and for longer than usual
// A suite without any of them is steady, or has no trend yet.

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const SIGNIFICANCE = 0.05
/** With fewer changed cases, the exact test cannot reach the significance. */
const FEWEST_CHANGED = 6
/** Flaky cases are many from this number on, or from a smaller number and this share of the cases on. */
const MANY_FLAKY = 10
const SOME_FLAKY = 3
const FLAKY_SHARE = 0.1
const STALE_MS = 14 * DAY_MS

/** A higher cost or latency needs no attention if it is of fewer tests than this. */
const FEWEST_MEASURED = 6

type Counts = { readonly created_at: number; readonly case_count: number; readonly pass_count: number }

/** What the reason of a suite depends on, besides the time. */
export type SuiteFacts = {
  readonly run_count: number
  readonly has_baseline: boolean
  readonly newest: Counts & { readonly error_count: number }
  readonly previous: Counts | null
  readonly change: SeriesChange | null
  /** Null without a previous run, and where what the runs measured is not stored. */
  readonly measured: MeasureChanges | null
  /** The metrics that another judge decided than in the previous like run, and the members of judges that differ. */
  readonly judge: JudgeDifference | null
  readonly like_run_count: number
  readonly unit_count: number
  readonly flaky: number | null
  readonly still_failing: StillFailing
  readonly usual_gap_ms: number | null
  /** Of the newest runs, how many there are and how many different sets of providers they have. */
  readonly variety: { readonly runs: number; readonly providers: number }
}

/** How many metrics another judge decided, and what differs. */
export type JudgeDifference = { readonly metrics: number; readonly differs: JudgeField[] }

export type Reason =
  | ({ readonly code: 'worse' | 'lost' } & Changed)
  | ({ readonly code: 'better' } & Changed & Staying)
  | ({ readonly code: 'judge' } & JudgeDifference)
  | ({ readonly code: 'cost' | 'latency' } & Measured)
  | { readonly code: 'flaky'; readonly flaky: number; readonly runs: number }
  | { readonly code: 'errors'; readonly errors: number; readonly points: number | null }
  | { readonly code: 'stale'; readonly idle_ms: number; readonly usual_gap_ms: number }
  | ({ readonly code: 'no_clear_change' | 'too_few' } & Changed & Staying)
  | ({ readonly code: 'unchanged'; readonly points: number | null } & Staying)
  | { readonly code: 'first_run'; readonly is_baseline: boolean }
  | { readonly code: 'other_providers'; readonly runs: number; readonly providers: number }
  | { readonly code: 'other_cases'; readonly runs: number }

export const REASON_CODES = [
  'worse',
  'lost',
  'judge',
  'cost',
  'latency',
  'flaky',
  'errors',
  'stale',
  'better',
  'no_clear_change',
  'too_few',
  'unchanged',
  'first_run',
  'other_providers',
  'other_cases',
] as const satisfies ReadonlyArray<Reason['code']>

/** Points are of the pass rate over all cases: 0.5 % is 0.5. */
type Changed = Omit<SeriesChange, 'has_trials' | 'p_with_lost'> & {
  readonly points: number | null
  readonly q: number | null
}

/** A ratio to the previous like run with its interval, and the cases of both. */
type Measured = {
  readonly ratio: number
  readonly lower: number
  readonly upper: number
  readonly pairs: number
  readonly p: number
  readonly q: number | null
}

/** Failures that stay, so that they are not forgotten one run later. */
type Staying = { readonly still_failing: StillFailing }

export const GROUPS = ['attention', 'steady', 'no_trend'] as const
export type Group = (typeof GROUPS)[number]

export type Attention = {
  readonly group: Group
  readonly reason: Reason
  /** Where the suite is in the list: the group, the reason, and how bad it is. Smaller is first. */
  readonly order: readonly [group: number, reason: number, measure: number]
}

const isLost = ({ worse, better, lost, regained, p_with_lost }: SeriesChange): boolean =>
  lost > regained && worse + lost > better + regained && p_with_lost < SIGNIFICANCE

const pointsOf = ({ newest, previous }: SuiteFacts): number | null =>
  previous === null || previous.case_count === 0 || newest.case_count === 0
    ? null
    : (newest.pass_count / newest.case_count - previous.pass_count / previous.case_count) * 100

const isManyFlaky = (flaky: number, units: number): boolean =>
  flaky >= MANY_FLAKY || (flaky >= SOME_FLAKY && flaky >= units * FLAKY_SHARE)

/** P-values adjusted for all suites that are looked at: of the change of the cases, of their cost and of their latency. */
export type Adjusted = { readonly change: number | null; readonly cost: number | null; readonly latency: number | null }

/**
 * Whether a measure is so much higher than in the previous like run that it needs attention. `q` is its adjusted p-value,
 * `risePercent` the threshold of the suite.
 */
export const isHigher = (
  { estimate, groups }: MeasureChange,
  q: number | null,
  risePercent: number = DEFAULT_RISE_PERCENT,
): boolean => estimate >= (100 + risePercent) / 100 && groups >= FEWEST_MEASURED && q !== null && q < SIGNIFICANCE

/** The cost or the latency of a suite's cases, if it is that much higher: the cost first. */
const higherMeasure = (
  measured: MeasureChanges | null,
  adjusted: Adjusted,
  thresholds: Thresholds,
): (Reason & Measured) | null => {
  for (const code of THRESHOLDS) {
    const [change, q] = [measured?.[code] ?? null, adjusted[code]]
    if (change && isHigher(change, q, thresholds[code])) {
      const { estimate, lower, upper, pairs, p_value } = change
      return { code, ratio: estimate, lower, upper, pairs, p: p_value, q }
    }
  }
  return null
}

/** What a suite needs at a time. `thresholds` are those that are set of it. */
export const attentionOf = (
  facts: SuiteFacts,
  adjusted: Adjusted,
  now: number,
  thresholds: Thresholds = {},
): Attention => {
  const { change, flaky, newest, usual_gap_ms } = facts
  const points = pointsOf(facts)
  const changed = (): Changed => {
    const { worse = 0, better = 0, lost = 0, regained = 0, p = 1 } = change ?? {}
    return { points, worse, better, lost, regained, p, q: adjusted.change }
  }
  const isSignificant = change !== null && change.p < SIGNIFICANCE
  if (isSignificant && change.worse > change.better)
    return { group: 'attention', reason: { code: 'worse', ...changed() }, order: [0, 0, change.p] }
  if (change !== null && isLost(change))
    return { group: 'attention', reason: { code: 'lost', ...changed() }, order: [0, 0, change.p_with_lost] }
  if (facts.judge)
    return { group: 'attention', reason: { code: 'judge', ...facts.judge }, order: [0, 1, -facts.judge.metrics] }
  const higher = higherMeasure(facts.measured, adjusted, thresholds)
  if (higher) return { group: 'attention', reason: higher, order: [0, 2, -higher.ratio] }
  if (flaky !== null && isManyFlaky(flaky, facts.unit_count))
    return { group: 'attention', reason: { code: 'flaky', flaky, runs: facts.like_run_count }, order: [0, 3, -flaky] }
  if (newest.error_count > 0)
    return {
      group: 'attention',
      reason: { code: 'errors', errors: newest.error_count, points },
      order: [0, 4, -newest.error_count],
    }
  const idle_ms = now - newest.created_at
  if (usual_gap_ms !== null && idle_ms > STALE_MS && idle_ms > usual_gap_ms)
    return { group: 'attention', reason: { code: 'stale', idle_ms, usual_gap_ms }, order: [0, 5, newest.created_at] }
  if (change === null) return { group: 'no_trend', reason: unlike(facts), order: [2, 0, 0] }
  const steady = (reason: Reason): Attention => ({ group: 'steady', reason, order: [1, 0, 0] })
  const { still_failing } = facts
  if (isSignificant) return steady({ code: 'better', ...changed(), still_failing })
  const count = change.worse + change.better
  if (count + change.lost + change.regained === 0) return steady({ code: 'unchanged', points, still_failing })
  return steady({ code: count < FEWEST_CHANGED ? 'too_few' : 'no_clear_change', ...changed(), still_failing })
}

/** Why a suite has no earlier run to compare with. */
const unlike = ({ run_count, has_baseline, variety: { runs, providers } }: SuiteFacts): Reason => {
  if (run_count <= 1) return { code: 'first_run', is_baseline: has_baseline }
  return providers > 1 ? { code: 'other_providers', runs, providers } : { code: 'other_cases', runs }
}

const pointsText = (points: number): string => `${Math.abs(points).toFixed(1)} points`
const direction = (points: number | null): 'Up' | 'Down' | null =>
  points === null || Math.abs(points) < 0.05 ? null : points > 0 ? 'Up' : 'Down'

/** `15 days`; a single one is `day`, as in "every day". */
const duration = (ms: number): string => {
  const [value, unit] =
    ms >= 0.9 * DAY_MS
      ? [Math.round(ms / DAY_MS), 'day']
      : ms >= 1.5 * HOUR_MS
        ? [Math.round(ms / HOUR_MS), 'hour']
        : [Math.max(1, Math.round(ms / 60_000)), 'minute']
  return value === 1 ? unit : `${value} ${unit}s`
}

const lostText = (lost: number): string => (lost === 1 ? '1 pass no longer runs' : `${lost} passes no longer run`)

/** `; 2 cases that passed before still fail (for up to 3 runs)`, or nothing. */
const stayingText = ({ still_failing: { cases: count, runs } }: Staying): string =>
  count === 0
    ? ''
    : `; ${counted(count, 'case')} that passed before still ${count === 1 ? 'fails' : 'fail'} (for ${count === 1 ? '' : 'up to '}${counted(runs, 'run')})`

const changedText = ({ worse, better, lost, regained }: Changed): string =>
  [
    ...(worse > 0 || (lost === 0 && regained === 0) || better > 0 ? [`${worse} worse, ${better} better`] : []),
    ...(lost > 0 ? [lostText(lost)] : []),
    ...(regained > 0 ? [`${regained} skipped before now ${regained === 1 ? 'passes' : 'pass'}`] : []),
  ].join(', ')

/** `Down 15.0 points: `, or nothing. */
const towardsText = (points: number | null): string => {
  const towards = direction(points)
  return towards ? `${towards} ${pointsText(points ?? 0)}: ` : ''
}

/** `1.4`; near 1 with two decimals. */
const ratioText = (ratio: number): string => (ratio < 1.1 ? ratio.toFixed(2) : ratio.toFixed(1))

/** A reason as a sentence, without its full stop. */
export const reasonText = (reason: Reason): string => {
  switch (reason.code) {
    case 'worse':
    case 'better':
      return `${towardsText(reason.points)}${changedText(reason)}${reason.code === 'better' ? stayingText(reason) : ''}`
    case 'lost': {
      const { worse, better } = reason
      const more = worse + better === 0 ? '' : `; ${worse} worse, ${better} better`
      return `${towardsText(reason.points)}${lostText(reason.lost)}${more}`
    }
    case 'judge': {
      const what = reason.metrics === 1 ? 'The judge' : `The judges of ${counted(reason.metrics, 'metric')}`
      return `${what} changed (${reason.differs.map((field) => field.replaceAll('_', ' ')).join(', ')})`
    }
    case 'cost':
      return `A typical case costs ${ratioText(reason.ratio)} times as much, ${counted(reason.pairs, 'shared case')}`
    case 'latency':
      return `A typical case takes ${ratioText(reason.ratio)} times as long, ${counted(reason.pairs, 'shared case')}`
    case 'flaky':
      return `${counted(reason.flaky, 'case')} ${reason.flaky === 1 ? 'flips' : 'flip'} between pass and fail`
    case 'errors': {
      const towards = direction(reason.points)
      const more = towards ? `; ${towards.toLowerCase()} ${pointsText(reason.points ?? 0)}` : ''
      return `${counted(reason.errors, 'case')} ended in error${more}`
    }
    case 'stale':
      return `No run for ${duration(reason.idle_ms)}, usually every ${duration(reason.usual_gap_ms)}`
    case 'no_clear_change':
      return `${changedText(reason)}: no clear change${stayingText(reason)}`
    case 'too_few':
      return `${changedText(reason)}${reason.worse + reason.better === 0 ? '' : ': too few to call'}${stayingText(reason)}`
    case 'unchanged':
      return `No case changed${stayingText(reason)}`
    case 'first_run':
      return reason.is_baseline ? 'First run, pinned as the baseline' : 'First run'
    case 'other_providers':
      return reason.runs === reason.providers
        ? `${counted(reason.runs, 'run')}, each another model`
        : `${counted(reason.runs, 'run')} of ${reason.providers} sets of models, the newest the only one of its kind`
    case 'other_cases':
      return `${counted(reason.runs, 'run')}, none with most of the newest run's cases`
  }
}
