import { addWords } from '../cache/words.ts'
import type { CacheStore } from '../cache/store.ts'
import { openPool } from './pool.ts'
import type { PoolOptions } from './pool.ts'
import { statement } from '../sql.ts'
import { askAll, runInTurn } from '../commit/steps.ts'

/**
 * Names the lock that orders all changes of the cache, whichever replica makes them; beside those of the log, of
 * migrations and of rebuilds.
 */
export const CACHE_LOCK = 0x657273_04

/**
 * Waits for the cache. A commit is not waited for until it is on disk: a server that crashes may lose the last entries,
 * which are asked for again. What is evicted is recorded in the log after it, whose commit takes it to disk along.
 */
const TAKE_CACHE = statement`SELECT pg_advisory_xact_lock(${CACHE_LOCK}), set_config('synchronous_commit', 'off', true)`

/**
 * The cache in a database whose schema is current, shared with every other replica. Here one change is made at a time,
 * so that those that wait for the lock hold no connection. The lock is taken by a statement of its own: every later one
 * sees what the holder before left.
 */
export const openPostgresCache = async (options: Omit<PoolOptions, 'connections'>): Promise<CacheStore> => {
  // One for changes, one for what an eviction or the index looks for before them.
  const pool = await openPool({ ...options, connections: 2 })
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    // Who asked for it is told; the next goes on all the same.
    last = done.catch(() => {})
    return done
  }
  const change: CacheStore['change'] = ({ facts, decide }) =>
    inTurn(() =>
      pool.connected(async ({ read, run, control }) => {
        await control('BEGIN')
        await run(TAKE_CACHE)
        const { statements, result, words = [] } = decide(await runInTurn(askAll(facts), { read, run }), 'postgres')
        for (const each of statements) await run(each)
        // At once: another replica cannot ask this one to settle.
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
    settle: async () => {},
    close: async () => {
      await last
      await pool.close()
    },
  }
}
