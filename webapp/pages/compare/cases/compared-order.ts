import { COMPARED_SORTS } from '../../../../domain/lists/compared-sorts.ts'
import type { Direction, ListOrder } from '../../../composables/use-list-order.ts'

/** The order of the cases of a comparison without parameters: in groups by what happened to them. */
export const BY_CHANGE: ListOrder = { sort: 'change', order: 'asc' }

const ASCENDING: ReadonlySet<string> = new Set(['change', 'name', 'tags'])

/** The direction in which each column is sorted first: numbers from the largest. */
export const DIRECTIONS = Object.fromEntries(
  COMPARED_SORTS.map((sort): [string, Direction] => [sort, ASCENDING.has(sort) ? 'asc' : 'desc']),
)
