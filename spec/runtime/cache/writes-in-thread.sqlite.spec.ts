import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSharedCache, type StartedSharedCache } from '../../../runtime/cache/open-cache.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { freshCacheLocation, type CacheLocation } from '../../support/stores/cache-store.ts'

let location: CacheLocation
let threads: Worker[]
const onWorker = (worker: Worker): void => void threads.push(worker)
beforeEach(async () => {
  threads = []
  process.on('worker', onWorker)
  location = await freshCacheLocation()
})
afterEach(async () => {
  process.off('worker', onWorker)
  await location.close()
})

const open = async (idleMs = 1_000_000): Promise<StartedSharedCache> => {
  const cache = startSharedCache({ store: location.storeLocation, idleMs })
  await cache.whenReady
  return cache
}
const put = ({ sharedCache }: StartedSharedCache, name: string): Promise<boolean> =>
  sharedCache.put(cacheKeyOf(name), new Uint8Array(aBody()))
const file = (): string => join(location.dir, 'cache.db')
const edit = (sql: string): void => {
  const database = new Database(file())
  database.exec(sql)
  database.close()
}

/** A cache with one entry, closed. Forgets the threads until here. */
const aClosedCache = async (): Promise<void> => {
  const cache = await open()
  expect(await put(cache, 'a')).toBe(true)
  await cache.close()
  expect(threads.splice(0)).toHaveLength(1)
}

it('has no thread until something is written', async () => {
  await aClosedCache()
  const cache = await open()
  expect(await cache.sharedCache.find(cacheKeyOf('a'))).not.toBeNull()
  cache.startIndexing()
  await cache.sharedCache.settle()
  expect(threads).toHaveLength(0)
  expect(await Promise.all([put(cache, 'a'), put(cache, 'b')])).toEqual([false, true])
  expect(threads).toHaveLength(1)
  await cache.close()
  expect(readdirSync(location.dir)).toEqual(['cache.db'])
})

it('evicts nothing from an empty cache without a thread', async () => {
  const empty = await open()
  await empty.close()
  threads.length = 0
  const cache = await open()
  const eviction = {
    selection: { created_before: Date.now(), created_from: null, empty_reasons: null, model: null, kind: null },
    target_bytes: 0,
  }
  expect(await cache.sharedCache.evict(eviction)).toEqual({ pruned: 0, bytes: 0, failed: null })
  expect(threads).toHaveLength(0)
  expect(await put(cache, 'a')).toBe(true)
  expect(await cache.sharedCache.evict(eviction)).toMatchObject({ pruned: 1 })
  expect(threads).toHaveLength(1)
  await cache.close()
})

it('is one complete file after a stop without a thread', async () => {
  await aClosedCache()
  const cache = await open()
  expect(await cache.sharedCache.find(cacheKeyOf('a'))).not.toBeNull()
  await cache.close()
  expect([threads.length, readdirSync(location.dir)]).toEqual([0, ['cache.db']])
})

it('ends an idle thread, and starts the next one for the next call', async () => {
  await aClosedCache()
  const cache = await open(1)
  for (const name of ['b', 'c']) {
    expect(await put(cache, name)).toBe(true)
    const thread = threads.at(-1)
    if (thread && thread.threadId >= 0) await once(thread, 'exit')
  }
  expect(threads).toHaveLength(2)
  await cache.close()
  const again = await open()
  expect(await again.sharedCache.find(cacheKeyOf('c'))).not.toBeNull()
  expect(threads).toHaveLength(2)
  await again.close()
})

it.each([
  ['an entry has no index of this build', 'UPDATE cache_entries SET rules = 1'],
  ['the words of an entry are missing', "UPDATE cache_totals SET value = 0 WHERE name = 'worded'"],
  ['a table is missing', 'DROP TABLE cache_facets'],
  ['a migration is missing', 'DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)'],
])('has a thread at once if %s', async (_, sql) => {
  await aClosedCache()
  edit(sql)
  const cache = startSharedCache({ store: location.storeLocation })
  await cache.whenReady
  expect(threads).toHaveLength(1)
  await cache.close()
})

it('keeps a file that is damaged while it is read, until the next start', async () => {
  await aClosedCache()
  const cache = await open()
  expect(await cache.sharedCache.find(cacheKeyOf('a'))).not.toBeNull()
  writeFileSync(`${file()}.found-damaged`, '')
  await expect(put(cache, 'b')).rejects.toThrow(Unavailable)
  expect(existsSync(`${file()}.damaged`)).toBe(false)
  // The process goes on, and so do reads.
  expect(await cache.sharedCache.find(cacheKeyOf('a'))).not.toBeNull()
  await cache.close()
  const next = await open()
  expect([existsSync(`${file()}.damaged`), await put(next, 'b')]).toEqual([true, true])
  await next.close()
})
