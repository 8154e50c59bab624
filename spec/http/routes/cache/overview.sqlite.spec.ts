import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CacheFacets } from '../../../../queries/cache/item.ts'
import type { CacheOverview } from '../../../../queries/cache/reuse.ts'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { cacheRequests, openCacheApp } from '../../../support/http/cache-requests.ts'
import type { Caller, SpecApp } from '../../../support/servers/app.ts'

const KEY = cacheKeyOf('one')
const DAY = 86_400_000
const START = Date.UTC(2026, 4, 4)

let now = START
let spec: SpecApp
beforeEach(async () => {
  now = START
  spec = await openCacheApp(() => now)
})
afterEach(() => spec.close())
const { put, get, stats, list, detail, prune } = cacheRequests(() => spec)

describe('the cache statistics', () => {
  it('are zero for an empty cache', async () =>
    expect(await stats()).toEqual({
      entries: 0,
      total_bytes: 0,
      hits: 0,
      misses: 0,
      unindexed: 0,
      oldest_entry_at: null,
    }))

  it('count only GET lookups', async () => {
    await put(KEY, aBody())
    for (const key of [KEY, KEY, cacheKeyOf('none')]) await get(key)
    for (const key of [KEY, cacheKeyOf('none')]) await spec.sendAs('read')('HEAD', `/cache/${key}`)
    await put(KEY, aBody())
    await list()
    await detail(KEY)
    await spec.sendAs('read')('GET', `/cache/entries/${KEY}/runs`)
    await spec.sendAs('admin')('GET', '/cache/facets')
    expect(await stats()).toMatchObject({ entries: 1, hits: 2, misses: 1 })
    expect(await stats()).toMatchObject({ hits: 2, misses: 1 })
  })

  it('show the time of the oldest entry', async () => {
    await put(KEY, aBody())
    now += DAY
    await put(cacheKeyOf('two'), aBody())
    expect(await stats()).toMatchObject({
      entries: 2,
      total_bytes: 2 * aBody().length,
      oldest_entry_at: '2026-05-04T00:00:00+00:00',
    })
  })
})

describe('the cache facets', () => {
  const facets = async (): Promise<CacheFacets> =>
    (await spec.sendAs('admin')('GET', '/cache/facets')).json<CacheFacets>()

  it('are empty for an empty cache', async () =>
    expect(await facets()).toEqual({
      kinds: [],
      models: [],
      empty_reasons: [],
      total: 0,
      unindexed: 0,
      unparseable: 0,
    }))

  it('count each value, most frequent first, without nulls', async () => {
    for (const [name, fields] of Object.entries({
      a: { model: 'm', empty_reason: 'blank' },
      b: { model: 'n', kind: 'judge' },
      c: { model: 'n' },
      d: { model: 'k', empty_reason: 'refusal' },
    }))
      await put(cacheKeyOf(name), aBody(fields))
    await put(cacheKeyOf('e'), 'opaque')
    const expected = {
      kinds: [
        { value: 'provider', count: 3 },
        { value: 'judge', count: 1 },
      ],
      models: [
        { value: 'n', count: 2 },
        { value: 'k', count: 1 },
        { value: 'm', count: 1 },
      ],
      empty_reasons: [
        { value: 'blank', count: 1 },
        { value: 'refusal', count: 1 },
      ],
      total: 5,
      unindexed: 0,
      unparseable: 1,
    }
    expect(await facets()).toEqual(expected)
    await spec.sendAs('admin')('DELETE', `/cache/entries/${cacheKeyOf('a')}`)
    await prune('?model=n')
    expect(await facets()).toEqual({
      kinds: [{ value: 'provider', count: 1 }],
      models: [{ value: 'k', count: 1 }],
      empty_reasons: [{ value: 'refusal', count: 1 }],
      total: 2,
      unindexed: 0,
      unparseable: 1,
    })
  })

  it('list the hundred most frequent models and every empty reason', async () => {
    await Promise.all(
      Array.from({ length: 120 }, (_, i) => put(cacheKeyOf(`${i}`), aBody({ model: `m${i}`, empty_reason: `r${i}` }))),
    )
    const { models, empty_reasons } = await facets()
    expect([models.length, empty_reasons.length]).toEqual([100, 120])
  })
})

