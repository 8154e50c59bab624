import type { Filter } from '../evaluation/runtime.ts'
import { codecFilters } from './codecs.ts'
import { listFilters } from './lists.ts'
import { numberFilters } from './numbers.ts'
import { textFilters } from './text.ts'

/** The filters by name. */
export const filters: ReadonlyMap<string, Filter> = new Map([
  ...textFilters,
  ...listFilters,
  ...numberFilters,
  ...codecFilters,
])
