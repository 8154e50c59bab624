import type { CaseStatus } from '../../domain/run/document.ts'

/** What decides the status of a case. */
export type CaseFacts = {
  /** The call got no response, or an assertion could not be evaluated. */
  readonly errored: boolean
  readonly passed: boolean
  readonly emptyReason: string | undefined
  readonly skipOnEmptyReason: readonly string[]
  readonly expectFail: true | string | undefined
}

/**
 * The status of a case. An error outranks a skip, a skip outranks the marker `expect_fail`. No request depends on any of
 * it, so an edit of the suite classifies cached answers again.
 */
export const caseStatus = ({ errored, passed, emptyReason, skipOnEmptyReason, expectFail }: CaseFacts): CaseStatus => {
  if (errored) return 'error'
  if (emptyReason !== undefined && skipOnEmptyReason.includes(emptyReason)) return 'skip'
  if (expectFail !== undefined) return passed ? 'xpass' : 'xfail'
  return passed ? 'pass' : 'fail'
}
