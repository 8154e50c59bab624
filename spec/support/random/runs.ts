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