describe('the overview of the cache', () => {
  const overview = async (query = '', caller: Caller = 'read'): Promise<CacheOverview> => {
    const answer = await spec.sendAs(caller)('GET', `/cache/overview${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheOverview>()
  }

  it('has the statistics and the limits', async () => {
    await put(KEY, aBody())
    const { cache, limits, local } = await overview()
    expect(cache).toEqual((await spec.sendAs('read')('GET', '/cache/stats')).json())
    expect(cache.entries).toBe(1)
    expect({ limits, local }).toEqual({ limits: { max_age_days: 30, max_bytes: 3000 }, local: false })
  })

  it('sums lookups and savings of visible runs, a day at a time', async () => {
    now = Date.UTC(2026, 4, 5, 12)
    for (const [run_id, started_at, fields] of [
      ['r1', '2026-05-05T09:00:00Z', { project: 'open' }],
      ['r2', '2026-05-04T09:00:00Z', { project: 'open' }],
      ['r3', '2026-05-04T10:00:00Z', { project: 'hidden' }],
      ['r4', '2026-04-01T10:00:00Z', { project: 'open' }],
    ] as const)
      expect(
        (await spec.ingest(aDocument({ run_id, started_at, finished_at: started_at, ...fields }))).statusCode,
      ).toBe(201)
    const all = await overview('', 'read')
    expect(all).toMatchObject({ since: '2026-04-06', until: '2026-05-05', runs: 3 })
    expect(all.days.map(({ day, runs }) => [day, runs])).toEqual([
      ['2026-05-04', 2],
      ['2026-05-05', 1],
    ])
    expect((await overview('?days=1')).days.map(({ day }) => day)).toEqual(['2026-05-05'])
    expect(await overview('?days=60')).toMatchObject({ since: '2026-03-07', runs: 4 })
    await spec.restrict('hidden')
    expect(await overview()).toMatchObject({ runs: 2 })
    expect(await overview('', 'admin')).toMatchObject({ runs: 3 })
  })

  it('leaves unknown savings unknown', async () => {
    now = Date.UTC(2026, 4, 5, 12)
    const ingest = (run_id: string, summary: object) => {
      const document = aDocument({ run_id })
      return spec.ingest(JSON.stringify({ ...document, summary: { ...document.summary, ...summary } }))
    }
    expect((await ingest('r1', { cache_hits: 3, cache_misses: 1 })).statusCode).toBe(201)
    expect(await overview()).toMatchObject({
      runs: 1,
      cache_hits: 3,
      cache_misses: 1,
      runs_with_savings: 0,
      savings_usd: null,
    })
    expect((await ingest('r2', { cache_hits: 2, cache_misses: 0, cache_savings_usd: 0.25 })).statusCode).toBe(201)
    expect(await overview()).toMatchObject({
      runs: 2,
      runs_counted: 2,
      cache_hits: 5,
      cache_misses: 1,
      runs_with_savings: 1,
      savings_usd: 0.25,
    })
    // A run that asked no cache says nothing about reuse, even if it recorded that nothing was saved. All its cases are misses.
    const unasked = { cache_hits: 0, cache_misses: 7, cache_savings_usd: 0 }
    expect((await ingest('r3', unasked)).statusCode).toBe(201)
    const counted = { runs_counted: 2, cache_misses: 1, runs_with_savings: 1, savings_usd: 0.25 }
    expect(await overview()).toMatchObject({ runs: 3, ...counted })
    // The first run of a suite finds nothing in the cache that it asked.
    const cases = [aCase({ cache_key: cacheKeyOf('first') })]
    const first = aDocument({ run_id: 'r4', cases })
    const summary = { ...first.summary, cache_hits: 0, cache_misses: 1 }
    expect((await spec.ingest(JSON.stringify({ ...first, summary }))).statusCode).toBe(201)
    expect(await overview()).toMatchObject({ ...counted, runs: 4, runs_counted: 3, cache_misses: 2 })
  })
})
