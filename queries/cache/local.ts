import { NO_METADATA } from '../../domain/cache/body.ts'
import { countFacets, isParsed, pageEntries, type CacheFilters, type ListedEntry } from '../../domain/cache/listing.ts'
import { readEntry } from './entry.ts'
import {
  cacheItem,
  type CacheEntry,
  type CacheFacets,
  type CacheItem,
  type CacheList,
  type CacheOrder,
  type CachePage,
} from './item.ts'
import { etagOf } from '../etag.ts'
import type { LongReadAnswer } from '../long-reads.ts'

/** The entries of a directory. */
export type LocalFiles = { readonly entries: readonly ListedEntry[]; readonly truncated: boolean }

/** Files that match all filters, in order, after the cursor. */
export const listLocalEntries = (
  { entries, truncated }: LocalFiles,
  filters: CacheFilters,
  order: CacheOrder,
  page: CachePage,
): CacheList => {
  const { entries: listed, next_cursor } = pageEntries(entries, filters, { ...order, ...page })
  return { entries: listed.map(localItem), next_cursor, truncated }
}

const localItem = (entry: ListedEntry): CacheItem => {
  const { key, size, modified_at, metadata } = entry
  return cacheItem(
    { key, size, created_at: modified_at, last_access_at: null },
    { ...(metadata ?? NO_METADATA), parseable: isParsed(entry) },
  )
}

/** The filter values of the files. */
const listLocalFacets = ({ entries }: LocalFiles): CacheFacets => {
  const { kinds, models, empty_reasons, ...totals } = countFacets(entries)
  return { kinds: [...kinds], models: [...models], empty_reasons: [...empty_reasons], ...totals }
}

type LocalFile = { readonly bytes: Uint8Array; readonly modified_at: number }

/** A file in full. */
export const readLocalEntry = (key: string, { bytes, modified_at }: LocalFile, raw: boolean): CacheEntry =>
  readEntry({ key, size: bytes.length, created_at: modified_at, last_access_at: null }, bytes, raw)

/**
 * A directory of entries that other programs write. Its methods return finished responses, because they read all files
 * and a file may be large.
 */
export type LocalDirectory = {
  readonly list: (filters: CacheFilters, order: CacheOrder, page: CachePage) => Promise<LongReadAnswer>
  readonly facets: () => Promise<LongReadAnswer>
  /** Null if the file does not exist or cannot be read. */
  readonly find: (key: string, raw: boolean) => Promise<LongReadAnswer | null>
}

type Directory = {
  readonly snapshot: () => Promise<LocalFiles>
  readonly read: (key: string) => Promise<LocalFile | null>
}

/** The local directory, read in the calling thread. */
export const localDirectory = (cache: Directory): LocalDirectory => ({
  list: async (filters, order, page) => finished(listLocalEntries(await cache.snapshot(), filters, order, page)),
  facets: async () => finished(listLocalFacets(await cache.snapshot())),
  find: async (key, raw) => {
    const file = await cache.read(key)
    return file && finished(readLocalEntry(key, file, raw))
  },
})

const finished = (response: CacheList | CacheFacets | CacheEntry): LongReadAnswer => {
  const body = new TextEncoder().encode(JSON.stringify(response))
  return { body, etag: etagOf(body) }
}
