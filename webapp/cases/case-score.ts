import type { Status } from '../runs/statuses.ts'

/**
 * The score of a case; null if there is none. A score of 0 counts as none for a skipped case, because nothing was
 * measured.
 */
export const caseScore = (status: Status | null, score: number | null): number | null =>
  status === 'skip' && score === 0 ? null : score
