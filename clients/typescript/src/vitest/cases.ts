import type { TestCase } from 'vitest/node'
import type { Recorded } from './record.ts'
import { clean, cut, MAX_OUTPUT_CHARACTERS, MAX_REASON_CHARACTERS, MAX_TRACE_CHARACTERS, named } from './texts.ts'

type Status = 'pass' | 'fail' | 'error' | 'skip' | 'xfail' | 'xpass'

/** A case as it is in the document, but for its key and the number of its repeat. */
export type CaseRow = {
  readonly cell: { readonly provider_id: string; readonly test_id: string }
  readonly status: Status
  readonly cost_usd?: number
  readonly usage?: Readonly<Record<string, number>>
  readonly [field: string]: unknown
}

/** A score of a measure passes from here on: as for imported results. */
const THRESHOLD = 0.5

type Failure = { readonly name?: string; readonly message: string; readonly stack?: string | undefined }

/** An assertion that does not hold is a failure, anything else that goes wrong an error. */
const statusOf = (test: TestCase, failure: Failure | undefined): Status => {
  const { state } = test.result()
  const { fails = false } = test.options
  switch (state) {
    case 'passed':
      return fails ? 'xfail' : 'pass'
    case 'failed':
      return fails ? 'xpass' : failure?.name === 'AssertionError' ? 'fail' : 'error'
    case 'skipped':
      return 'skip'
    case 'pending':
      return 'error'
  }
}

const promptOf = (prompt: NonNullable<Recorded['prompt']>): object =>
  typeof prompt === 'string'
    ? { text: cut(prompt, MAX_OUTPUT_CHARACTERS) }
    : { messages: prompt.map(({ role, content }) => ({ role, content: cut(content, MAX_OUTPUT_CHARACTERS) })) }

const assertsOf = (status: Status, reason: string, scores: Readonly<Record<string, number>>): object[] => {
  const passed = status === 'pass' || status === 'xpass'
  const verdict = {
    kind: 'exec',
    status: passed ? 'pass' : 'fail',
    score: passed ? 1 : 0,
    weight: 1,
    reason,
    criteria: { type: 'exec', original_type: 'vitest', name: 'expect' },
  }
  const measures = Object.entries(scores).map(([name, score]) => ({
    kind: 'exec',
    status: score >= THRESHOLD ? 'pass' : 'fail',
    score,
    weight: 0,
    criteria: { type: 'exec', original_type: 'vitest', name: clean(name), threshold: THRESHOLD },
  }))
  return status === 'error' || status === 'skip' ? measures : [verdict, ...measures]
}

/** The case of a test. */
export const caseOf = (test: TestCase): CaseRow => {
  const recorded: Recorded = test.meta().ers ?? {}
  const { provider, prompt, output, score, scores = {}, tokens, cost_usd, vars, tags = [] } = recorded
  const [failure] = test.result().errors ?? []
  const status = statusOf(test, failure)
  const reason = cut(failure?.message ?? '', MAX_REASON_CHARACTERS)
  const trace = failure?.stack === undefined ? {} : { trace: cut(failure.stack, MAX_TRACE_CHARACTERS) }
  const { duration = 0, retryCount = 0 } = test.diagnostic() ?? {}
  const allTags = [...new Set([...tags, ...(test.tags ?? [])].map(named))].sort()
  return {
    cell: {
      provider_id: named(provider ?? 'tests'),
      test_id: named(`${test.module.relativeModuleId} > ${recorded.test ?? test.fullName}`),
    },
    name: named(test.fullName),
    status,
    score: score ?? (status === 'pass' || status === 'xpass' ? 1 : 0),
    asserts: assertsOf(status, reason, scores),
    latency_ms: Math.round(recorded.latency_ms ?? duration),
    wall_ms: Math.round(duration),
    attempts: retryCount + 1,
    ...(allTags.length === 0 ? {} : { tags: allTags }),
    ...(vars === undefined ? {} : { vars: clean(vars) }),
    ...(prompt === undefined ? {} : { prompt: promptOf(prompt) }),
    ...(output === undefined ? {} : { output: clean(output) }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(tokens === undefined
      ? {}
      : {
          usage: {
            input_tokens: tokens.input ?? 0,
            output_tokens: tokens.output ?? 0,
            ...(tokens.cache_read === undefined ? {} : { cache_read_tokens: tokens.cache_read }),
            ...(tokens.cache_write === undefined ? {} : { cache_write_tokens: tokens.cache_write }),
          },
        }),
    ...(status === 'error'
      ? {
          error: reason === '' ? 'the test did not end' : reason,
          error_class: named(failure?.name ?? 'unfinished'),
          error_details: trace,
        }
      : status === 'fail'
        ? { raw: trace }
        : {}),
  }
}
