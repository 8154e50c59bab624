import type { Verdict } from '../assertions/assertion.ts'
import type { AssertionSpec } from '../suite/suite.ts'
import { checkerGrader } from './checker.ts'
import { faultVerdict, Misconfigured } from './fault.ts'
import type { GraderOptions } from './grader-options.ts'
import type { GradedCase, Grader } from './grader.ts'
import { rubricGrader } from './judge.ts'
import { similarityGrader } from './similarity.ts'

/**
 * Evaluates the graded assertions of a run. Every fault is a verdict of status `error`; only an aborted signal rejects,
 * with its reason.
 */
export const createGrader = (options: GraderOptions): Grader => {
  const [rubric, similarity, checker] = [rubricGrader(options), similarityGrader(options), checkerGrader(options)]

  const gradeByKind = (assertion: AssertionSpec, subject: GradedCase, signal: AbortSignal): Promise<Verdict> => {
    if (assertion.kind === 'llm-rubric') return rubric(assertion, subject, signal)
    if (assertion.kind === 'similar') return similarity(assertion, subject, signal)
    if (assertion.kind === 'exec') return checker(assertion, subject, signal)
    throw new Misconfigured(`an assertion of kind ${assertion.kind} is not graded`)
  }

  return {
    grade: async (assertion, subject, signal) => {
      signal.throwIfAborted()
      try {
        return await gradeByKind(assertion, subject, signal)
      } catch (error) {
        if (signal.aborted) throw error
        const fault = faultVerdict(error, options.redactor)
        const isRejected = assertion.kind === 'llm-rubric' && fault.error_class === 'provider_auth'
        return isRejected ? { ...fault, credential_rejected: true } : fault
      }
    },
  }
}
