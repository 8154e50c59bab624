import { z } from 'zod'
import type { CacheFilters, CacheSort } from '../../domain/cache/listing.ts'
import { tokenize } from '../../domain/search/tokenizer.ts'
import { keyDigest, digestKey } from '../../storage/cache/entries.ts'
import { entriesWith, estimateShare, hasWords, listEntriesWith, wordLimit } from '../../storage/cache/words.ts'
import { any, constant, mapped, one, numberList, sql, type Fragment } from '../../storage/sql.ts'
import type { Dialect, Query, Reader } from '../../storage/storage.ts'
import {
  cacheCursor,
  cacheItem,
  parseCacheCursor,
  type CacheItem,
  type CacheList,
  type CacheOrder,
  type CachePage,
  type CacheCursor,
} from './item.ts'
import { findFacet } from './facets.ts'
import { unindexed } from '../index-walk.ts'
import { page } from '../../domain/wire.ts'

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

/**
 * If a filter matches at most this many entries, these are read and then sorted. If every filter matches more, the
 * index of the requested order is read until a page is full.
 */
const MAX_SORTED = 5_000

/** If words are estimated to be in at least this share of all entries, the entries with them are not counted. */
const COMMON_SHARE = 0.02

/**
 * The share of the words determines how many entries must be read to fill a page. The first step reads this multiple of that
 * number. No step reads more than `MAX_STEP` entries.
 */
const STEP_MARGIN = 1.5
const MAX_STEP = 20_000

const SORTED_BY = {
  created: 'created_at',
  last_access: 'last_access_at',
  size: 'size',
  cost: 'cost_micro',
} as const satisfies Record<CacheSort, keyof Row>

/**
 * One filter. There is an index for `where`; `isOrdered` is whether that index is in the order of creation. `check`
 * is the same condition, but does not use an index. `entries` counts the matches.
 */
type Filter = {
  readonly where: Fragment
  readonly entries: Query<number>
  readonly check: Fragment
  readonly isOrdered: boolean
}

const Count = z.object({ n: count })

/** The number of entries that a condition selects, counted up to the maximum plus one. */
const countUpTo = (max: number, where: Fragment): Query<number> =>
  mapped(
    one(sql.type(Count)`SELECT count(*) AS n FROM (SELECT 1 FROM cache_entries WHERE ${where} LIMIT ${max + 1}) x`),
    ({ n }) => n,
  )

const equal = (where: Fragment, entries: Query<number>): Filter => ({
  where,
  entries,
  check: unindexed(where),
  isOrdered: true,
})
const within = (where: Fragment): Filter => ({
  where,
  entries: countUpTo(MAX_SORTED, where),
  check: unindexed(where),
  isOrdered: false,
})

const kindFilter = (kind: string): Filter => {
  if (kind === 'unindexed') return equal(sql.fragment`rules = 0`, findFacet('unindexed', null))
  if (kind === 'unparseable') return equal(sql.fragment`NOT parseable`, findFacet('unparseable', null))
  return equal(sql.fragment`kind = ${kind}`, findFacet('kind', kind))
}

/**
 * Whole words, all of which an entry must contain. `n` is the number of entries that do, and `share` is their
 * approximate share of all entries.
 */
type Words = { readonly words: readonly string[]; readonly n: number; readonly share: number }

const FirstMatches = Count.extend({ stretch: z.number().nullable() })

/**
 * Counts the entries with these words up to a maximum plus one. Their share of all entries is estimated from a sample,
 * or from the range of numbers of the counted entries.
 */
const findWords = async (cache: Reader, q: string, max: number): Promise<Words> => {
  const words = [...new Set(tokenize(q))]
  const share = words.length === 0 ? null : await cache.read(estimateShare(cache.dialect, words))
  if (share !== null && share >= COMMON_SHARE) return { words, n: max + 1, share }
  const { n, stretch } = await cache.read(
    one(
      sql.type(FirstMatches)`
        SELECT count(*) AS n, max(entry_no) - min(entry_no) + 1 AS stretch
        FROM (${entriesWith(cache.dialect, words)} LIMIT ${max + 1}) x`,
    ),
  )
  return { words, n, share: n / Math.max(1, n, stretch ?? 0) }
}

