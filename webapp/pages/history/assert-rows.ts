import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { Status } from '../../runs/statuses.ts'

type Assertion = CaseDetail['asserts'][number]

/** An assertion in both runs of a pair; null where it is not in one of them. */
export type AssertRow = {
  readonly name: string
  readonly before: Status | null
  readonly after: Status | null
  readonly isFlipped: boolean
  readonly reason: string | null
}

/** Maximum number of characters of a criterion in a name. */
const MAX_NAME = 80

const assertStatus = ({ status }: Assertion): Status => (status === 'skipped' ? 'skip' : status)

/** The kind of an assertion, and the first text of its definition, which distinguishes assertions of one kind. */
const assertName = ({ kind, criteria }: Assertion): string => {
  const values: Array<[field: string, value: unknown]> =
    typeof criteria === 'object' && criteria !== null ? Object.entries(criteria) : [['criteria', criteria]]
  const text = values.find(([field, value]) => field !== 'type' && typeof value === 'string' && value !== '')?.[1]
  return typeof text === 'string' ? `${kind} ${text.slice(0, MAX_NAME)}` : kind
}

/** The assertions of two results, those whose verdict changed first. The n-th of a name matches the n-th of that name. */
export const assertRows = (before: readonly Assertion[], after: readonly Assertion[]): AssertRow[] => {
  const left = Map.groupBy(before, assertName)
  const right = Map.groupBy(after, assertName)
  const rows = [...new Set([...before, ...after].map(assertName))].flatMap((name) => {
    const [olds, news] = [left.get(name) ?? [], right.get(name) ?? []]
    return Array.from({ length: Math.max(olds.length, news.length) }, (_, n): AssertRow => {
      const [older, newer] = [olds[n], news[n]]
      const [from, to] = [older ? assertStatus(older) : null, newer ? assertStatus(newer) : null]
      return { name, before: from, after: to, isFlipped: from !== to, reason: newer?.reason ?? older?.reason ?? null }
    })
  })
  return rows.toSorted((a, b) => Number(b.isFlipped) - Number(a.isFlipped))
}
