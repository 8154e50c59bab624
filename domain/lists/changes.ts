import type { CaseStatus } from '../run/document.ts'
import { decisionOf } from '../statistics/comparison.ts'

/** What happened to a case, in the order of the list. `undecided`: skipped, or failed as expected, in one run or both. */
export const CHANGES = [
  'worse',
  'better',
  'undecided',
  'still_failing',
  'still_passing',
  'base_only',
  'head_only',
] as const
export type Change = (typeof CHANGES)[number]

/**
 * Which cases are listed. `changed`: worse or better. `lost`: passed in the base, skipped in the head: a part of
 * `undecided`. `flipped`: the same verdict, but an assertion has another.
 */
export const CHANGE_FILTERS = ['changed', ...CHANGES, 'lost', 'flipped', 'all'] as const
export type ChangeFilter = (typeof CHANGE_FILTERS)[number]

/** Whether a case that passed in the base is skipped in the head. */
export const isLost = (base: CaseStatus | undefined, head: CaseStatus | undefined): boolean =>
  base !== undefined && decisionOf(base) === 'passing' && head === 'skip'

/** A pair of cases. `isLost`: skipped after a pass. `isFlipped`: the verdict is the same, but an assertion has another. */
type Changed = { readonly change: Change; readonly isLost: boolean; readonly isFlipped: boolean }

/** Whether a filter lists a pair of cases. */
export const matchesFilter = (filter: ChangeFilter, { change, isLost, isFlipped }: Changed): boolean => {
  if (filter === 'all') return true
  if (filter === 'lost') return isLost
  if (filter === 'flipped') return isFlipped
  if (filter === 'changed') return change === 'worse' || change === 'better'
  return change === filter
}
