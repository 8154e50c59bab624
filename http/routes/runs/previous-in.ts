import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import type { PreviousRun } from '../../../queries/runs/previous-run.ts'

/** The previous like run in the answer of a reader thread; null if the run was deleted meanwhile. */
export const previousIn = (answer: LongReadAnswer | null): PreviousRun | null => {
  if (answer === null) return null
  const { body } = answer
  return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()) as PreviousRun
}
