import { byCodePoint } from './code-point-order.ts'
import type { CaseStatus } from './run-document.ts'
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

export type ComparedRun = {
  id: string
  cases: readonly ComparedCase[]
  prompt_tokens: number
  completion_tokens: number
  cost_usd: number | null
  duration_ms: number | null
  case_count: number
  pass_count: number
  config_digest: string | null
  digests: { prompts: string | null; providers: string | null; tests: string | null; asserts: string | null; grader: string | null }
}

export type Delta = 'still_passing' | 'newly_failing' | 'newly_passing' | 'still_failing' | 'unchanged' | 'added' | 'removed'

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

export type AssertFlip = { kind: string; base_passed: boolean; head_passed: boolean; base_score: number; head_score: number }

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

export type ComparisonTotals = Pick<ComparedRun, 'prompt_tokens' | 'completion_tokens' | 'cost_usd' | 'duration_ms' | 'case_count' | 'pass_count'>

export type ComponentName = keyof ComparedRun['digests']

export type Comparison = {
  base: string
  head: string
  summary: { newly_failing: number; newly_passing: number; still_failing: number; output_changed: number; added: number; removed: number }
  cases: ComparisonRow[]
  stats: { mcnemar: McNemar; base_pass_rate: PassRate; head_pass_rate: PassRate }
  totals: { base: ComparisonTotals; head: ComparisonTotals }
  config: {
    base_digest: string | null
    head_digest: string | null
    changed: boolean | null
    components: Array<{ component: ComponentName; base: string | null; head: string | null; changed: boolean | null }>
  }
}

const COMPONENTS = ['prompts', 'providers', 'tests', 'asserts', 'grader'] as const satisfies readonly ComponentName[]

/** Compares two runs case by case and as wholes. */
export const compareRuns = (base: ComparedRun, head: ComparedRun): Comparison => {
  const cases = compareCases(base, head)
  const count = (delta: Delta) => cases.filter((row) => row.delta === delta).length
  const summary = {
    newly_failing: count('newly_failing'),
    newly_passing: count('newly_passing'),
    still_failing: count('still_failing'),
    output_changed: cases.filter((row) => row.output_changed).length,
    added: count('added'),
    removed: count('removed'),
  }

  return {
    base: base.id,
    head: head.id,
    summary,
    cases,
    stats: {
      mcnemar: mcnemar(summary.newly_failing, summary.newly_passing),
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
  }
}

/** Clients write an empty digest where they have none. */
const known = (digest: string | null): string | null => (digest === '' ? null : digest)

/** Whether a digest moved; null when one side does not have it, because unknown is never "unchanged". */
const moved = (base: string | null, head: string | null): boolean | null => (known(base) && known(head) ? base !== head : null)

const totalsOf = ({ prompt_tokens, completion_tokens, cost_usd, duration_ms, case_count, pass_count }: ComparedRun): ComparisonTotals => ({
  prompt_tokens,
  completion_tokens,
  cost_usd,
  duration_ms,
  case_count,
  pass_count,
})

const compareCases = (base: ComparedRun, head: ComparedRun): ComparisonRow[] => {
  const graderMoved = moved(base.digests.grader, head.digests.grader)
  const before = byKey(base.cases)
  const after = byKey(head.cases)
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(byCodePoint)
  return keys.map((case_key) => compareCase(case_key, before.get(case_key), after.get(case_key), graderMoved))
}

/** Of two cases with one key the first counts, as everywhere. */
const byKey = (cases: readonly ComparedCase[]): Map<string, ComparedCase> => {
  const map = new Map<string, ComparedCase>()
  for (const one of cases) if (!map.has(one.case_key)) map.set(one.case_key, one)
  return map
}

const compareCase = (case_key: string, base: ComparedCase | undefined, head: ComparedCase | undefined, graderMoved: boolean | null): ComparisonRow => {
  const both = base && head ? { base, head } : null
  const base_score = base?.score ?? null
  const head_score = head?.score ?? null

  return {
    case_key,
    name: head?.name ?? base?.name ?? null,
    base_status: base?.status ?? null,
    head_status: head?.status ?? null,
    delta: both ? deltaOf(both.base.status, both.head.status) : base ? 'removed' : 'added',
    output_changed: both !== null && both.base.output_hash !== both.head.output_hash,
    base_score,
    head_score,
    score_delta: base_score === null || head_score === null ? null : head_score - base_score,
    assert_flips: both ? flipsOf(both.base.asserts, both.head.asserts) : [],
    change: both ? changeOf(both.base, both.head, graderMoved) : 'unknown',
  }
}

const SIDES = { pass: 'passing', xpass: 'passing', fail: 'failing', error: 'failing', skip: 'neutral', xfail: 'neutral' } as const

const deltaOf = (base: CaseStatus, head: CaseStatus): Delta => {
  const from = SIDES[base]
  const to = SIDES[head]
  if (from === 'neutral' || to === 'neutral') return 'unchanged'
  if (from === to) return from === 'passing' ? 'still_passing' : 'still_failing'
  return to === 'failing' ? 'newly_failing' : 'newly_passing'
}

/** What best explains a difference: what was changed on purpose comes before what drifted, and drift is claimed only when nothing is unknown. */
const changeOf = (base: ComparedCase, head: ComparedCase, graderMoved: boolean | null): Change => {
  const promptMoved = moved(base.prompt_digest, head.prompt_digest)
  const providerMoved = moved(base.provider_digest, head.provider_digest)
  const assertsMoved = moved(base.assert_digest, head.assert_digest)
  if (promptMoved) return 'prompt_changed'
  if (providerMoved) return 'provider_changed'
  if (assertsMoved) return 'asserts_changed'
  if (graderMoved) return 'grader_changed'
  if ([promptMoved, providerMoved, assertsMoved, graderMoved].includes(null)) return 'unknown'

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

/** By position when both sides list the same kinds in the same order; else only what cannot be mistaken: kinds that each side has once. */
const pairsOf = (base: readonly ComparedAssert[], head: readonly ComparedAssert[]): Array<[ComparedAssert, ComparedAssert]> => {
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
  return ({ kind }: ComparedAssert) => (inBase.get(kind)?.length === 1 && inHead.get(kind)?.length === 1 ? inHead.get(kind)?.[0] : undefined)
}
