import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { Status } from '../../runs/statuses.ts'

export type Assertion = CaseDetail['asserts'][number]

/** The status of an assertion in the words of cases. */
export const statusOf = ({ status }: Pick<Assertion, 'status'>): Status => (status === 'skipped' ? 'skip' : status)

/**
 * What an assertion was authored as: its kind, whether it is negated, and its own fields in their order. A definition
 * that is no object is one field.
 */
export const authored = ({
  kind,
  criteria,
}: Pick<Assertion, 'kind' | 'criteria'>): {
  readonly kind: string
  readonly fields: ReadonlyArray<readonly [name: string, value: unknown]>
} => {
  if (criteria === undefined || criteria === null) return { kind, fields: [] }
  if (typeof criteria !== 'object' || Array.isArray(criteria)) return { kind, fields: [['criteria', criteria]] }
  const { type: _kind, negate, ...fields } = criteria as Readonly<Record<string, unknown>>
  return { kind: negate === true ? `not-${kind}` : kind, fields: Object.entries(fields) }
}

/** How many passed, of those that were evaluated: `3 of 4 passed`, and how many were left out. */
export const tally = (asserts: readonly Pick<Assertion, 'status'>[]): string => {
  const skipped = asserts.filter(({ status }) => status === 'skipped').length
  const passed = asserts.filter(({ status }) => status === 'pass').length
  return `${passed} of ${asserts.length} passed${skipped > 0 ? `, ${skipped} not evaluated` : ''}`
}
