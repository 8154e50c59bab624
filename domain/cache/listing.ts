import { readCacheBody, type CacheMetadata } from './body.ts'
import { byCodePoint } from '../text/code-point-order.ts'

/** The metadata that is held in memory for an entry of a cache directory: all but its search text. */
export type ListedMetadata = Omit<CacheMetadata, 'search_text'>

/**
 * An entry of a cache directory. `modified_at` is epoch milliseconds; `metadata` is null if the file could not be read.
 */
export type ListedEntry = {
  readonly key: string
  readonly size: number
  readonly modified_at: number
  readonly metadata: ListedMetadata | null
}

/** Returns the metadata of an entry without its search text. It never throws. */
export const listedMetadata = (bytes: Uint8Array): ListedMetadata => {
  const { search_text: _, ...metadata } = readCacheBody(bytes)
  return metadata
}

/**
 * Selects entries: every given filter must match. Times are epoch milliseconds. The bounds of time and cost are
 * inclusive.
 */
export type CacheFilters = {
  /** A kind. `unparseable` selects the entries whose body could not be read; `unindexed` selects none. */
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly empty_reason?: string | undefined
  /** A substring of the request summary or of the output preview; case does not matter. */
  readonly q?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly min_cost_microusd?: number | undefined
  readonly max_cost_microusd?: number | undefined
}

export const CACHE_SORTS = ['created', 'last_access', 'size', 'cost'] as const
export type CacheSort = (typeof CACHE_SORTS)[number]
export const CACHE_ORDERS = ['desc', 'asc'] as const
export type ListingOrder = (typeof CACHE_ORDERS)[number]

export const isParsed = ({ metadata }: ListedEntry): boolean => metadata?.status === 'parsed'

/** Whether an entry matches every filter. */
const matches = (entry: ListedEntry, filters: CacheFilters): boolean => {
  const { metadata, modified_at } = entry
  const { kind, model, empty_reason, q, since, until, min_cost_microusd: minCost, max_cost_microusd: maxCost } = filters
  if (
    kind === 'unindexed' ||
    (kind === 'unparseable' ? isParsed(entry) : kind !== undefined && metadata?.kind !== kind)
  )
    return false
  if (model !== undefined && metadata?.model !== model) return false
  if (empty_reason !== undefined && metadata?.empty_reason !== empty_reason) return false
  if ((since !== undefined && modified_at < since) || (until !== undefined && modified_at > until)) return false
  if (minCost !== undefined || maxCost !== undefined) {
    const cost = metadata?.cost_micro ?? null
    if (cost === null || cost < (minCost ?? cost) || cost > (maxCost ?? cost)) return false
  }
  return q === undefined || containsText(metadata, q)
}

const containsText = (metadata: ListedMetadata | null, q: string): boolean => {
  const needle = q.toLowerCase()
  return (
    needle !== '' &&
    [metadata?.request_summary, metadata?.output_preview].some((text) => text?.toLowerCase().includes(needle))
  )
}

export type CachePaging = {
  readonly sort?: CacheSort | undefined
  readonly order?: ListingOrder | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
export type ListingPage<E> = { readonly entries: readonly E[]; readonly next_cursor: string | null }

const CURSOR = /^(-?\d{1,16}):(sha256:[0-9a-f]{64})$/

/**
 * Returns one page of the matching entries; entries with equal values are sorted by key. A sort by cost leaves out
 * entries without a cost. The time of the last access of a file is unknown, so a sort by it uses the modification time.
 * An invalid cursor is ignored.
 */
export const pageEntries = <E extends ListedEntry>(
  entries: readonly E[],
  filters: CacheFilters,
  { sort = 'created', order = 'desc', limit, cursor }: CachePaging,
): ListingPage<E> => {
  const valueOf = ({ size, modified_at, metadata }: ListedEntry): number | null =>
    sort === 'size' ? size : sort === 'cost' ? (metadata?.cost_micro ?? null) : modified_at
  const direction = order === 'desc' ? -1 : 1
  const [, after, afterKey = ''] = CURSOR.exec(cursor ?? '') ?? []
  const compare = (a: SortedEntry<E>, b: { readonly value: number; readonly key: string }): number =>
    direction * (a.value - b.value || byCodePoint(a.entry.key, b.key))

  const sorted = entries.flatMap((entry): SortedEntry<E>[] => {
    const value = matches(entry, filters) ? valueOf(entry) : null
    if (value === null) return []
    const item = { entry, value }
    return after !== undefined && compare(item, { value: Number(after), key: afterKey }) <= 0 ? [] : [item]
  })
  sorted.sort((a, b) => compare(a, { value: b.value, key: b.entry.key }))
  const shown = sorted.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ entry }) => entry),
    next_cursor: last !== undefined && sorted.length > limit ? `${last.value}:${last.entry.key}` : null,
  }
}

type SortedEntry<E> = { readonly entry: E; readonly value: number }

export type CacheFacet = { readonly value: string; readonly count: number }
export type ListingFacets = {
  readonly kinds: readonly CacheFacet[]
  readonly models: readonly CacheFacet[]
  readonly empty_reasons: readonly CacheFacet[]
  readonly total: number
  readonly unindexed: number
  readonly unparseable: number
}

/** Returns every value of the filters with its number of entries, most frequent first. */
export const countFacets = (entries: readonly ListedEntry[]): ListingFacets => ({
  kinds: countValues(entries, 'kind'),
  models: countValues(entries, 'model'),
  empty_reasons: countValues(entries, 'empty_reason'),
  total: entries.length,
  unindexed: 0,
  unparseable: entries.filter((entry) => !isParsed(entry)).length,
})

const countValues = (entries: readonly ListedEntry[], field: 'kind' | 'model' | 'empty_reason'): CacheFacet[] => {
  const counts = new Map<string, number>()
  for (const { metadata } of entries) {
    const value = metadata?.[field] ?? null
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || byCodePoint(a.value, b.value))
}
