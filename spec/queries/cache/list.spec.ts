import { afterAll, describe, expect, it } from 'vitest'
import { entryIndex } from '../../../runtime/cache/indexing.ts'
import { CACHE_ORDERS, CACHE_SORTS, type CacheFilters } from '../../../domain/cache/listing.ts'
import type { CacheList, CacheOrder } from '../../../queries/cache/item.ts'
import { listCacheEntries } from '../../../queries/cache/list.ts'
import { keyDigest, recordUse } from '../../../storage/cache/entries.ts'
import type { Reader } from '../../../storage/storage.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, putAll } from '../../support/stores/cache-store.ts'

const COUNT = 120

type Made = {
  readonly name: string
  readonly bytes: Buffer
  readonly at: number
  readonly accessed: number
  readonly indexed: boolean
}

/**
 * Entries of all kinds. Their times, sizes and costs have only a few different values, so that there are ties. Some
 * are not indexed yet, and some cannot be parsed.
 */
const ENTRIES: readonly Made[] = Array.from({ length: COUNT }, (_, i) => ({
  name: `entry ${i}`,
  bytes:
    i % 17 === 0
      ? Buffer.from('opaque')
      : aBody({
          kind: ['provider', 'judge', 'exec_assert'][i % 3],
          model: ['m', 'n'][i % 2],
          output: `word${i % 4} ${'x'.repeat(i % 5)} Grüße`,
          ...(i % 4 === 0 ? {} : { cost_usd: (i % 6) / 1000 }),
          ...(i % 10 === 0 ? { empty_reason: 'blank' } : {}),
        }),
  at: 1000 + Math.floor(i / 10) * 100,
  accessed: 5000 + ((i * 7) % 13) * 10,
  indexed: i % 11 !== 0,
}))
afterAll(() => cache.close())

const list = (
  filters: CacheFilters = {},
  order: CacheOrder = { sort: 'created', order: 'desc' },
  page: { limit?: number; cursor?: string } = {},
  options: { many?: number } = {},
): Promise<CacheList> => listCacheEntries(cache.store, filters, order, { limit: 200, ...page }, options)

const listed = (made: Made) => (made.indexed ? entryIndex(made.bytes) : null)
const valueOf = (made: Made, { sort }: CacheOrder): number | null =>
  ({ created: made.at, last_access: made.accessed, size: made.bytes.length, cost: listed(made)?.cost_micro ?? null })[
    sort
  ]

/** The keys that a list should have, computed in the simplest way. */
const expected = (holds: (made: Made) => boolean, order: CacheOrder): string[] => {
  const sign = order.order === 'asc' ? 1 : -1
  return ENTRIES.filter((made) => holds(made) && valueOf(made, order) !== null)
    .map((made) => ({ key: cacheKeyOf(made.name), value: valueOf(made, order) ?? 0 }))
    .sort((a, b) => sign * (a.value - b.value || (a.key < b.key ? -1 : 1)))
    .map(({ key }) => key)
}
const keys = ({ entries }: CacheList): string[] => entries.map(({ key }) => key)

const ORDERS = CACHE_SORTS.flatMap((sort) => CACHE_ORDERS.map((order) => ({ sort, order })))

type Case = readonly [name: string, filters: CacheFilters, holds: (made: Made) => boolean]
const FILTERS: readonly Case[] = [
  ['nothing', {}, () => true],
  ['a kind', { kind: 'judge' }, (made) => listed(made)?.kind === 'judge'],
  ['a kind that no entry has', { kind: 'embedding' }, () => false],
  ['entries that are not indexed yet', { kind: 'unindexed' }, (made) => !made.indexed],
  ['entries that cannot be parsed', { kind: 'unparseable' }, (made) => listed(made)?.parseable === false],
  ['a model', { model: 'n' }, (made) => listed(made)?.model === 'n'],
  ['an empty reason', { empty_reason: 'blank' }, (made) => listed(made)?.empty_reason === 'blank'],
  ['a time, both ends included', { since: 1300, until: 1700 }, ({ at }) => at >= 1300 && at <= 1700],
  ['a minimum cost', { min_cost_microusd: 3000 }, (made) => (listed(made)?.cost_micro ?? -1) >= 3000],
  ['a maximum cost', { max_cost_microusd: 3000 }, (made) => (listed(made)?.cost_micro ?? Infinity) <= 3000],
  ['a word that has ss instead of ß', { q: 'WORD2 grusse' }, () => false],
  ['two words', { q: 'Word2, grüße!' }, (made) => made.indexed && String(made.bytes).includes('word2 ')],
  ['half a word', { q: 'wor' }, () => false],
  ['an empty text', { q: '' }, () => false],
  ['only punctuation', { q: '-- "*" !' }, () => false],
  [
    'several filters',
    { kind: 'provider', model: 'm', since: 1200, min_cost_microusd: 1, q: 'word2' },
    (made) => {
      const read = listed(made)
      return (
        read?.kind === 'provider' &&
        read.model === 'm' &&
        made.at >= 1200 &&
        (read.cost_micro ?? 0) >= 1 &&
        String(made.bytes).includes('word2 ')
      )
    },
  ],
]
const cache = await openCacheStore()
for (const { name, bytes, at, indexed, accessed } of ENTRIES) {
  await putAll(cache.store, { [name]: bytes }, { at, indexed })
  await cache.store.change(recordUse({ hits: 0, misses: 0, accesses: [[keyDigest(cacheKeyOf(name)), accessed]] }))
}

