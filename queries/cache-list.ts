import { z } from 'zod'
import type { CacheFilters, CacheSort } from '../engine/cache-listing.ts'
import { tokenize } from '../engine/tokenizer.ts'
import { digestOf, keyOf } from '../storage/cache-entries.ts'
import { entriesWith, hasWords } from '../storage/cache-search.ts'
import { any, known, mapped, one, sql } from '../storage/sql.ts'
import type { Fragment } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import { cacheCursor, cacheItem, parseCacheCursor } from './cache-item.ts'
import type { CacheItem, CacheList, CacheOrder, CachePage } from './cache-item.ts'
import { findFacet } from './cache-facets.ts'
import { page } from './wire.ts'

const count = z.number()
const text = z.string().nullable()

const Row = z.object({
  digest: z.instanceof(Buffer),
  size: count,
  created_at: count,
  last_access_at: count,
  rules: count,
  parseable: z.boolean().nullable(),
  entry_created_at: count.nullable(),
  kind: text,
  model: text,
  cost_micro: count.nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
  request_summary: text,
  output_preview: text,
  empty_reason: text,
})
type Row = z.infer<typeof Row>

/** Fewer entries than this are put in order themselves; for more, the order's own index is walked until a page is full. */
const FEW = 5_000

/** Entries with some words that are put together first; of more, each entry on the way is asked whether it has them. */
const MANY = 20_000

const SORTED_BY = { created: 'created_at', last_access: 'last_access_at', size: 'size', cost: 'cost_micro' } as const satisfies Record<CacheSort, keyof Row>

/** One filter. `where` is served by an index; `isOrdered` where that holds its entries by store time. */
type Filter = { readonly where: Fragment; readonly entries: Query<number>; readonly check: Fragment; readonly isOrdered: boolean }

/** `(…) IS TRUE` is a condition that no index is chosen for. */
const unindexed = (condition: Fragment): Fragment => sql.fragment`((${condition}) IS TRUE)`

const Count = z.object({ n: count })

