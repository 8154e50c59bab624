import { onPostgres } from '../stores/open-fresh.ts'

const times = Number(process.env['SPEC_RUNS'] ?? 1)
if (!(times > 0)) throw new Error(`SPEC_RUNS must be a number above 0, got "${process.env['SPEC_RUNS']}"`)

/**
 * Returns the number of inputs of a costly property. `onDatabase` is the number on PostgreSQL. Inputs are the same in
 * every run, so a larger number finds new failures only in the first run. `SPEC_RUNS=10` draws ten times as many, for a
 * longer search with `SPEC_SEED=random`.
 */
export const runCount = (onSqlite: number, onDatabase = onSqlite): number =>
  Math.ceil((onPostgres ? onDatabase : onSqlite) * times)

/**
 * Returns whether case `n` of a long table runs. All cases run on SQLite. On PostgreSQL only one case in
 * `oneIn` runs. This is enough if the answer comes before a storage is read, or from code that both databases share.
 */
export const isSelected = (n: number, oneIn = 8): boolean => !onPostgres || n % oneIn === 0
