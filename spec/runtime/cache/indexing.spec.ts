import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { indexBatch, keepIndexing, PAUSE_MS, RECHECK_MS } from '../../../runtime/cache/indexing.ts'
import { listCacheFacets } from '../../../queries/cache/facets.ts'
import { listCacheEntries } from '../../../queries/cache/list.ts'
import { findTotal } from '../../../storage/cache/entries.ts'
import { CURRENT_INDEX_VERSION } from '../../../storage/cache/index-version.ts'
import { countOutdated } from '../../../storage/cache/selection.ts'
import { aBody } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, putAll, type SpecCache } from '../../support/stores/cache-store.ts'

let cache: SpecCache
beforeEach(async () => void (cache = await openCacheStore()))
afterEach(() => cache.close())

const many = (count: number, prefix = ''): Record<string, Buffer> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, aBody({ model: 'm' })]))
const found = async (q: string): Promise<number> =>
  (await listCacheEntries(cache.store, { q }, { sort: 'created', order: 'desc' }, { limit: 200 })).entries.length

describe('indexing a batch of entries', () => {
  it('takes two hundred entries at a time until none is left', async () => {
    await putAll(cache.store, many(450), { indexed: false })
    expect([await found('hello'), await cache.store.read(findTotal('unindexed'))]).toEqual([0, 450])
    for (const [batch, left] of [
      [200, 250],
      [200, 50],
      [50, 0],
      [0, 0],
    ] as const) {
      expect(await indexBatch(cache.store, 1)).toBe(batch)
      expect(await cache.store.read(findTotal('unindexed'))).toBe(left)
    }
    expect(await found('hello')).toBe(200)
    expect(await listCacheFacets(cache.store)).toMatchObject({
      kinds: [{ value: 'provider', count: 450 }],
      models: [{ value: 'm', count: 450 }],
      unindexed: 0,
    })
  })

  it('ends a batch at 16 MiB of bodies, and takes a larger body alone', async () => {
    const large = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * 1024 * 1024, 'x')
    await putAll(cache.store, { a: large(17), b: large(9), c: large(9), d: large(5) }, { indexed: false })
    const batches: number[] = []
    for (let done = 1; done > 0;) batches.push((done = await indexBatch(cache.store, 1)))
    expect(batches).toEqual([1, 1, 2, 0])
  })

  it('reads an unparseable body once', async () => {
    await putAll(cache.store, { a: Buffer.from('opaque'), b: aBody() }, { indexed: false })
    expect(await indexBatch(cache.store, 1)).toBe(2)
    expect(await indexBatch(cache.store, 1)).toBe(0)
    expect(await indexBatch(cache.store, 2)).toBe(1)
    expect(await listCacheFacets(cache.store)).toMatchObject({ unparseable: 1 })
  })

  it('reads a body again that an older version could not parse', async () => {
    const body = JSON.stringify({ created_at: '2026-05-03T22:10:00Z', output: null, model: 'm' })
    await putAll(
      cache.store,
      { a: Buffer.from('{"output":1}'), b: Buffer.from(body), c: Buffer.from('opaque') },
      { rules: 1 },
    )
    // The state that an older version leaves: it could parse none of the three bodies, and marked `b` as final.
    await cache.sql.execute(
      "UPDATE cache_entries SET parseable = FALSE, rules = 1000000, model = NULL, output_preview = NULL WHERE model = 'm'; UPDATE cache_totals SET value = 3 WHERE name = 'unparseable'; DELETE FROM cache_facets; DELETE FROM cache_search",
    )
    await cache.sql.execute(
      readFileSync(new URL('../../../migrations/cache/0004-unparseable-again.sql', import.meta.url), 'utf8'),
    )
    expect(await indexBatch(cache.store, 2)).toBe(3)
    expect(await listCacheFacets(cache.store)).toMatchObject({ models: [{ value: 'm', count: 1 }], unparseable: 2 })
    expect(
      (await listCacheEntries(cache.store, { model: 'm' }, { sort: 'created', order: 'desc' }, { limit: 5 })).entries,
    ).toMatchObject([{ parseable: true, output_preview: 'null' }])
    // A newer version may recognize other JSON as an entry, but never bytes that are not JSON.
    expect([await indexBatch(cache.store, 2), await indexBatch(cache.store, 3)]).toEqual([0, 2])
  })

  it('takes entries of an older version after those that are not indexed', async () => {
    await putAll(cache.store, many(150, 'old '), { rules: 1 })
    await putAll(cache.store, many(100, 'new '), { indexed: false })
    // Like rows that were stored before the column `empty_reason` existed: its value is unknown.
    await cache.sql.execute(
      "UPDATE cache_entries SET empty_reason = NULL; DELETE FROM cache_facets WHERE facet = 'empty_reason'",
    )
    expect(await cache.store.read(countOutdated(2))).toBe(150)
    expect(await indexBatch(cache.store, 2)).toBe(200)
    expect([await cache.store.read(findTotal('unindexed')), await cache.store.read(countOutdated(2))]).toEqual([0, 50])
    expect(await indexBatch(cache.store, 2)).toBe(50)
    expect(await found('hello')).toBe(200)
    expect(await listCacheFacets(cache.store)).toMatchObject({ kinds: [{ value: 'provider', count: 250 }] })
  })

  it('counts each entry once when two batches are indexed concurrently', async () => {
    await putAll(cache.store, many(100), { indexed: false })
    await Promise.all([indexBatch(cache.store, 1), indexBatch(cache.store, 1)])
    expect(await listCacheFacets(cache.store)).toMatchObject({
      kinds: [{ value: 'provider', count: 100 }],
      total: 100,
      unindexed: 0,
    })
  })
})