/** How many entries a condition selects, counted no further than where it no longer matters. */
const upTo = (most: number, where: Fragment): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM (SELECT 1 FROM cache_entries WHERE ${where} LIMIT ${most + 1}) x`), ({ n }) => n)

const equal = (where: Fragment, entries: Query<number>): Filter => ({ where, entries, check: unindexed(where), isOrdered: true })
const within = (where: Fragment): Filter => ({ where, entries: upTo(FEW, where), check: unindexed(where), isOrdered: false })

const ofKind = (kind: string): Filter => {
  if (kind === 'unindexed') return equal(sql.fragment`rules = 0`, findFacet('unindexed', null))
  if (kind === 'unparseable') return equal(sql.fragment`NOT parseable`, findFacet('unparseable', null))
  return equal(sql.fragment`kind = ${kind}`, findFacet('kind', kind))
}

/** Words that must all be there, each whole. A text without any finds nothing. */
const ofWords = async (cache: Reader, q: string): Promise<Filter> => {
  const words = [...new Set(tokenize(q))]
  if (words.length === 0) return { where: sql.fragment`FALSE`, entries: known(0), check: sql.fragment`FALSE`, isOrdered: false }
  const found = sql.fragment`entry_no IN (${entriesWith(cache.dialect, words)})`
  const n = await cache.read(mapped(one(sql.type(Count)`SELECT count(*) AS n FROM (${entriesWith(cache.dialect, words)} LIMIT ${MANY + 1}) x`), (row) => row.n))
  return { where: found, entries: known(n), check: unindexed(n <= MANY ? found : hasWords(cache.dialect, words, sql.fragment`cache_entries.entry_no`)), isOrdered: false }
}

const filtersOf = async (cache: Reader, { kind, model, empty_reason, q, since, until, min_cost_microusd, max_cost_microusd }: CacheFilters): Promise<Filter[]> => {
  const stored = between('created_at', since, until)
  const cost = between('cost_micro', min_cost_microusd, max_cost_microusd)
  return [
    ...(kind === undefined ? [] : [ofKind(kind)]),
    ...(model === undefined ? [] : [equal(sql.fragment`model = ${model}`, findFacet('model', model))]),
    ...(empty_reason === undefined ? [] : [equal(sql.fragment`empty_reason = ${empty_reason}`, findFacet('empty_reason', empty_reason))]),
    ...(stored ? [within(stored)] : []),
    ...(cost ? [within(cost)] : []),
    ...(q === undefined ? [] : [await ofWords(cache, q)]),
  ]
}

const between = (column: 'created_at' | 'cost_micro', least: number | undefined, most: number | undefined): Fragment | null => {
  if (least === undefined && most === undefined) return null
  const name = sql.identifier([column])
  return sql.and([
    sql.fragment`${name} IS NOT NULL`,
    ...(least === undefined ? [] : [sql.fragment`${name} >= ${least}`]),
    ...(most === undefined ? [] : [sql.fragment`${name} <= ${most}`]),
  ])
}

const COLUMNS = sql.fragment`
  digest, size, created_at, last_access_at, rules, parseable, entry_created_at, kind, model, cost_micro, input_tokens, output_tokens, request_summary,
  output_preview, empty_reason`

/** Entries that all filters match, in order, behind a place. */
export const listCacheEntries = async (cache: Reader, filters: CacheFilters, { sort, order }: CacheOrder, { limit, cursor }: CachePage): Promise<CacheList> => {
  const column = SORTED_BY[sort]
  const sorted = sql.identifier([column])
  const at = parseCacheCursor(cursor)
  const beyond = order === 'asc' ? sql.fragment`>` : sql.fragment`<`
  const direction = order === 'asc' ? sql.fragment`ASC` : sql.fragment`DESC`
  const inOrder = sql.fragment`ORDER BY ${sorted} ${direction}, digest ${direction} LIMIT ${limit + 1}`
  const bounds = [
    ...(sort === 'cost' ? [sql.fragment`cost_micro IS NOT NULL`] : []),
    ...(at ? [sql.fragment`(${sorted}, digest) ${beyond} (${at.value}, ${sql.binary(digestOf(at.key))})`] : []),
    // Where the list is in their order, bounds of the sorted value are a range of its index.
    ...(sort === 'created' ? [between('created_at', filters.since, filters.until)] : []),
    ...(sort === 'cost' ? [between('cost_micro', filters.min_cost_microusd, filters.max_cost_microusd)] : []),
  ].filter((each) => each !== null)
  const { since, until, min_cost_microusd, max_cost_microusd, ...others } = filters
  const asked = await filtersOf(cache, {
    ...others,
    ...(sort === 'created' ? { min_cost_microusd, max_cost_microusd } : sort === 'cost' ? { since, until } : { since, until, min_cost_microusd, max_cost_microusd }),
  })
  const counted = await Promise.all(asked.map(async (filter) => ({ filter, n: await cache.read(filter.entries) })))
  counted.sort((a, b) => a.n - b.n)
  const [rarest] = counted
  const checksBut = (driver: Filter | undefined): Fragment[] => asked.filter((each) => each !== driver).map(({ check }) => check)
  const all = (conditions: readonly Fragment[]): Fragment => sql.and([sql.fragment`TRUE`, ...conditions])

  const query = (): Query<Row[]> => {
    if (rarest && rarest.n <= FEW) {
      // Taken out first and then put in order, whatever a planner thinks of the index of that order.
      const few = sql.fragment`SELECT entry_no AS few_no FROM cache_entries WHERE ${rarest.filter.where} LIMIT ${FEW}`
      return any(sql.type(Row)`SELECT ${COLUMNS} FROM (${few}) few CROSS JOIN cache_entries WHERE entry_no = few_no AND ${all([...bounds.map(unindexed), ...checksBut(rarest.filter)])} ${inOrder}`)
    }
    const ordered = sort === 'created' ? counted.find(({ filter }) => filter.isOrdered)?.filter : undefined
    return any(sql.type(Row)`SELECT ${COLUMNS} FROM cache_entries WHERE ${all([...(ordered ? [ordered.where] : []), ...bounds, ...checksBut(ordered)])} ${inOrder}`)
  }
  const { rows, next_cursor } = page(await cache.read(query()), limit, (last) => cacheCursor({ value: last[column] ?? 0, key: keyOf(last.digest) }))
  return { entries: rows.map(item), next_cursor, truncated: false }
}

const item = ({ digest, rules, parseable, size, created_at, last_access_at, ...read }: Row): CacheItem =>
  cacheItem({ key: keyOf(digest), size, created_at, last_access_at }, rules === 0 ? null : { ...read, parseable: parseable === true })
