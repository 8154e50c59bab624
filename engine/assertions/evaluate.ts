import { CLASSES_OF_THE_SUITE } from '../error-classes.ts'
import type { GradedCase, Grader } from '../grading/grader.ts'
import type { Json, JsonObject } from '../json.ts'
import type { AssertionSpec } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { GRADED_KINDS, type AssertionKind, type AssertionResult, type Verdict } from './assertion.ts'
import { evaluateLocal, localSubject, type AssertedResponse, type LocalKind } from './local.ts'
import { isBlank } from '../providers/empty-reason.ts'
import { casePasses, caseScore, isUndecided } from './score.ts'

export type AssertionInput = {
  /** In the order of the suite, those of `defaults` first. */
  readonly assertions: readonly AssertionSpec[]
  readonly response: AssertedResponse
  /** The rendered vars, without `env`. */
  readonly vars: JsonObject
  readonly env: Readonly<Record<string, string>>
  readonly templates: Templates
  readonly grader: Grader
  /** The threshold of the case. Absent: every assertion must pass. */
  readonly threshold?: number | undefined
  /** False: graded assertions run even if they cannot change the outcome. */
  readonly shortCircuit: boolean
  readonly test: { readonly id: string; readonly tags: readonly string[] }
  readonly provider_id: string
  readonly repeat: number
  readonly signal: AbortSignal
}

export type CaseError = {
  readonly message: string
  /** Of the assertion whose class weighs most. */
  readonly error_class: string
  /** The exit code that an error asks for although its class says otherwise. */
  readonly exit_code?: 3
}

export type AssertionOutcome = {
  readonly results: readonly AssertionResult[]
  readonly keys: ReadonlyArray<readonly string[]>
  /** 0..1, as `caseScore` finds it. */
  readonly score: number
  /** The verdict over the evaluated assertions. Without meaning where `error` is set. */
  readonly passed: boolean
  /** Set if an assertion could not be evaluated: the case is an error. */
  readonly error: CaseError | null
  readonly credentialRejected: boolean
}

type Evaluated = { readonly result: AssertionResult; readonly verdict: Verdict | null }

/**
 * Evaluates the assertions of one case: first the local ones, then, if they can still change the outcome, all graded
 * ones, one after the other. Rejects only for a fault of the engine itself.
 */
export const evaluateAssertions = async (input: AssertionInput): Promise<AssertionOutcome> => {
  const { assertions, threshold, shortCircuit, response } = input
  const isEmpty = isBlank(response.output) && response.tool_calls.length === 0
  const emptyReason = isEmpty ? (response.empty_reason ?? 'blank') : null
  const evaluated: Evaluated[] = []
  const graded: Array<{ readonly assertion: AssertionSpec; readonly index: number }> = []

  const subject = localSubject(input)
  for (const [index, assertion] of assertions.entries()) {
    if (isLocal(assertion.kind))
      evaluated[index] = finished(assertion, evaluateLocal(assertion.kind, assertion, subject), emptyReason)
    else graded.push({ assertion, index })
  }

  if (graded.length > 0) {
    const local = assertions.flatMap((_assertion, index) => evaluated[index]?.result ?? [])
    const remainingWeight = graded.reduce((sum, { assertion }) => sum + assertion.weight, 0)
    const runs = !shortCircuit || isUndecided(local, remainingWeight, threshold)
    const gradedCase = runs ? gradedSubject(input) : null
    for (const { assertion, index } of graded)
      evaluated[index] =
        gradedCase === null
          ? skipped(assertion)
          : finished(assertion, await input.grader.grade(assertion, gradedCase, input.signal), emptyReason)
  }

  const results = evaluated.map(({ result }) => result)
  return {
    results,
    keys: evaluated.map(({ verdict }) => (verdict === null || verdict.status === 'error' ? [] : (verdict.keys ?? []))),
    score: caseScore(results),
    passed: casePasses(results, threshold),
    error: caseError(evaluated),
    credentialRejected: evaluated.some(
      ({ verdict }) => verdict?.status === 'error' && verdict.credential_rejected === true,
    ),
  }
}

const isLocal = (kind: AssertionKind): kind is LocalKind => !GRADED_KINDS.has(kind)

