import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { indexBatch, keepIndexing, PAUSE_MS, RECHECK_MS } from '../../../runtime/cache/indexing.ts'
import { listCacheFacets } from '../../../queries/cache/facets.ts'
import { listCacheEntries } from '../../../queries/cache/list.ts'
import { findTotal } from '../../../storage/cache/entries.ts'
import { INDEX_RULES } from '../../../storage/cache/index-version.ts'
import { countOutdated } from '../../../storage/cache/selection.ts'
import { aBody } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, putAll } from '../../support/stores/cache-store.ts'
import type { SpecCache } from '../../support/stores/cache-store.ts'

let cache: SpecCache
beforeEach(async () => {
  cache = await openCacheStore()
})
afterEach(() => cache.close())

const many = (count: number, prefix = ''): Record<string, Buffer> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, aBody({ model: 'm' })]))
const found = async (q: string): Promise<number> =>
  (await listCacheEntries(cache.store, { q }, { sort: 'created', order: 'desc' }, { limit: 200 })).entries.length

describe('reading entries that nobody has read', () => {
  it('goes in batches of two hundred until none is left', async () => {
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

  it('ends a batch early after sixteen mebibytes of bodies, and takes one that is larger by itself', async () => {
    const large = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * 1024 * 1024, 'x')
    await putAll(cache.store, { a: large(17), b: large(9), c: large(9), d: large(5) }, { indexed: false })
    const batches: number[] = []
    for (let done = 1; done > 0;) batches.push((done = await indexBatch(cache.store, 1)))
    expect(batches).toEqual([1, 1, 2, 0])
  })

  it('reads what cannot be read once and never again', async () => {
    await putAll(cache.store, { a: Buffer.from('opaque'), b: aBody() }, { indexed: false })
    expect(await indexBatch(cache.store, 1)).toBe(2)
    expect(await indexBatch(cache.store, 1)).toBe(0)
    expect(await indexBatch(cache.store, 2)).toBe(1)
    expect(await listCacheFacets(cache.store)).toMatchObject({ unparseable: 1 })
  })

  it('reads a body once more by newer rules that earlier rules could not read', async () => {
    const body = JSON.stringify({ created_at: '2026-05-03T22:10:00Z', output: null, model: 'm' })
    await putAll(
      cache.store,
      { a: Buffer.from('{"output":1}'), b: Buffer.from(body), c: Buffer.from('opaque') },
      { rules: 1 },
    )
    await cache.store.settle()
    // As earlier rules left it, and as they left all that they could not read.
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
    // What is no entry yet may be one by newer rules; what is no JSON never is.
    expect([await indexBatch(cache.store, 2), await indexBatch(cache.store, 3)]).toEqual([0, 2])
  })

  it('goes over what older rules read in a second pass, after what nobody has read', async () => {
    await putAll(cache.store, many(150, 'old '), { rules: 1 })
    await putAll(cache.store, many(100, 'new '), { indexed: false })
    // As rows of before a column came: what it holds is not known.
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

  it('by two at once counts each entry once', async () => {
    await putAll(cache.store, many(100), { indexed: false })
    await Promise.all([indexBatch(cache.store, 1), indexBatch(cache.store, 1)])
    expect(await listCacheFacets(cache.store)).toMatchObject({
      kinds: [{ value: 'provider', count: 100 }],
      total: 100,
      unindexed: 0,
    })
  })
})

describe('the pass that goes on beside everything else', () => {
  const ENDED = new Error('ended')
  /** Runs so many steps, each taking a minute. */
  const run = async (
    steps: number,
    told: Array<readonly [string, unknown]>,
    store = cache.store,
  ): Promise<number[]> => {
    const waits: number[] = []
    let at = 0
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
      at += 60_000
      if (waits.length === steps) throw ENDED
    }
    await keepIndexing({
      store,
      rules: INDEX_RULES,
      wait,
      clock: () => at,
      log: (message, fields) => told.push([message, fields]),
    }).catch((error: unknown) => {
      if (error !== ENDED) throw error
    })
    return waits
  }

  it('pauses between batches, looks again after a while, and tells how far it is every two minutes', async () => {
    await putAll(cache.store, many(900), { indexed: false })
    const told: Array<readonly [string, unknown]> = []
    expect(await run(7, told)).toEqual([PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS, RECHECK_MS, RECHECK_MS])
    expect(told).toEqual([
      ['indexing cache entries', { indexed: 200, unindexed: 700, outdated: 0 }],
      ['indexing cache entries', { indexed: 600, unindexed: 300, outdated: 0 }],
      ['indexing cache entries', { indexed: 900, unindexed: 0, outdated: 0 }],
      ['cache entries are indexed', { indexed: 900, unindexed: 0, outdated: 0 }],
    ])
  })

  it('tells nothing where there is nothing to do', async () => {
    const told: Array<readonly [string, unknown]> = []
    expect(await run(2, told)).toEqual([RECHECK_MS, RECHECK_MS])
    expect(told).toEqual([])
  })

  it('tells what goes wrong, and tries again later', async () => {
    await putAll(cache.store, many(10), { indexed: false })
    const told: Array<readonly [string, unknown]> = []
    expect(await run(2, told, { ...cache.store, change: () => Promise.reject(new Error('disk full')) })).toEqual([
      RECHECK_MS,
      RECHECK_MS,
    ])
    expect(told).toEqual(
      Array.from({ length: 2 }, () => ['cache entries cannot be indexed', { error: 'Error: disk full' }]),
    )
  })
})
