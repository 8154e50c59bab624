import { onPostgres } from '../stores/open-fresh.ts'

const times = Number(process.env['SPEC_RUNS'] ?? 1)
if (!(times > 0)) throw new Error(`SPEC_RUNS must be a number above 0, got "${process.env['SPEC_RUNS']}"`)

/**
 * Returns the number of inputs of a costly property; a second number is the one for PostgreSQL. Inputs are the same in
 * every run, so a larger number finds something new only once. `SPEC_RUNS=10` draws ten times as many, for a longer
 * search with `SPEC_SEED=random`.
 */
export const runCount = (onSqlite: number, onDatabase = onSqlite): number =>
  Math.ceil((onPostgres ? onDatabase : onSqlite) * times)

/**
 * Whether a case of a long table runs: all do on SQLite. On PostgreSQL one in `many` is enough for cases that are
 * decided before a storage is read, or by shared code. `n` is the case's own number.
 */
export const isSelected = (n: number, oneIn = 8): boolean => !onPostgres || n % oneIn === 0
