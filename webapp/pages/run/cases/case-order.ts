import type { CaseSort } from '../../../../domain/lists/case-order.ts'
import type { Direction, ListOrder } from '../../../composables/use-list-order.ts'

/** The columns by which the cases can be sorted, each with the direction of the first click. */
export const CASE_DIRECTIONS: Readonly<Record<CaseSort, Direction>> = {
  document: 'asc',
  status: 'asc',
  score: 'asc',
  latency: 'desc',
  cost: 'desc',
  name: 'asc',
}
export const DOCUMENT_ORDER: ListOrder = { sort: 'document', order: 'asc' }

const WORDS: Readonly<Record<CaseSort, Readonly<Record<Direction, string>>>> = {
  document: { asc: 'in the order of the document', desc: 'last first' },
  status: { asc: 'failures first', desc: 'passes first' },
  score: { asc: 'lowest score first', desc: 'highest score first' },
  latency: { asc: 'fastest first', desc: 'slowest first' },
  cost: { asc: 'lowest cost first', desc: 'highest cost first' },
  name: { asc: 'by name', desc: 'by name, reversed' },
}
export const orderWords = ({ sort, order }: ListOrder): string => WORDS[sort as CaseSort]?.[order] ?? ''

/** The columns that a user can hide. */
export const CASE_COLUMNS = { score: 'Score', tokens: 'Tokens', cost: 'Cost', latency: 'Latency' } as const