describe('a list of cache entries', () => {
  it.each(FILTERS)('filtered by %s has exactly the matching entries, in every order', async (_, filters, holds) => {
    for (const order of ORDERS)
      expect(keys(await list(filters, order)), JSON.stringify(order)).toEqual(expected(holds, order))
  })

  it.each(FILTERS.filter(([, { q }]) => q !== undefined))(
    'filtered by %s is the same if many entries have the words, in every order',
    async (_, filters, holds) => {
      for (const order of ORDERS)
        for (const many of [0, 3])
          expect(keys(await list(filters, order, {}, { many })), JSON.stringify(order)).toEqual(expected(holds, order))
    },
  )

  it.each(ORDERS)('with common words, by $sort, $order, has pages without gaps or repetitions', async (order) => {
    for (const [, filters, holds] of FILTERS.filter(([name]) => ['two words', 'several filters'].includes(name))) {
      for (const limit of [1, 2, 7]) {
        const paged: string[] = []
        let cursor: string | null = ''
        do {
          const page: CacheList = await list(filters, order, { limit, cursor }, { many: 0 })
          expect(page.entries.length).toBeLessThanOrEqual(limit)
          paged.push(...keys(page))
          cursor = page.next_cursor
        } while (cursor !== null)
        expect(paged).toEqual(expected(holds, order))
      }
    }
  })

  it.each(ORDERS)('by $sort, $order, skips an entry that is deleted during the read', async (order) => {
    const [, filters, holds] = FILTERS.find(([name]) => name === 'two words') ?? FILTERS[0]!
    const all = expected(holds, order)
    let lost = 0
    const losing: Reader = {
      ...cache.store,
      read: async (query) => {
        const answer = await cache.store.read(query)
        // The rows of entries have more columns than the positions that are read first.
        const [first]: readonly unknown[] = Array.isArray(answer) ? answer : []
        const isFound = typeof first === 'object' && first !== null && Object.hasOwn(first, 'request_summary')
        return isFound && lost++ === 0 && Array.isArray(answer) ? (answer.slice(1) as typeof answer) : answer
      },
    }
    const page = await listCacheEntries(losing, filters, order, { limit: 5 }, { many: 0 })
    expect(keys(page)).toEqual(all.slice(1, 6))
  })

  it('by last access continues after an entry that is used during the read', async () => {
    const [, filters, holds] = FILTERS.find(([name]) => name === 'two words') ?? FILTERS[0]!
    const order = { sort: 'last_access', order: 'asc' } as const
    const all = expected(holds, order)
    // The list reads positions first, and then the rows.
    let walked = false
    const asked: Reader = {
      ...cache.store,
      read: async (query) => {
        const answer = await cache.store.read(query)
        const rows: readonly unknown[] = Array.isArray(answer) ? answer : []
        const has = (name: string): boolean =>
          rows.some((row) => typeof row === 'object' && row !== null && Object.hasOwn(row, name))
        walked ||= has('value') && has('digest')
        return walked && has('request_summary')
          ? (rows.map((row) => ({ ...(row as object), last_access_at: Number.MAX_SAFE_INTEGER })) as typeof answer)
          : answer
      },
    }
    const page = await listCacheEntries(asked, filters, order, { limit: 5 }, { many: 0 })
    const rest = await listCacheEntries(
      cache.store,
      filters,
      order,
      { limit: 200, cursor: page.next_cursor ?? '' },
      { many: 0 },
    )
    expect([...keys(page), ...keys(rest)]).toEqual(all)
  })

  it.each(ORDERS)('by $sort, $order, pages without gaps or repetitions', async (order) => {
    for (const [, filters, holds] of FILTERS.filter(([name]) =>
      ['nothing', 'a kind', 'two words', 'a time, both ends included'].includes(name),
    )) {
      for (const limit of [1, 7, 50]) {
        const paged: string[] = []
        let cursor: string | null = ''
        do {
          const page: CacheList = await list(filters, order, { limit, cursor })
          expect(page.entries.length).toBeLessThanOrEqual(limit)
          paged.push(...keys(page))
          cursor = page.next_cursor
        } while (cursor !== null)
        expect(paged).toEqual(expected(holds, order))
      }
    }
  })

  it('returns the first page for an invalid cursor', async () => {
    for (const cursor of ['', 'x', '5:sha256:zz', `:${cacheKeyOf('a')}`, `1e3:${cacheKeyOf('a')}`])
      expect(keys(await list({}, undefined, { cursor })), cursor).toEqual(keys(await list()))
  })

  it('has only key, size and times of an entry that is not indexed yet', async () => {
    const [entry] = (await list({ kind: 'unindexed' })).entries
    expect(entry).toMatchObject({
      indexed: false,
      parseable: null,
      kind: null,
      model: null,
      cost_usd: null,
      output_preview: null,
      entry_created_at: null,
    })
  })
})
