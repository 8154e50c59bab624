import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openCacheWriter, type CacheWriter } from '../../../runtime/cache/cache-writer.ts'
import { MAX_NEW } from '../../../runtime/cache/index-new.ts'
import { listCacheFacets } from '../../../queries/cache/facets.ts'
import { listCacheEntries } from '../../../queries/cache/list.ts'
import { findTotal } from '../../../storage/cache/entries.ts'
import { Unavailable } from '../../../storage/errors.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, putAll, type SpecCache } from '../../support/stores/cache-store.ts'

let cache: SpecCache
let writer: CacheWriter
let logged: unknown[]
let failure: Error | null
beforeEach(async () => {
  cache = await openCacheStore()
  logged = []
  failure = null
  // The time of these specs is moved, so that only what they ask for is indexed.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await putAll(cache.store, { 'of an earlier process': aBody({ output: 'plum' }) }, { indexed: false })
  const store: CacheStore = {
    ...cache.store,
    change: (change) => (failure && 'rows' in change.facts ? Promise.reject(failure) : cache.store.change(change)),
  }
  writer = openCacheWriter({ store, now: () => 1000, onRemoved: () => {}, log: (...line) => logged.push(line) })
})
afterEach(async () => {
  vi.useRealTimers()
  failure = null
  await writer.close()
  await cache.close()
})

const put = (from: number, to: number): Promise<boolean[]> =>
  Promise.all(
    Array.from({ length: to - from }, (_, i) =>
      writer.put(cacheKeyOf(`${from + i}`), aBody({ output: 'apple', model: 'm', kind: 'judge' })),
    ),
  )
const unindexed = (): Promise<number> => cache.store.read(findTotal('unindexed'))
const found = async (q: string): Promise<number> =>
  (await listCacheEntries(cache.store, { q }, { sort: 'created', order: 'desc' }, { limit: 200 })).entries.length
const EARLIER = 1

it('a new entry is found by its fields and words once the writer is settled', async () => {
  expect(await put(0, 3)).toEqual([true, true, true])
  expect([await unindexed(), await found('apple')]).toEqual([EARLIER + 3, 0])
  await writer.settle()
  expect([await unindexed(), await found('apple'), await found('plum')]).toEqual([EARLIER, 3, 0])
  expect(await listCacheFacets(cache.store)).toMatchObject({ models: [{ value: 'm', count: 3 }] })
  // What is put again has its index already.
  expect(await put(2, 4)).toEqual([false, true])
  await Promise.all([writer.settle(), writer.settle()])
  expect([await unindexed(), await found('apple')]).toEqual([EARLIER, 4])
})

it('is indexed when no other arrives for a while', async () => {
  await put(0, 1)
  vi.advanceTimersByTime(99)
  await put(1, 100)
  vi.advanceTimersByTime(99)
  expect(await unindexed()).toBe(EARLIER + 100)
  vi.advanceTimersByTime(1)
  while ((await unindexed()) > EARLIER) await new Promise((resolve) => setImmediate(resolve))
  expect(await found('apple')).toBe(100)
})

it('does not wait with too many others', async () => {
  await put(0, MAX_NEW)
  expect(await unindexed()).toBe(EARLIER + MAX_NEW)
  await put(MAX_NEW, MAX_NEW + 400)
  // The last group is stored, and the batch before the next one may not have begun.
  expect(await unindexed()).toBeLessThanOrEqual(EARLIER + MAX_NEW + 64)
  await writer.settle()
  expect(await unindexed()).toBe(EARLIER)
})

it('is selected by an eviction, and counted by its preview', async () => {
  const eviction = {
    selection: { created_before: null, created_from: null, empty_reasons: null, model: null, kind: 'judge' },
    target_bytes: null,
  }
  await put(0, 2)
  expect(await writer.preview(eviction, 0)).toMatchObject({ entries: 2 })
  await put(2, 3)
  expect(await writer.wouldEvict([eviction])).toBe(3)
  await put(3, 4)
  expect(await writer.evict(eviction)).toMatchObject({ pruned: 4 })
})

it('is stored while it cannot be indexed, and indexed later', async () => {
  failure = new Error('disk full')
  expect(await put(0, 2)).toEqual([true, true])
  await expect(writer.settle()).rejects.toThrow('disk full')
  vi.advanceTimersByTime(100)
  while (logged.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(logged).toEqual([['cache entries cannot be indexed', { error: 'Error: disk full' }]])
  failure = null
  await writer.settle()
  expect(await found('apple')).toBe(2)
})

it('is indexed at once if it is large', async () => {
  const output = `apple ${'pear '.repeat(20_000)}`
  expect(await writer.put(cacheKeyOf('large'), aBody({ output }))).toBe(true)
  expect([await unindexed(), await found('apple')]).toEqual([EARLIER, 1])
  await put(0, 1)
  await writer.settle()
  expect([await unindexed(), await found('apple')]).toEqual([EARLIER, 2])
})

it('that is removed before it is indexed stays removed', async () => {
  await put(0, 2)
  expect(await writer.remove(cacheKeyOf('1'))).toBe(true)
  await writer.settle()
  expect([await unindexed(), await found('apple')]).toEqual([EARLIER, 1])
})

it('has its index when the writer is closed', async () => {
  const own = await openCacheStore()
  const closing = openCacheWriter({ store: own.store, now: () => 1, onRemoved: () => {}, log: () => {} })
  await closing.put(cacheKeyOf('a'), aBody())
  expect(await own.store.read(findTotal('unindexed'))).toBe(1)
  await closing.close()
  expect(await own.sql.column("SELECT value FROM cache_totals WHERE name = 'unindexed'")).toEqual([0])
  await own.close().catch(() => {})
})

it('indexes earlier entries too if the store could not be read at the start', async () => {
  await writer.close()
  await cache.close()
  cache = await openCacheStore()
  await putAll(cache.store, { 'of an earlier process': aBody({ output: 'plum' }) }, { indexed: false })
  let isAway = true
  const store: CacheStore = {
    ...cache.store,
    read: (query) => (isAway ? Promise.reject(new Unavailable('away')) : cache.store.read(query)),
  }
  writer = openCacheWriter({ store, now: () => 1000, onRemoved: () => {}, log: (...line) => logged.push(line) })
  isAway = false
  await put(0, 1)
  await writer.settle()
  expect([await unindexed(), await found('apple'), await found('plum')]).toEqual([0, 1, 1])
})