const gradedSubject = ({ response, vars, env, test, provider_id, repeat }: AssertionInput): GradedCase => ({
  ...(response.output !== undefined && { output: response.output }),
  tool_calls: response.tool_calls,
  vars,
  env,
  test,
  provider_id,
  repeat,
})

/** The definition of an assertion as it is recorded: without its weight. */
export const recordedCriteria = ({ kind, fields, negate }: AssertionSpec): Json => ({
  type: kind,
  ...fields,
  ...(negate && { negate: true }),
})

const recorded = (assertion: AssertionSpec, rest: Pick<AssertionResult, 'status' | 'score' | 'reason'>) => ({
  kind: assertion.kind,
  status: rest.status,
  score: rest.score,
  weight: assertion.weight,
  reason: rest.reason,
  criteria: recordedCriteria(assertion),
})

const skipped = (assertion: AssertionSpec): Evaluated => ({
  result: {
    ...recorded(assertion, { status: 'skipped', score: 0, reason: 'skipped: outcome already decided' }),
    cached: false,
  },
  verdict: null,
})

const finished = (assertion: AssertionSpec, verdict: Verdict, emptyReason: string | null): Evaluated => {
  const details = verdict.details === undefined ? {} : { details: verdict.details }
  if (verdict.status === 'error')
    return {
      result: {
        ...recorded(assertion, { status: 'error', score: 0, reason: verdict.reason }),
        ...details,
        cached: false,
      },
      verdict,
    }
  const { status, score, reason } = onEmptyOutput(negated(verdict, assertion.negate), assertion, emptyReason)
  return {
    result: {
      ...recorded(assertion, { status, score, reason }),
      ...details,
      cached: verdict.cached ?? false,
      ...(typeof verdict.cost_usd === 'number' && { cost_usd: verdict.cost_usd }),
    },
    verdict,
  }
}

type Outcome = { readonly status: 'pass' | 'fail'; readonly score: number; readonly reason: string }

const negated = ({ status, score, reason }: Outcome, negate: boolean): Outcome =>
  negate
    ? { status: status === 'pass' ? 'fail' : 'pass', score: 1 - score, reason: `negated: ${reason}` }
    : { status, score, reason }

/** These judge the call, not its output. */
const METRIC_KINDS: ReadonlySet<AssertionKind> = new Set(['cost', 'latency', 'tokens'])

/** No assertion about an output passes or scores on an empty one. */
const onEmptyOutput = (outcome: Outcome, { kind, negate }: AssertionSpec, emptyReason: string | null): Outcome => {
  if (emptyReason === null || METRIC_KINDS.has(kind)) return outcome
  if (outcome.status === 'fail') return { ...outcome, score: 0 }
  return {
    status: 'fail',
    score: 0,
    reason: negate
      ? `negated: a negated assertion cannot pass vacuously on an empty output (${emptyReason})`
      : `an assertion cannot pass on an empty output (${emptyReason})`,
  }
}

// From heavy to light. They are faults outside of the suite, which end a run with exit code 3.
const GRADER_CLASSES = ['grader_unavailable', 'grader_failed']

/** The rank of an error class; other classes count as the heaviest fault of a grader. */
const rank = (errorClass: string): number => {
  const grader = GRADER_CLASSES.indexOf(errorClass)
  if (grader >= 0) return grader
  const suite = CLASSES_OF_THE_SUITE.indexOf(errorClass)
  return GRADER_CLASSES.length + (suite < 0 ? 0 : suite + 1)
}

const caseError = (evaluated: readonly Evaluated[]): CaseError | null => {
  const errors = evaluated.flatMap(({ result, verdict }) =>
    verdict?.status === 'error' ? [{ kind: result.kind, verdict }] : [],
  )
  const [first] = errors
  if (first === undefined) return null
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more errored)` : ''
  const heaviest = errors.reduce(
    (best, { verdict }) => (rank(verdict.error_class) < rank(best) ? verdict.error_class : best),
    first.verdict.error_class,
  )
  return {
    message: `${first.kind} assertion errored: ${first.verdict.reason}${more}`,
    error_class: heaviest,
    ...(errors.some(({ verdict }) => verdict.exit_code === 3) && { exit_code: 3 as const }),
  }
}
