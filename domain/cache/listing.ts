import { readCacheBody } from './body.ts'
import type { CacheMetadata } from './body.ts'
import { byCodePoint } from '../run/code-point-order.ts'

/** What is kept in memory of an entry that lies in a directory: all but its search text. */
export type ListedMetadata = Omit<CacheMetadata, 'search_text'>

/**
 * An entry that lies in a directory. `modified_at` is epoch milliseconds; `metadata` is null where the file could not
 * be read.
 */
export type ListedEntry = {
  readonly key: string
  readonly size: number
  readonly modified_at: number
  readonly metadata: ListedMetadata | null
}

/** The metadata of an entry without its search text. No bytes make it throw. */
export const listedMetadata = (bytes: Uint8Array): ListedMetadata => {
  const { search_text: _, ...metadata } = readCacheBody(bytes)
  return metadata
}

/**
 * Which entries: all that is given must hold. Times are epoch milliseconds and both bounds inclusive, as are those of
 * the cost.
 */
export type CacheFilters = {
  /** One kind; `unparseable` are the entries whose body could not be read, `unindexed` none. */
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly empty_reason?: string | undefined
  /** A part of the request summary or the output preview, in any case. */
  readonly q?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly min_cost_microusd?: number | undefined
  readonly max_cost_microusd?: number | undefined
}

export const CACHE_SORTS = ['created', 'last_access', 'size', 'cost'] as const
export type CacheSort = (typeof CACHE_SORTS)[number]
export const CACHE_ORDERS = ['desc', 'asc'] as const
export type CacheOrder = (typeof CACHE_ORDERS)[number]

export const isParsed = ({ metadata }: ListedEntry): boolean => metadata?.status === 'parsed'

/** Whether an entry is one of those asked for. */
const matches = (entry: ListedEntry, filters: CacheFilters): boolean => {
  const { metadata, modified_at } = entry
  const { kind, model, empty_reason, q, since, until, min_cost_microusd: least, max_cost_microusd: most } = filters
  if (
    kind === 'unindexed' ||
    (kind === 'unparseable' ? isParsed(entry) : kind !== undefined && metadata?.kind !== kind)
  )
    return false
  if (model !== undefined && metadata?.model !== model) return false
  if (empty_reason !== undefined && metadata?.empty_reason !== empty_reason) return false
  if ((since !== undefined && modified_at < since) || (until !== undefined && modified_at > until)) return false
  if (least !== undefined || most !== undefined) {
    const cost = metadata?.cost_micro ?? null
    if (cost === null || cost < (least ?? cost) || cost > (most ?? cost)) return false
  }
  return q === undefined || holds(metadata, q)
}

const holds = (metadata: ListedMetadata | null, q: string): boolean => {
  const part = q.toLowerCase()
  return (
    part !== '' &&
    [metadata?.request_summary, metadata?.output_preview].some((text) => text?.toLowerCase().includes(part))
  )
}

export type CachePaging = {
  readonly sort?: CacheSort | undefined
  readonly order?: CacheOrder | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
export type CachePage<E> = { readonly entries: readonly E[]; readonly next_cursor: string | null }

const CURSOR = /^(-?\d{1,16}):(sha256:[0-9a-f]{64})$/

/**
 * The entries asked for, a page at a time; ties stand in the order of their keys. Sorted by cost, those without one are
 * left out. Files tell no last access, so that sort goes by their time. A cursor that is none is passed over.
 */
export const pageOfEntries = <E extends ListedEntry>(
  entries: readonly E[],
  filters: CacheFilters,
  { sort = 'created', order = 'desc', limit, cursor }: CachePaging,
): CachePage<E> => {
  const valueOf = ({ size, modified_at, metadata }: ListedEntry): number | null =>
    sort === 'size' ? size : sort === 'cost' ? (metadata?.cost_micro ?? null) : modified_at
  const direction = order === 'desc' ? -1 : 1
  const [, after, afterKey = ''] = CURSOR.exec(cursor ?? '') ?? []
  const compare = (a: Placed<E>, b: { readonly value: number; readonly key: string }): number =>
    direction * (a.value - b.value || byCodePoint(a.entry.key, b.key))

  const placed = entries.flatMap((entry): Placed<E>[] => {
    const value = matches(entry, filters) ? valueOf(entry) : null
    if (value === null) return []
    const here = { entry, value }
    return after !== undefined && compare(here, { value: Number(after), key: afterKey }) <= 0 ? [] : [here]
  })
  placed.sort((a, b) => compare(a, { value: b.value, key: b.entry.key }))
  const shown = placed.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ entry }) => entry),
    next_cursor: last !== undefined && placed.length > limit ? `${last.value}:${last.entry.key}` : null,
  }
}

type Placed<E> = { readonly entry: E; readonly value: number }

export type CacheFacet = { readonly value: string; readonly count: number }
export type CacheFacets = {
  readonly kinds: readonly CacheFacet[]
  readonly models: readonly CacheFacet[]
  readonly empty_reasons: readonly CacheFacet[]
  readonly total: number
  readonly unindexed: number
  readonly unparseable: number
}

/** The values of the filters with how many entries have each, the most first; none is left out. */
export const facetsOf = (entries: readonly ListedEntry[]): CacheFacets => ({
  kinds: counted(entries, 'kind'),
  models: counted(entries, 'model'),
  empty_reasons: counted(entries, 'empty_reason'),
  total: entries.length,
  unindexed: 0,
  unparseable: entries.filter((entry) => !isParsed(entry)).length,
})

const counted = (entries: readonly ListedEntry[], field: 'kind' | 'model' | 'empty_reason'): CacheFacet[] => {
  const counts = new Map<string, number>()
  for (const { metadata } of entries) {
    const value = metadata?.[field] ?? null
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || byCodePoint(a.value, b.value))
}
