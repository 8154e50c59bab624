import type { CaseStatus } from '../run/document.ts'
import { pairAsserts } from './pair-asserts.ts'
import { mcnemar, passRate, type McNemar, type PassRate } from './statistics.ts'

export type ComparedAssert = { kind: string; label: string; passed: boolean; score: number }

export type ComparedCase = {
  case_key: string
  name: string | null
  status: CaseStatus
  score: number | null
  output_hash: string | null
  asserts: readonly ComparedAssert[]
  prompt_digest: string | null
  provider_digest: string | null
  assert_digest: string | null
}

/** The fields of a run that a comparison uses. */
export type ComparedRun = {
  id: string
  prompt_tokens: number
  completion_tokens: number
  cost_usd: number | null
  duration_ms: number | null
  case_count: number
  pass_count: number
  config_digest: string | null
  digests: {
    prompts: string | null
    providers: string | null
    tests: string | null
    asserts: string | null
    grader: string | null
  }
}

/** What happened to a case between two runs. */
export const DELTAS = [
  'newly_failing',
  'newly_passing',
  'still_failing',
  'still_passing',
  'unchanged',
  'added',
  'removed',
] as const
export type Delta = (typeof DELTAS)[number]

export type Change =
  | 'prompt_changed'
  | 'provider_changed'
  | 'asserts_changed'
  | 'grader_changed'
  | 'model_drift'
  | 'output_drift'
  | 'unstable_grader'
  | 'stable'
  | 'unknown'

export type AssertFlip = {
  kind: string
  base_passed: boolean
  head_passed: boolean
  base_score: number
  head_score: number
}

export type ComparisonRow = {
  case_key: string
  name: string | null
  base_status: CaseStatus | null
  head_status: CaseStatus | null
  delta: Delta
  output_changed: boolean
  base_score: number | null
  head_score: number | null
  score_delta: number | null
  assert_flips: AssertFlip[]
  change: Change
}

export type ComparisonTotals = Pick<
  ComparedRun,
  'prompt_tokens' | 'completion_tokens' | 'cost_usd' | 'duration_ms' | 'case_count' | 'pass_count'
>

export type ComponentName = keyof ComparedRun['digests']

export type ComparisonSummary = {
  newly_failing: number
  newly_passing: number
  still_failing: number
  output_changed: number
  added: number
  removed: number
}

/** The part of a comparison before its cases. */
export type ComparisonFront = { base: string; head: string; summary: ComparisonSummary }

/** The part of a comparison after its cases. */
export type ComparisonBack = {
  stats: { mcnemar: McNemar; base_pass_rate: PassRate; head_pass_rate: PassRate }
  totals: { base: ComparisonTotals; head: ComparisonTotals }
  config: {
    base_digest: string | null
    head_digest: string | null
    changed: boolean | null
    components: Array<{ component: ComponentName; base: string | null; head: string | null; changed: boolean | null }>
  }
}

export type Comparison = ComparisonFront & { cases: ComparisonRow[] } & ComparisonBack

const COMPONENTS = ['prompts', 'providers', 'tests', 'asserts', 'grader'] as const satisfies readonly ComponentName[]

/** Compares two runs as a whole. */
export const compareSummaries = (
  base: ComparedRun,
  head: ComparedRun,
  { newly_failing, newly_passing }: ComparisonSummary,
): ComparisonBack => ({
  stats: {
    mcnemar: mcnemar(newly_failing, newly_passing),
    base_pass_rate: passRate(base.pass_count, base.case_count),
    head_pass_rate: passRate(head.pass_count, head.case_count),
  },
  totals: { base: totalsOf(base), head: totalsOf(head) },
  config: {
    base_digest: nonEmpty(base.config_digest),
    head_digest: nonEmpty(head.config_digest),
    changed: isChanged(base.config_digest, head.config_digest),
    components: COMPONENTS.map((component) => ({
      component,
      base: nonEmpty(base.digests[component]),
      head: nonEmpty(head.digests[component]),
      changed: isChanged(base.digests[component], head.digests[component]),
    })),
  },
})

/** Whether the grader changed between two runs; null if one of the runs has no digest of its grader. */
export const isGraderChanged = (base: ComparedRun, head: ComparedRun): boolean | null =>
  isChanged(base.digests.grader, head.digests.grader)