/** A filter for words that few entries contain. A text without words matches nothing. */
const wordsFilter = (dialect: Dialect, { words, n }: Words): Filter => {
  if (words.length === 0)
    return { where: sql.fragment`FALSE`, entries: constant(0), check: sql.fragment`FALSE`, isOrdered: false }
  const found = sql.fragment`entry_no IN (${entriesWith(dialect, words)})`
  return { where: found, entries: constant(n), check: unindexed(found), isOrdered: false }
}

const entryFilters = ({
  kind,
  model,
  empty_reason,
  since,
  until,
  min_cost_microusd,
  max_cost_microusd,
}: Omit<CacheFilters, 'q'>): Filter[] => {
  const stored = between('created_at', since, until)
  const cost = between('cost_micro', min_cost_microusd, max_cost_microusd)
  return [
    ...(kind === undefined ? [] : [kindFilter(kind)]),
    ...(model === undefined ? [] : [equal(sql.fragment`model = ${model}`, findFacet('model', model))]),
    ...(empty_reason === undefined
      ? []
      : [equal(sql.fragment`empty_reason = ${empty_reason}`, findFacet('empty_reason', empty_reason))]),
    ...(stored ? [within(stored)] : []),
    ...(cost ? [within(cost)] : []),
  ]
}

const between = (
  column: 'created_at' | 'cost_micro',
  least: number | undefined,
  most: number | undefined,
): Fragment | null => {
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

const Place = z.object({ entry_no: count, value: count, digest: z.instanceof(Buffer) })
type Place = z.infer<typeof Place>

/**
 * Entries that match all filters, in order, after the cursor.
 */
export const listCacheEntries = async (
  cache: Reader,
  filters: CacheFilters,
  { sort, order }: CacheOrder,
  { limit, cursor }: CachePage,
  { many = wordLimit(cache.dialect) }: { readonly many?: number } = {},
): Promise<CacheList> => {
  const column = SORTED_BY[sort]
  const sorted = sql.identifier([column])
  const start = parseCacheCursor(cursor)
  const beyond = order === 'asc' ? sql.fragment`>` : sql.fragment`<`
  const direction = order === 'asc' ? sql.fragment`ASC` : sql.fragment`DESC`
  const inOrderOf = (most: number): Fragment =>
    sql.fragment`ORDER BY ${sorted} ${direction}, digest ${direction} LIMIT ${most}`
  const after = ({ value, key }: CacheCursor): Fragment =>
    sql.fragment`(${sorted}, digest) ${beyond} (${value}, ${sql.binary(keyDigest(key))})`
  const bounds = [
    ...(sort === 'cost' ? [sql.fragment`cost_micro IS NOT NULL`] : []),
    // If a filter limits the value by which the list is sorted, the limits are a range of the index of that order.
    ...(sort === 'created' ? [between('created_at', filters.since, filters.until)] : []),
    ...(sort === 'cost' ? [between('cost_micro', filters.min_cost_microusd, filters.max_cost_microusd)] : []),
  ].filter((each) => each !== null)
  const { q, since, until, min_cost_microusd, max_cost_microusd, ...others } = filters
  const words = q === undefined ? null : await findWords(cache, q, many)
  const isCommon = words !== null && words.n > many
  const onEach = words && isCommon ? hasWords(cache.dialect, words.words, sql.fragment`cache_entries.entry_no`) : null
  const asked = [
    ...entryFilters({
      ...others,
      ...(sort === 'created'
        ? { min_cost_microusd, max_cost_microusd }
        : sort === 'cost'
          ? { since, until }
          : { since, until, min_cost_microusd, max_cost_microusd }),
    }),
    ...(words && !isCommon ? [wordsFilter(cache.dialect, words)] : []),
    ...(onEach ? [{ where: onEach, entries: constant(Infinity), check: unindexed(onEach), isOrdered: false }] : []),
  ]
  const counted = await Promise.all(asked.map(async (filter) => ({ filter, n: await cache.read(filter.entries) })))
  counted.sort((a, b) => a.n - b.n)
  const [rarest] = counted
  const checksBut = (driver: Filter | undefined): Fragment[] =>
    asked.filter((each) => each !== driver).map(({ check }) => check)
  const all = (conditions: readonly Fragment[]): Fragment => sql.and([sql.fragment`TRUE`, ...conditions])

  /** Entries in order, after a cursor. */
  const inOrder = (columns: Fragment, position: CacheCursor | null, most: number): Fragment => {
    const order = inOrderOf(most)
    const limits = position ? [...bounds, after(position)] : bounds
    if (rarest && rarest.n <= MAX_SORTED) {
      // The few entries are selected first and sorted afterwards, so that the planner cannot choose the index of the
      // order.
      const few = sql.fragment`SELECT entry_no AS few_no FROM cache_entries WHERE ${rarest.filter.where} LIMIT ${MAX_SORTED}`
      return sql.fragment`
        SELECT ${columns} FROM (${few}) few CROSS JOIN cache_entries
        WHERE entry_no = few_no AND ${all([...limits.map(unindexed), ...checksBut(rarest.filter)])} ${order}`
    }
    const ordered = sort === 'created' ? counted.find(({ filter }) => filter.isOrdered)?.filter : undefined
    return sql.fragment`
      SELECT ${columns} FROM cache_entries
      WHERE ${all([...(ordered ? [ordered.where] : []), ...limits, ...checksBut(ordered)])} ${order}`
  }

  const listed = (fragment: Fragment): Query<Row[]> => any(sql.type(Row)`${fragment}`)

  /**
   * Reads the index of the order in steps until a page is full. Each step selects the entries that contain the words.
   */
  const walk = async (wanted: Words): Promise<Row[]> => {
    const rows: Row[] = []
    let position = start
    for (
      let step = Math.min(Math.ceil(((limit + 1) / wanted.share) * STEP_MARGIN), MAX_STEP);
      ;
      step = Math.min(step * 4, MAX_STEP)
    ) {
      const places: Place[] = await cache.read(
        any(sql.type(Place)`${inOrder(sql.fragment`entry_no, ${sorted} AS value, digest`, position, step)}`),
      )
      const have = new Set(
        await cache.read(
          listEntriesWith(
            wanted.words,
            places.map(({ entry_no }) => entry_no),
            wanted.share,
          ),
        ),
      )
      const hits = places.filter(({ entry_no }) => have.has(entry_no))
      const taken = hits.slice(0, limit + 1 - rows.length)
      if (taken.length > 0) rows.push(...atPlaces(taken, await cache.read(listed(among(taken)))))
      // Some of these entries may be deleted by now. So the walk continues after the last position that was read, not
      // after the last row.
      const last = taken.length < hits.length ? taken.at(-1) : places.length < step ? undefined : places.at(-1)
      if (last === undefined || rows.length > limit) return rows
      position = { value: last.value, key: digestKey(last.digest) }
    }
  }
  const among = (places: readonly Place[]): Fragment =>
    sql.fragment`SELECT ${COLUMNS} FROM cache_entries WHERE entry_no IN (${numberList(
      places.map(({ entry_no }) => entry_no),
    )}) ${inOrderOf(places.length)}`
  /**
   * Returns the rows in the order and with the sorted values of the first read. Otherwise an entry that is used between
   * the two reads would change where the page ends.
   */
  const atPlaces = (places: readonly Place[], found: readonly Row[]): Row[] => {
    const byKey = new Map(found.map((row) => [digestKey(row.digest), row]))
    return places.flatMap(({ digest, value }) => {
      const row = byKey.get(digestKey(digest))
      return row ? [{ ...row, [column]: value }] : []
    })
  }

  const found =
    words && isCommon && !onEach ? await walk(words) : await cache.read(listed(inOrder(COLUMNS, start, limit + 1)))
  const { rows, next_cursor } = page(found, limit, (last) =>
    cacheCursor({ value: last[column] ?? 0, key: digestKey(last.digest) }),
  )
  return { entries: rows.map(item), next_cursor, truncated: false }
}

const item = ({ digest, rules, parseable, size, created_at, last_access_at, ...read }: Row): CacheItem =>
  cacheItem(
    { key: digestKey(digest), size, created_at, last_access_at },
    rules === 0 ? null : { ...read, parseable: parseable === true },
  )
