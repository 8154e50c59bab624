import type { Status } from '../runs/statuses.ts'

/**
 * The score of a case, or null. A document has 0 for a skipped case, although nothing was measured.
 */
export const scoreOf = (status: Status | null, score: number | null): number | null =>
  status === 'skip' && score === 0 ? null : score
