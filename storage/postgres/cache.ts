import PQueue from 'p-queue'
import { addWords } from '../cache/words.ts'
import type { CacheStore } from '../cache/store.ts'
import { openPool, type PoolOptions } from './pool.ts'
import { statement } from '../sql.ts'
import { askAll, runAsync } from '../commit/steps.ts'

/**
 * The advisory lock that serializes all changes of the cache across replicas. The log, migrations and rebuilds have
 * their own locks.
 */
export const CACHE_LOCK = 0x657273_04

/**
 * Takes the lock of the cache. The commit does not wait for the disk: a crashed server may lose the last entries, and
 * clients request them again. An eviction is recorded in the log afterwards; that commit also flushes the eviction.
 */
const TAKE_CACHE = statement`SELECT pg_advisory_xact_lock(${CACHE_LOCK}), set_config('synchronous_commit', 'off', true)`

/**
 * The cache in a database with a current schema, shared by all replicas. This process makes one change at a time, so
 * that waiting changes occupy no connection. A separate statement takes the lock, so every later statement sees the
 * changes of the previous holder.
 */
export const openPostgresCache = async (options: Omit<PoolOptions, 'connections'>): Promise<CacheStore> => {
  // One connection for changes, one for the reads that precede an eviction or indexing.
  const pool = await openPool({ ...options, connections: 2 })
  const changes = new PQueue({ concurrency: 1 })
  const change: CacheStore['change'] = ({ facts, decide }) =>
    changes.add(() =>
      pool.withConnection(async ({ read, run, control }) => {
        await control('BEGIN')
        await run(TAKE_CACHE)
        const { statements, result, words = [] } = decide(await runAsync(askAll(facts), { read, run }), 'postgres')
        for (const statement of statements) await run(statement)
        if (words.length > 0) await run(addWords(words))
        await control('COMMIT')
        return result
      }),
    )
  return {
    dialect: 'postgres',
    read: pool.read,
    readAll: pool.readAll,
    change,
    close: async () => {
      await changes.onIdle()
      await pool.close()
    },
  }
}
