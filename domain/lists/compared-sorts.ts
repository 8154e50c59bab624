/** The orders of the cases of a comparison. `change`: by what happened to them. The others are values of a pair. */
export const COMPARED_SORTS = [
  'change',
  'name',
  'tags',
  'base_score',
  'head_score',
  'score_change',
  'flips',
  'base_latency',
  'head_latency',
  'tokens_change',
] as const
export type ComparedSort = (typeof COMPARED_SORTS)[number]
