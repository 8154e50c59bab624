import { MARK } from './tsvector.ts'

/**
 * Runs stand in blocks of 64, 256, 1,024, … of their numbers. A row holds a token for each of its blocks, so that the
 * newest hits of a common word are found among the newest runs, without going through all rows that hold it.
 */
const SHIFTS = [6, 8, 10, 12, 14, 16, 18, 20] as const

/** The tokens of the blocks of a run. The functions of the database that look for hits write them the same way. */
export const spanTokens = (run_no: number): string[] =>
  SHIFTS.map((shift) => `${MARK}r${shift}.${Math.floor(run_no / 2 ** shift)}`)
