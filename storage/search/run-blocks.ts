import { RUN_MARK } from './tsvector.ts'

/**
 * Run numbers form blocks of 64, 256, 1,024, … A row contains a token for each of its run's blocks. So the newest hits
 * of a common word are found among the newest runs, without reading all rows that contain it.
 */
const SHIFTS = [6, 8, 10, 12, 14, 16, 18, 20] as const

/** The block tokens of a run. The search functions of the database build the same tokens. */
export const spanTokens = (run_no: number): string[] =>
  SHIFTS.map((shift) => `${RUN_MARK}${shift}.${Math.floor(run_no / 2 ** shift)}`)
