import { evaluateAssertions } from '../assertions/evaluate.ts'
import type { Grader } from '../grading/grader.ts'
import type { Ports } from '../ports.ts'
import type { Redactor } from '../providers/redactor.ts'
import type { Templates } from '../templates/templates.ts'
import type { CaseParts } from './run-case.ts'

type JudgeOptions = {
  readonly grader: Grader
  readonly templates: Templates
  readonly env: Ports['env']
  /** Whether graded assertions are skipped once the outcome is decided. */
  readonly shortCircuit: boolean
  readonly redactor: Redactor
}

/** Judges the cases of a run by the assertions of their tests. What judges and programs wrote loses its secrets. */
export const judgeOf = ({ grader, templates, env, shortCircuit, redactor }: JudgeOptions): CaseParts['judge'] => {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
  return async ({ response, emptyReason, vars, test, providerId, repeat, latencyMs }, signal) => {
    const { results, keys, score, passed, error, credentialRejected } = await evaluateAssertions({
      assertions: test.assert,
      response: {
        ...response,
        ...(emptyReason !== undefined && { empty_reason: emptyReason }),
        latency_ms: latencyMs,
      },
      vars,
      env: variables,
      templates,
      grader,
      threshold: test.threshold,
      shortCircuit,
      test: { id: test.id, tags: test.tags },
      provider_id: providerId,
      repeat,
      signal,
    })
    return {
      results: results.map((result) => ({
        ...result,
        reason: redactor.text(result.reason),
        ...(result.details !== undefined && { details: redactor.json(result.details) }),
      })),
      keys,
      score,
      passed,
      ...(error && {
        error: {
          message: redactor.text(error.message),
          errorClass: error.error_class,
          harness: error.exit_code === 3,
        },
      }),
      credentialRejected,
    }
  }
}
