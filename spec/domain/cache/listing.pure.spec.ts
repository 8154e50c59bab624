import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CACHE_ORDERS, CACHE_SORTS, countFacets, listedMetadata, pageEntries } from '../../../domain/cache/listing.ts'
import type { CacheFilters, ListedEntry, ListedMetadata } from '../../../domain/cache/listing.ts'

const key = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`
const PLAIN = listedMetadata(
  Buffer.from(JSON.stringify({ created_at: '2026-05-03T22:10:00Z', output: '', service_version: '1' })),
)
const entry = (
  n: number,
  metadata: Partial<ListedMetadata> | null = {},
  rest: Partial<ListedEntry> = {},
): ListedEntry => ({
  key: key(n),
  size: 10,
  modified_at: n * 1000,
  metadata: metadata && { ...PLAIN, ...metadata },
  ...rest,
})
const numbers = (entries: readonly ListedEntry[]): number[] =>
  entries.map((listed) => Number(`0x${listed.key.slice(7)}`))
const found = (entries: readonly ListedEntry[], filters: CacheFilters): number[] =>
  numbers(pageEntries(entries, filters, { limit: 200, order: 'asc' }).entries)

describe('a list of entries in a directory', () => {
  const entries = [
    entry(1, { kind: 'provider', model: 'm', cost_micro: 5, request_summary: 'exec ./Bot', empty_reason: 'refusal' }),
    entry(2, { kind: 'judge', model: 'm', cost_micro: 0, output_preview: 'from the BOTTOM' }),
    entry(3, { ...PLAIN, status: 'opaque' }),
    entry(4, null),
  ]

  it.each<[string, CacheFilters, number[]]>([
    ['contains all entries without a filter', {}, [1, 2, 3, 4]],
    ['contains one kind', { kind: 'judge' }, [2]],
    ['contains entries that could not be read', { kind: 'unparseable' }, [3, 4]],
    ['contains no entries that are not indexed', { kind: 'unindexed' }, []],
    ['contains one model', { model: 'm' }, [1, 2]],
    ['contains one empty reason', { empty_reason: 'refusal' }, [1]],
    ['contains entries at and after a time', { since: 3000 }, [3, 4]],
    ['contains entries at and before a time', { until: 3000 }, [1, 2, 3]],
    ['contains entries of a minimum cost, and none without a cost', { min_cost_microusd: 0 }, [1, 2]],
    ['contains entries of a maximum cost', { max_cost_microusd: 4 }, [2]],
    ['contains entries whose summary or preview contains a text, in upper or lower case', { q: 'bot' }, [1, 2]],
    ['contains nothing for an empty text', { q: '' }, []],
    ['contains entries that match all filters', { model: 'm', q: 'bot', min_cost_microusd: 1 }, [1]],
  ])('%s', (_, filters, expected) => expect(found(entries, filters)).toEqual(expected))

  it('leaves out entries without a cost if sorted by cost', () =>
    expect(numbers(pageEntries(entries, {}, { sort: 'cost', limit: 200 }).entries)).toEqual([1, 2]))

  it('ignores an invalid cursor', () =>
    expect(numbers(pageEntries(entries, {}, { limit: 1, cursor: 'nonsense' }).entries)).toEqual([4]))

  it.each(CACHE_SORTS.flatMap((sort) => CACHE_ORDERS.map((order) => [sort, order] as const)))(
    'is the same in pages as in one page, by %s %s',
    (sort, order) =>
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.option(fc.integer({ min: -2, max: 2 }))), { maxLength: 20 }),
          fc.integer({ min: 1, max: 7 }),
          (rows, limit) => {
            const all = rows.map(([size, seconds, cost_micro], n) =>
              entry(n, { cost_micro }, { size, modified_at: seconds }),
            )
            const paged: ListedEntry[] = []
            let cursor: string | undefined
            do {
              const page = pageEntries(all, {}, { sort, order, limit, cursor })
              paged.push(...page.entries)
              cursor = page.next_cursor ?? undefined
            } while (cursor !== undefined)
            expect(paged).toEqual(pageEntries(all, {}, { sort, order, limit: 200 }).entries)
          },
        ),
      ),
  )
})

it('the facets of a directory count values, most frequent first, and unreadable entries', () =>
  expect(
    countFacets([
      entry(1, { kind: 'b', model: 'm' }),
      entry(2, { kind: 'a' }),
      entry(3, { kind: 'c', empty_reason: 'blank' }),
      entry(4, { kind: 'c' }),
      entry(5, null),
    ]),
  ).toEqual({
    kinds: [
      { value: 'c', count: 2 },
      { value: 'a', count: 1 },
      { value: 'b', count: 1 },
    ],
    models: [{ value: 'm', count: 1 }],
    empty_reasons: [{ value: 'blank', count: 1 }],
    total: 5,
    unindexed: 0,
    unparseable: 1,
  }))
