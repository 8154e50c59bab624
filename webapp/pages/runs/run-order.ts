import type { RunSort } from '../../../queries/runs/sorted-runs.ts'
import type { Direction, ListOrder } from '../../composables/use-list-order.ts'

/** The columns by which the runs can be sorted, each with the direction of the first click. */
export const RUN_DIRECTIONS: Readonly<Record<RunSort, Direction>> = {
  time: 'desc',
  uploaded: 'desc',
  pass_rate: 'asc',
  cost: 'desc',
  duration: 'desc',
}
export const NEWEST_FIRST: ListOrder = { sort: 'time', order: 'desc' }

const WORDS: Readonly<Record<RunSort, Readonly<Record<Direction, string>>>> = {
  time: { desc: 'newest first', asc: 'oldest first' },
  uploaded: { desc: 'last uploaded first', asc: 'first uploaded first' },
  pass_rate: { desc: 'highest pass rate first', asc: 'lowest pass rate first' },
  cost: { desc: 'highest cost first', asc: 'lowest cost first' },
  duration: { desc: 'longest first', asc: 'shortest first' },
}
export const orderWords = ({ sort, order }: ListOrder): string => WORDS[sort as RunSort]?.[order] ?? ''

/** The columns that a user can hide. */
export const RUN_COLUMNS = {
  model: 'Model',
  change: 'Worse / better',
  pass: 'Pass',
  fail: 'Fail',
  error: 'Error',
  skip: 'Skip',
  cost: 'Cost',
  tokens: 'Tokens',
  duration: 'Duration',
  from: 'From',
} as const
