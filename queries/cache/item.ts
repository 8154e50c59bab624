import { z } from 'zod'
import type { CacheMetadata } from '../../domain/cache/body.ts'
import type { CACHE_ORDERS, CacheSort } from '../../domain/cache/listing.ts'
import { rfc3339, usd } from '../../domain/wire.ts'

const count = z.number().int()
const text = z.string().nullable()

const commonFields = {
  key: z.string(),
  size: count,
  created_at: z.string(),
  last_access_at: text,
  entry_created_at: text,
  indexed: z.boolean(),
  parseable: z.boolean().nullable(),
  kind: text,
  model: text,
  cost_usd: z.number().nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
}

/** One row of the entry list. */
export const CacheItem = z
  .object({ ...commonFields, request_summary: text, output_preview: text, empty_reason: text })
  .meta({ id: 'CacheItem' })
export type CacheItem = z.infer<typeof CacheItem>

/** An entry in full, parsed from its current body. Fields that the body does not have are null. */
export const CacheEntry = z
  .object({
    ...commonFields,
    empty_reason: text,
    attempts: count.nullable(),
    provider_latency_ms: count.nullable(),
    stop_reason: text,
    service_version: text,
    request: z.unknown(),
    provider_fingerprint: z.unknown(),
    output: z.unknown(),
    reasoning: text,
    tool_calls: z.array(z.unknown()),
    raw: z.unknown(),
  })
  .meta({ id: 'CacheEntry' })
export type CacheEntry = z.infer<typeof CacheEntry>

export const CacheList = z
  .object({ entries: z.array(CacheItem), next_cursor: text, truncated: z.boolean() })
  .meta({ id: 'CacheList' })
export type CacheList = z.infer<typeof CacheList>

const Facet = z.object({ value: z.string(), count })
export type Facet = z.infer<typeof Facet>

/** Values to filter by, the most frequent first. */
export const CacheFacets = z
  .object({
    kinds: z.array(Facet),
    models: z.array(Facet),
    empty_reasons: z.array(Facet),
    total: count,
    unindexed: count,
    unparseable: count,
  })
  .meta({ id: 'CacheFacets' })
export type CacheFacets = z.infer<typeof CacheFacets>

/** The order of a list. Entries with the same value are ordered by key, in the same direction. */
export type CacheOrder = { readonly sort: CacheSort; readonly order: (typeof CACHE_ORDERS)[number] }

export type CachePage = { readonly limit: number; readonly cursor?: string | undefined }

/** A cursor of a list: the value by which it is sorted, and the key. */
export type CacheCursor = { readonly value: number; readonly key: string }

export const cacheCursor = ({ value, key }: CacheCursor): string => `${value}:${key}`

/** Null for text that is not a cursor: the list then starts with the first page. */
export const parseCacheCursor = (cursor: string | undefined): CacheCursor | null => {
  const [, value, key] = /^(-?\d{1,16}):(sha256:[0-9a-f]{64})$/.exec(cursor ?? '') ?? []
  return value !== undefined && key !== undefined ? { value: Number(value), key } : null
}

/** The key, size and times of an entry, in epoch milliseconds. */
export type Stored = {
  readonly key: string
  readonly size: number
  readonly created_at: number
  readonly last_access_at: number | null
}

/** The listed fields of a body. */
export type ListedEntry = { readonly parseable: boolean } & Omit<CacheMetadata, 'status' | 'search_text'>

export const cacheItemFields = ({ key, size, created_at, last_access_at }: Stored, listed: ListedEntry | null) => ({
  key,
  size,
  created_at: rfc3339(created_at),
  last_access_at: timeOrNull(last_access_at),
  entry_created_at: timeOrNull(listed?.entry_created_at ?? null),
  indexed: listed !== null,
  parseable: listed?.parseable ?? null,
  kind: listed?.kind ?? null,
  model: listed?.model ?? null,
  cost_usd: usd(listed?.cost_micro ?? null),
  input_tokens: listed?.input_tokens ?? null,
  output_tokens: listed?.output_tokens ?? null,
})

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms))

export const cacheItem = (stored: Stored, listed: ListedEntry | null): CacheItem => ({
  ...cacheItemFields(stored, listed),
  request_summary: listed?.request_summary ?? null,
  output_preview: listed?.output_preview ?? null,
  empty_reason: listed?.empty_reason ?? null,
})
