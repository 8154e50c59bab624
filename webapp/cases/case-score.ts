import type { Status } from '../runs/statuses.ts'

/**
 * The score of a case; null where it has none. A document writes 0 for a case that was skipped: nothing was measured.
 */
export const scoreOf = (status: Status | null, score: number | null): number | null =>
  status === 'skip' && score === 0 ? null : score
