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

/** Which cases are listed. `changed`: worse or better. `flipped`: the same verdict, but an assertion has another. */
export const CHANGE_FILTERS = ['changed', ...CHANGES, 'flipped', 'all'] as const
export type ChangeFilter = (typeof CHANGE_FILTERS)[number]

/** A pair of cases. `isFlipped`: the verdict is the same, but an assertion has another. */
type Changed = { readonly change: Change; readonly isFlipped: boolean }

/** Whether a filter lists a pair of cases. */
export const matchesFilter = (filter: ChangeFilter, { change, isFlipped }: Changed): boolean => {
  if (filter === 'all') return true
  if (filter === 'flipped') return isFlipped
  if (filter === 'changed') return change === 'worse' || change === 'better'
  return change === filter
}
