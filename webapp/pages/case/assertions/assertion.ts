import { isObject } from '../../../../domain/plain/is-object.ts'
import { assertionName, type NamedAssertion as Named } from '../../../../domain/lists/assertion-name.ts'
import type { CaseDetail } from '../../../../queries/cases/cases.ts'
import type { Status } from '../../../runs/statuses.ts'

export type Assertion = CaseDetail['asserts'][number]

/** The status of a case that corresponds to the status of an assertion. */
export const assertionStatus = ({ status }: Pick<Assertion, 'status'>): Status =>
  status === 'skipped' ? 'skip' : status

/** Whether an assertion speaks against the case: it failed or could not be evaluated. */
export const isFailing = ({ status }: Pick<Assertion, 'status'>): boolean => status === 'fail' || status === 'error'

/** The fields of the definition as the author wrote them, without those that are shown elsewhere. */
export const fieldsBeyond = (
  { criteria }: Pick<Named, 'criteria'>,
  shown: readonly string[],
): ReadonlyArray<readonly [name: string, value: unknown]> => {
  if (criteria === undefined || criteria === null) return []
  if (typeof criteria !== 'object' || Array.isArray(criteria)) return [['criteria', criteria]]
  return Object.entries(criteria).filter(([name]) => !shown.includes(name))
}

type Fields = Readonly<Record<string, unknown>>
const asFields = (value: unknown): Fields => (isObject(value) ? value : {})

// The threshold of these kinds is a limit of dollars, milliseconds or tokens.
const LIMIT_KINDS = ['cost', 'latency', 'tokens']

/** The score that the assertion needs to pass; null if its definition has none. */
export const assertionThreshold = ({ kind, criteria }: Named): number | null => {
  const threshold = asFields(criteria)['threshold']
  return typeof threshold === 'number' && !LIMIT_KINDS.includes(kind) ? threshold : null
}

/**
 * A score with two decimals; with three where two would read as the threshold that it missed: `0.798` needs 0.80.
 */
export const scoreText = (score: number, threshold: number | null): string =>
  threshold !== null && score < threshold && score.toFixed(2) === threshold.toFixed(2)
    ? score.toFixed(3)
    : score.toFixed(2)

/** The width of the bar of a score, in pixels. */
export const GAUGE = 48

/**
 * The bar of a score between 0 and 1, and the mark of what it needs, in pixels from its start. Null for a score that is
 * all or nothing.
 */
export const scoreGauge = (
  { status, score }: Pick<Assertion, 'status' | 'score'>,
  needs: number | null,
): { readonly score: number; readonly mark: number | null } | null => {
  const x = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * GAUGE * 10) / 10
  if (status === 'skipped' || (needs === null && (score <= 0 || score >= 1))) return null
  return { score: x(score), mark: needs === null ? null : x(needs) }
}

/** The assertions in the order in which they explain the verdict: those that speak against the case first. */
export const inOrder = <T extends Pick<Assertion, 'status'>>(asserts: readonly T[]): T[] => {
  const rank = { fail: 0, error: 0, pass: 1, skipped: 2 } as const
  return asserts.toSorted((a, b) => rank[a.status] - rank[b.status])
}

/** `3 of 4 failed` or `4 of 4 passed`, followed by the number of skipped assertions: `, 1 not evaluated`. */
export const tally = (asserts: readonly Pick<Assertion, 'status'>[]): string => {
  const skipped = asserts.filter(({ status }) => status === 'skipped').length
  const failed = asserts.filter(isFailing).length
  const passed = asserts.length - skipped - failed
  return `${failed > 0 ? `${failed} of ${asserts.length} failed` : `${passed} of ${asserts.length} passed`}${skipped > 0 ? `, ${skipped} not evaluated` : ''}`
}

/**
 * Whether several judges of the same metric agree: `The judges agree on completeness and disagree on accuracy.` Null if no
 * metric has two judges.
 */
export const agreement = (asserts: ReadonlyArray<Named & Pick<Assertion, 'status'>>): string | null => {
  const byMetric = new Map<string, { readonly judges: Set<string>; readonly statuses: Set<string> }>()
  for (const assertion of asserts) {
    const { title, judge } = assertionName(assertion)
    if (judge === null) continue
    const { judges, statuses } = byMetric.get(title) ?? { judges: new Set(), statuses: new Set() }
    byMetric.set(title, { judges: judges.add(judge), statuses: statuses.add(assertion.status) })
  }
  const judged = [...byMetric].filter(([, { judges }]) => judges.size > 1)
  const names = (isAgreed: boolean): string =>
    judged
      .filter(([, { statuses }]) => (statuses.size === 1) === isAgreed)
      .map(([name]) => name)
      .join(' and ')
  const [agreed, disputed] = [names(true), names(false)]
  if (agreed === '' && disputed === '') return null
  if (disputed === '') return `The judges agree on ${agreed}.`
  return agreed === ''
    ? `The judges disagree on ${disputed}.`
    : `The judges agree on ${agreed} and disagree on ${disputed}.`
}
