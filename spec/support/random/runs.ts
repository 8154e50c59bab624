import { onPostgres } from '../stores/open-fresh.ts'

const times = Number(process.env['SPEC_RUNS'] ?? 1)
if (!(times > 0)) throw new Error(`SPEC_RUNS must be a number above 0, got "${process.env['SPEC_RUNS']}"`)

/**
 * How many inputs a costly property draws, fewer on PostgreSQL where a second number is given. What is drawn is the
 * same in every run: a larger number can find something new only the first time it runs. `SPEC_RUNS=10` draws ten times
 * as many, for a longer look with `SPEC_SEED=random`.
 */
export const runs = (usual: number, onDatabase = usual): number => Math.ceil((onPostgres ? onDatabase : usual) * times)

/**
 * Whether a case of a long table is taken: all of them on SQLite. What is decided before a storage is asked, or by code
 * that both share, is so on PostgreSQL too, where one of so many is enough. `n` is the case's own number.
 */
export const isTaken = (n: number, many = 8): boolean => !onPostgres || n % many === 0
