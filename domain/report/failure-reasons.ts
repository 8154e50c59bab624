import type { NormalCase } from '../run/document.ts'

type Assertion = Pick<NormalCase['asserts'][number], 'kind' | 'criteria'>

/** The name of an assertion: that of its criteria, else its kind. */
export const assertName = ({ kind, criteria }: Assertion): string => {
  const { name } = Object(criteria ?? {}) as { name?: unknown }
  return typeof name === 'string' && name !== '' ? name : kind
}

/** Why a case did not pass: the reasons of its assertions that failed or could not be evaluated, with their names. */
export const reasonsOf = ({ asserts }: Pick<NormalCase, 'asserts'>): string[] =>
  asserts.flatMap((assertion) =>
    assertion.status === 'fail' || assertion.status === 'error'
      ? [`${assertName(assertion)}: ${assertion.reason === '' ? assertion.status : assertion.reason}`]
      : [],
  )

/** The same as one text, a blank line between two; null if there is none. */
export const failureReasons = (item: Pick<NormalCase, 'asserts'>): string | null => {
  const reasons = reasonsOf(item)
  return reasons.length === 0 ? null : reasons.join('\n\n')
}
