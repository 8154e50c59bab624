import { facetsOf, isParsed, pageOfEntries } from '../engine/cache-listing.ts'
import type { CacheFilters, ListedEntry } from '../engine/cache-listing.ts'
import { readEntry } from './cache-entry.ts'
import { cacheItem } from './cache-item.ts'
import type { CacheEntry, CacheFacets, CacheItem, CacheList, CacheOrder, CachePage } from './cache-item.ts'

/** What a directory of entries holds. */
export type LocalFiles = { readonly entries: readonly ListedEntry[]; readonly truncated: boolean }

/** Files that all filters match, in order, behind a place. */
export const listLocalEntries = ({ entries, truncated }: LocalFiles, filters: CacheFilters, order: CacheOrder, page: CachePage): CacheList => {
  const { entries: shown, next_cursor } = pageOfEntries(entries, filters, { ...order, ...page })
  return { entries: shown.map(localItem), next_cursor, truncated }
}

const localItem = (entry: ListedEntry): CacheItem => {
  const { key, size, modified_at, metadata } = entry
  return cacheItem({ key, size, created_at: modified_at, last_access_at: null }, { ...(metadata ?? UNREADABLE), parseable: isParsed(entry) })
}

const UNREADABLE = {
  entry_created_at: null, kind: null, model: null, cost_micro: null, input_tokens: null, output_tokens: null, request_summary: null, output_preview: null,
  empty_reason: null,
} as const

/** What files can be filtered by. */
export const listLocalFacets = ({ entries }: LocalFiles): CacheFacets => {
  const { kinds, models, empty_reasons, ...totals } = facetsOf(entries)
  return { kinds: [...kinds], models: [...models], empty_reasons: [...empty_reasons], ...totals }
}

/** A file in full. */
export const readLocalEntry = (key: string, { bytes, modified_at }: { readonly bytes: Uint8Array; readonly modified_at: number }, raw: boolean): CacheEntry =>
  readEntry({ key, size: bytes.length, created_at: modified_at, last_access_at: null }, bytes, raw)
