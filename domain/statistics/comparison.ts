import type { CaseStatus } from '../run/document.ts'
import { mcnemar, passRate } from './statistics.ts'
import type { McNemar, PassRate } from './statistics.ts'

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

/** A run as a whole, as far as a comparison speaks of it. */
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

export type Delta =
  | 'still_passing'
  | 'newly_failing'
  | 'newly_passing'
  | 'still_failing'
  | 'unchanged'
  | 'added'
  | 'removed'

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

/** What a comparison says before its cases. */
export type ComparisonFront = { base: string; head: string; summary: ComparisonSummary }

/** What it says after them. */
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

/** The comparison of two runs as wholes. */
export const compareWholes = (
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
    base_digest: known(base.config_digest),
    head_digest: known(head.config_digest),
    changed: moved(base.config_digest, head.config_digest),
    components: COMPONENTS.map((component) => ({
      component,
      base: known(base.digests[component]),
      head: known(head.digests[component]),
      changed: moved(base.digests[component], head.digests[component]),
    })),
  },
})

/** Whether the grader moved between two runs; null when one of them does not say. */
export const graderMoved = (base: ComparedRun, head: ComparedRun): boolean | null =>
  moved(base.digests.grader, head.digests.grader)

/** Clients write an empty digest where they have none. */
const known = (digest: string | null): string | null => (digest === '' ? null : digest)

/** Whether a digest moved; null when one side does not have it, because unknown is never "unchanged". */
const moved = (base: string | null, head: string | null): boolean | null =>
  known(base) && known(head) ? base !== head : null

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
 * One row of a comparison: a case of either run, or of both. `grader` is what `graderMoved` says of the runs. Throws
 * without a case.
 */
export const compareCase = (
  base: ComparedCase | undefined,
  head: ComparedCase | undefined,
  grader: boolean | null,
): ComparisonRow => {
  const either = head ?? base
  if (!either) throw new Error('a row of a comparison is of one run at least')
  const both = base && head ? { base, head } : null
  const base_score = base?.score ?? null
  const head_score = head?.score ?? null

  return {
    case_key: either.case_key,
    name: head?.name ?? base?.name ?? null,
    base_status: base?.status ?? null,
    head_status: head?.status ?? null,
    delta: both ? deltaOf(both.base.status, both.head.status) : base ? 'removed' : 'added',
    output_changed: both !== null && both.base.output_hash !== both.head.output_hash,
    base_score,
    head_score,
    score_delta: base_score === null || head_score === null ? null : head_score - base_score,
    assert_flips: both ? flipsOf(both.base.asserts, both.head.asserts) : [],
    change: both ? changeOf(both.base, both.head, grader) : 'unknown',
  }
}

const SIDES = {
  pass: 'passing',
  xpass: 'passing',
  fail: 'failing',
  error: 'failing',
  skip: 'neutral',
  xfail: 'neutral',
} as const

/** How a case of both runs moved. */
export const deltaOf = (base: CaseStatus, head: CaseStatus): Delta => {
  const from = SIDES[base]
  const to = SIDES[head]
  if (from === 'neutral' || to === 'neutral') return 'unchanged'
  if (from === to) return from === 'passing' ? 'still_passing' : 'still_failing'
  return to === 'failing' ? 'newly_failing' : 'newly_passing'
}

/**
 * What best explains a difference: what was changed on purpose comes before what drifted, and drift is claimed only
 * when nothing is unknown.
 */
const changeOf = (base: ComparedCase, head: ComparedCase, grader: boolean | null): Change => {
  const promptMoved = moved(base.prompt_digest, head.prompt_digest)
  const providerMoved = moved(base.provider_digest, head.provider_digest)
  const assertsMoved = moved(base.assert_digest, head.assert_digest)
  if (promptMoved) return 'prompt_changed'
  if (providerMoved) return 'provider_changed'
  if (assertsMoved) return 'asserts_changed'
  if (grader) return 'grader_changed'
  if ([promptMoved, providerMoved, assertsMoved, grader].includes(null)) return 'unknown'

  const statusChanged = base.status !== head.status
  if (base.output_hash !== head.output_hash) return statusChanged ? 'model_drift' : 'output_drift'
  return statusChanged ? 'unstable_grader' : 'stable'
}

const flipsOf = (base: readonly ComparedAssert[], head: readonly ComparedAssert[]): AssertFlip[] =>
  pairsOf(base, head)
    .filter(([before, after]) => before.passed !== after.passed)
    .map(([before, after]) => ({
      kind: before.kind,
      base_passed: before.passed,
      head_passed: after.passed,
      base_score: before.score,
      head_score: after.score,
    }))

/**
 * By position when both sides list the same kinds in the same order; else only what cannot be mistaken: kinds that each
 * side has once.
 */
const pairsOf = (
  base: readonly ComparedAssert[],
  head: readonly ComparedAssert[],
): Array<[ComparedAssert, ComparedAssert]> => {
  const aligned = base.length === head.length && base.every(({ kind }, n) => kind === head[n]?.kind)
  const partner = aligned ? (_: ComparedAssert, n: number) => head[n] : onlyOneIn(base, head)

  return base.flatMap((before, n) => {
    const after = partner(before, n)
    return after ? [[before, after]] : []
  })
}

const onlyOneIn = (base: readonly ComparedAssert[], head: readonly ComparedAssert[]) => {
  const inBase = Map.groupBy(base, ({ kind }) => kind)
  const inHead = Map.groupBy(head, ({ kind }) => kind)
  return ({ kind }: ComparedAssert) =>
    inBase.get(kind)?.length === 1 && inHead.get(kind)?.length === 1 ? inHead.get(kind)?.[0] : undefined
}