/** Converts an empty digest, which clients send if they have none, to null. */
const nonEmpty = (digest: string | null): string | null => (digest === '' ? null : digest)

/** Whether a digest changed; null if one run does not have it, because unknown does not mean "unchanged". */
const isChanged = (base: string | null, head: string | null): boolean | null =>
  nonEmpty(base) && nonEmpty(head) ? base !== head : null

const totalsOf = ({
  prompt_tokens,
  completion_tokens,
  cost_usd,
  duration_ms,
  case_count,
  pass_count,
}: ComparedRun): ComparisonTotals => ({
  prompt_tokens,
  completion_tokens,
  cost_usd,
  duration_ms,
  case_count,
  pass_count,
})

/**
 * Returns one row of a comparison, for a case of one run or of both. `grader` is the result of `isGraderChanged` for the
 * runs. Throws if there is no case.
 */
export const compareCase = (
  base: ComparedCase | undefined,
  head: ComparedCase | undefined,
  grader: boolean | null,
): ComparisonRow => {
  const either = head ?? base
  if (!either) throw new Error('a row of a comparison needs a case of at least one run')
  const both = base && head ? { base, head } : null
  const base_score = base?.score ?? null
  const head_score = head?.score ?? null

  return {
    case_key: either.case_key,
    name: head?.name ?? base?.name ?? null,
    base_status: base?.status ?? null,
    head_status: head?.status ?? null,
    delta: both ? statusDelta(both.base.status, both.head.status) : base ? 'removed' : 'added',
    output_changed: both !== null && both.base.output_hash !== both.head.output_hash,
    base_score,
    head_score,
    score_delta: base_score === null || head_score === null ? null : head_score - base_score,
    assert_flips: both ? assertFlips(both.base.asserts, both.head.asserts) : [],
    change: both ? caseChange(both.base, both.head, grader) : 'unknown',
  }
}

const OUTCOMES = {
  pass: 'passing',
  xpass: 'passing',
  fail: 'failing',
  error: 'failing',
  skip: 'neutral',
  xfail: 'neutral',
} as const

export type Decision = (typeof OUTCOMES)[CaseStatus]

/** Whether a case passed or failed; `neutral` if it decided nothing. */
export const decisionOf = (status: CaseStatus): Decision => OUTCOMES[status]

/** Classifies the change of a case that is in both runs. */
export const statusDelta = (base: CaseStatus, head: CaseStatus): Delta => {
  const from = OUTCOMES[base]
  const to = OUTCOMES[head]
  if (from === 'neutral' || to === 'neutral') return 'unchanged'
  if (from === to) return from === 'passing' ? 'still_passing' : 'still_failing'
  return to === 'failing' ? 'newly_failing' : 'newly_passing'
}

/**
 * Returns the best explanation of a difference. A deliberate change takes precedence over drift; drift is reported only
 * if nothing is unknown.
 */
const caseChange = (base: ComparedCase, head: ComparedCase, grader: boolean | null): Change => {
  const isPromptChanged = isChanged(base.prompt_digest, head.prompt_digest)
  const isProviderChanged = isChanged(base.provider_digest, head.provider_digest)
  const areAssertsChanged = isChanged(base.assert_digest, head.assert_digest)
  if (isPromptChanged) return 'prompt_changed'
  if (isProviderChanged) return 'provider_changed'
  if (areAssertsChanged) return 'asserts_changed'
  if (grader) return 'grader_changed'
  if ([isPromptChanged, isProviderChanged, areAssertsChanged, grader].includes(null)) return 'unknown'

  const isStatusChanged = base.status !== head.status
  if (base.output_hash !== head.output_hash) return isStatusChanged ? 'model_drift' : 'output_drift'
  return isStatusChanged ? 'unstable_grader' : 'stable'
}

const assertFlips = (base: readonly ComparedAssert[], head: readonly ComparedAssert[]): AssertFlip[] =>
  pairAsserts(base, head)
    .filter(([before, after]) => before.passed !== after.passed)
    .map(([before, after]) => ({
      kind: before.kind,
      base_passed: before.passed,
      head_passed: after.passed,
      base_score: before.score,
      head_score: after.score,
    }))
