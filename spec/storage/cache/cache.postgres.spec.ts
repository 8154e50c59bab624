import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findCacheStats, listCacheFacets } from '../../../queries/cache/facets.ts'
import { listCacheEntries } from '../../../queries/cache/list.ts'
import { evict } from '../../../runtime/cache/eviction.ts'
import { indexBatch, entryIndex } from '../../../runtime/cache/indexing.ts'
import { keyDigest, findBody, findTotal, recordUse, putEntries, removeEntries } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { openCacheStore as openStore } from '../../../storage/open/cache.ts'
import { CACHE_LOCK } from '../../../storage/postgres/cache.ts'
import { constant, statement } from '../../../storage/sql.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { runCount } from '../../support/random/runs.ts'
import { emptyCache, openCacheStore, putAll, type SpecCache } from '../../support/stores/cache-store.ts'
import { databaseStore } from '../../support/stores/database.ts'

let cache: SpecCache
/** The stores of two replicas. */
let stores: readonly [CacheStore, CacheStore]
beforeEach(async () => {
  cache = await openCacheStore()
  stores = [cache.store, await openStore(cache.storeLocation, { checkRows: true })]
})
afterEach(async () => {
  await stores[1].close()
  await cache.close()
})

const digest = (name: string): Buffer => keyDigest(cacheKeyOf(name))
const bodiesOf = (count: number): Record<string, Buffer> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`, aBody({ model: i % 2 === 0 ? 'm' : 'n' })]))
const everything = { created_before: null, created_from: 0, empty_reasons: null, model: null, kind: null }
const eviction = { onRemoved: () => {}, signal: new AbortController().signal }

describe('two replicas that share a cache', () => {
  it('store the first of fifty concurrent bodies under one key', async () => {
    const put = (n: number) =>
      stores[n % 2 === 0 ? 0 : 1].change(
        putEntries(
          [{ digest: digest('a'), bytes: aBody({ output: `${n}` }), index: entryIndex(aBody({ output: `${n}` })) }],
          { at: n, rules: 1 },
        ),
      )
    const first = (await Promise.all(Array.from({ length: 50 }, (_, n) => put(n)))).map(([isFirst]) => isFirst)
    expect(first.filter(Boolean)).toHaveLength(1)
    const body = aBody({ output: `${first.indexOf(true)}` })
    for (const store of stores) expect((await store.read(findBody(digest('a'))))?.equals(body)).toBe(true)
    expect(await findCacheStats(stores[1])).toMatchObject({ entries: 1, total_bytes: body.length })
  })

  it('number entries without gaps and without duplicates', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => putAll(stores[n % 2 === 0 ? 0 : 1], { [`${n}`]: aBody() })))
    expect(await cache.sql.column('SELECT entry_no FROM cache_entries ORDER BY 1')).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    )
  })

  it('add up their counts, and never move a last access back', async () => {
    await putAll(stores[0], { a: aBody() })
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        stores[n % 2 === 0 ? 0 : 1].change(recordUse({ hits: 2, misses: 1, accesses: [[digest('a'), 2000 + n]] })),
      ),
    )
    expect(await findCacheStats(stores[0])).toMatchObject({ hits: 40, misses: 20 })
    expect(await cache.sql.column('SELECT last_access_at FROM cache_entries')).toEqual([2019])
  })

  it('evict each entry once, even if both evict at the same time', async () => {
    await putAll(stores[0], bodiesOf(450))
    const rules = [
      { selection: { ...everything, model: 'm' }, target_bytes: null },
      { selection: { ...everything, kind: 'provider', model: 'm' }, target_bytes: 0 },
    ] as const
    const evicted = await Promise.all(stores.map((store, i) => evict(store, rules[i] ?? rules[0], eviction)))
    expect(evicted.reduce((sum, { pruned }) => sum + pruned, 0)).toBe(450)
    expect(await findCacheStats(stores[0])).toMatchObject({ entries: 0, total_bytes: 0, unindexed: 0 })
    expect(await listCacheFacets(stores[1])).toMatchObject({ kinds: [], models: [], total: 0 })
    expect(
      await cache.sql.column('SELECT (SELECT count(*) FROM cache_bodies) + (SELECT count(*) FROM cache_search)'),
    ).toEqual([0])
  })

  it('count each transaction that removes entries', async () => {
    await putAll(stores[0], { a: aBody(), b: aBody() })
    expect(await stores[1].read(findTotal('removals'))).toBe(0)
    await stores[0].change(removeEntries([digest('none')]))
    expect(await stores[1].read(findTotal('removals'))).toBe(0)
    await stores[0].change(removeEntries([digest('a'), digest('b')]))
    expect(await stores[1].read(findTotal('removals'))).toBe(1)
  })

  it('index each unindexed entry, and count it once', async () => {
    await putAll(stores[0], bodiesOf(450), { indexed: false })
    for (let left = 1; left > 0;)
      left = (await Promise.all(stores.map((store) => indexBatch(store, 1)))).reduce((a, b) => a + b)
    expect(await listCacheFacets(stores[1])).toMatchObject({
      kinds: [{ value: 'provider', count: 450 }],
      models: [
        { value: 'm', count: 225 },
        { value: 'n', count: 225 },
      ],
      total: 450,
      unindexed: 0,
    })
  })
})

describe('a change', () => {
  const failing = {
    facts: { one: constant(1) },
    decide: () => ({
      statements: [
        statement`UPDATE cache_totals SET value = ${1} WHERE name = 'hits'`,
        statement`INSERT INTO cache_totals (name, value) VALUES ('hits', 1)`,
      ],
      result: null,
    }),
  }

  it('is atomic, and a failure does not stop the next changes', async () => {
    const [failed, next] = await Promise.allSettled([stores[0].change(failing), putAll(stores[0], { a: aBody() })])
    expect([failed.status, next]).toEqual(['rejected', { status: 'fulfilled', value: [true] }])
    expect(await stores[1].read(findTotal('hits'))).toBe(0)
  })

  it('waits for the lock of the cache, and fails as busy after a timeout', async () => {
    const patient = await openStore({
      ...databaseStore(cache.storeLocation.kind === 'postgres' ? cache.storeLocation.url : ''),
      statementTimeoutMs: 1_000,
    })
    await cache.sql.execute(`SELECT pg_advisory_lock(${CACHE_LOCK})`)
    try {
      await expect(putAll(patient, { a: aBody() })).rejects.toThrow(Unavailable)
      // Reads do not wait.
      expect(await patient.read(findTotal('entries'))).toBe(0)
    } finally {
      await cache.sql.execute(`SELECT pg_advisory_unlock(${CACHE_LOCK})`)
    }
    expect(await putAll(patient, { a: aBody() })).toEqual([true])
    await patient.close()
  })
})

it('a cache whose tables were restored without their rows is empty, and counts new entries correctly', async () => {
  await putAll(stores[0], { a: aBody() })
  await cache.sql.execute('TRUNCATE cache_entries, cache_bodies, cache_search, cache_facets, cache_totals')
  expect(await findCacheStats(stores[1])).toEqual({
    entries: 0,
    total_bytes: 0,
    hits: 0,
    misses: 0,
    unindexed: 0,
    oldest_entry_at: null,
  })
  await putAll(stores[0], { a: aBody(), b: aBody() })
  expect(await evict(stores[0], { selection: everything, target_bytes: aBody().length }, eviction)).toMatchObject({
    pruned: 2,
  })
  await putAll(stores[1], { a: aBody() })
  expect(await findCacheStats(stores[1])).toMatchObject({ entries: 1, total_bytes: aBody().length })
})

describe('the words of entries', () => {
  const findKeys = async (store: CacheStore, q: string): Promise<string[]> =>
    (await listCacheEntries(store, { q }, { sort: 'created', order: 'asc' }, { limit: 200 })).entries.map(
      ({ key }) => key,
    )

  it('are found as on SQLite, for any texts and queries', async () => {
    const sqlite = await openCacheStore({ storage: 'sqlite' })
    const icu = await openCacheStore({ storage: 'icu' })
    const caches = [sqlite, cache, icu]
    const word = fc.oneof(
      fc.constantFrom(
        'Crème',
        'creme',
        'brûlée',
        'ΣΊΣΥΦΟΣ',
        'σισυφος',
        'null',
        'NULL',
        'a"b',
        '{x}',
        'back\\slash',
        '½',
        '™',
        '東京都',
        'x'.repeat(3000),
        `${'y'.repeat(2500)}1`,
        `${'y'.repeat(2500)}2`,
        '\u0000',
        '\ud800',
        'ﬁn',
        "it's",
        '\u0301',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    )
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 5 }),
        fc.array(text, { maxLength: 3 }),
        async (texts, queries) => {
          const bodies = Object.fromEntries(
            texts.map((output, i) => [`${i}`, aBody({ output, model: output, kind: output })]),
          )
          for (const { store, sql } of caches) {
            await emptyCache({ sql })
            await putAll(store, bodies)
          }
          for (const q of [...queries, ...texts]) {
            const expected = await findKeys(sqlite.store, q)
            for (const { store } of caches) expect(await findKeys(store, q), JSON.stringify(q)).toEqual(expected)
          }
          const facets = await listCacheFacets(sqlite.store)
          for (const { store } of caches) expect(await listCacheFacets(store)).toEqual(facets)
        },
      ),
      { numRuns: runCount(30) },
    )
    await icu.close()
    await sqlite.close()
  })

  it('are the same after indexing again', async () => {
    await putAll(
      stores[0],
      { a: aBody({ output: 'früh NULL "quoted"' }), b: Buffer.from('opaque') },
      { indexed: false },
    )
    expect(await indexBatch(stores[0], 1)).toBe(2)
    expect(await findKeys(stores[1], 'null FRÜH quoted')).toEqual([cacheKeyOf('a')])
    await cache.sql.execute('UPDATE cache_entries SET rules = 1')
    expect(await indexBatch(stores[1], 2)).toBe(2)
    expect(await findKeys(stores[0], 'null FRÜH quoted')).toEqual([cacheKeyOf('a')])
    expect(await cache.sql.column('SELECT count(*) FROM cache_search')).toEqual([1])
  })
})
