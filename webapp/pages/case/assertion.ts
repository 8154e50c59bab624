import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { Status } from '../../runs/statuses.ts'

export type Assertion = CaseDetail['asserts'][number]

/** The status of a case that corresponds to the status of an assertion. */
export const statusOf = ({ status }: Pick<Assertion, 'status'>): Status => (status === 'skipped' ? 'skip' : status)

/**
 * The definition of an assertion as the author wrote it: its kind, with `not-` if it is negated, and its own fields in
 * their order. A definition that is not an object becomes a single field.
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

/** `3 of 4 passed`, followed by the number of skipped assertions if there are any: `, 1 not evaluated`. */
export const tally = (asserts: readonly Pick<Assertion, 'status'>[]): string => {
  const skipped = asserts.filter(({ status }) => status === 'skipped').length
  const passed = asserts.filter(({ status }) => status === 'pass').length
  return `${passed} of ${asserts.length} passed${skipped > 0 ? `, ${skipped} not evaluated` : ''}`
}
