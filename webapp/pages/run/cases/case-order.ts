import type { CaseSort } from '../../../../domain/lists/case-order.ts'
import type { Direction, ListOrder } from '../../../composables/use-list-order.ts'

/** The columns by which the cases can be sorted, each with the direction of the first click. */
export const CASE_DIRECTIONS: Readonly<Record<CaseSort, Direction>> = {
  document: 'asc',
  failures: 'asc',
  status: 'asc',
  score: 'asc',
  latency: 'desc',
  cost: 'desc',
  name: 'asc',
}
/** The order without parameters in the address. */
export const FAILURES_FIRST: ListOrder = { sort: 'failures', order: 'asc' }
/** The order without parameters in a request. */
export const isDocumentOrder = ({ sort, order }: ListOrder): boolean => sort === 'document' && order === 'asc'

const WORDS: Readonly<Record<CaseSort, Readonly<Record<Direction, string>>>> = {
  document: { asc: 'in the order of the document', desc: 'last first' },
  failures: { asc: 'failures first', desc: 'passes first' },
  status: { asc: 'by status', desc: 'by status, reversed' },
  score: { asc: 'lowest score first', desc: 'highest score first' },
  latency: { asc: 'fastest first', desc: 'slowest first' },
  cost: { asc: 'lowest cost first', desc: 'highest cost first' },
  name: { asc: 'by name', desc: 'by name, reversed' },
}
export const orderWords = ({ sort, order }: ListOrder): string => WORDS[sort as CaseSort]?.[order] ?? ''

/** The columns that a user can hide. */
export const CASE_COLUMNS = { score: 'Score', tokens: 'Tokens', cost: 'Cost', latency: 'Latency' } as const