describe('indexing in the background', () => {
  const ENDED = new Error('ended')
  /** Runs a number of steps that take a minute each. */
  const run = async (
    steps: number,
    logged: Array<readonly [string, unknown]>,
    store = cache.store,
  ): Promise<number[]> => {
    const waits: number[] = []
    let elapsedMs = 0
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
      elapsedMs += 60_000
      if (waits.length === steps) throw ENDED
    }
    await keepIndexing({
      store,
      rules: CURRENT_INDEX_VERSION,
      wait,
      clock: () => elapsedMs,
      log: (message, fields) => logged.push([message, fields]),
    }).catch((error: unknown) => {
      if (error !== ENDED) throw error
    })
    return waits
  }

  it('pauses between batches, checks again later, and logs progress every 2 minutes', async () => {
    await putAll(cache.store, many(900), { indexed: false })
    const logged: Array<readonly [string, unknown]> = []
    expect(await run(7, logged)).toEqual([PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS, RECHECK_MS, RECHECK_MS])
    expect(logged).toEqual([
      ['indexing cache entries', { indexed: 200, unindexed: 700, outdated: 0 }],
      ['indexing cache entries', { indexed: 600, unindexed: 300, outdated: 0 }],
      ['indexing cache entries', { indexed: 900, unindexed: 0, outdated: 0 }],
      ['cache entries are indexed', { indexed: 900, unindexed: 0, outdated: 0 }],
    ])
  })

  it('logs nothing if there is nothing to do', async () => {
    const logged: Array<readonly [string, unknown]> = []
    expect(await run(2, logged)).toEqual([RECHECK_MS, RECHECK_MS])
    expect(logged).toEqual([])
  })

  it('logs a failure, and tries again later', async () => {
    await putAll(cache.store, many(10), { indexed: false })
    const logged: Array<readonly [string, unknown]> = []
    expect(await run(2, logged, { ...cache.store, change: () => Promise.reject(new Error('disk full')) })).toEqual([
      RECHECK_MS,
      RECHECK_MS,
    ])
    expect(logged).toEqual(
      Array.from({ length: 2 }, () => ['cache entries cannot be indexed', { error: 'Error: disk full' }]),
    )
  })
})
