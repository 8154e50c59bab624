import { z } from 'zod'
import { openCacheBody, readCacheBody } from '../../domain/cache/body.ts'
import { keyDigest } from '../../storage/cache/entries.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { cacheItemFields, type CacheEntry, type Stored } from './item.ts'

const Row = z.object({
  size: z.number(),
  created_at: z.number(),
  last_access_at: z.number(),
  rules: z.number(),
  bytes: z.instanceof(Buffer),
})

type Request = { readonly key: string; readonly raw: boolean }

/** An entry in full, or null. It has the provider's raw metadata if `raw` is set. */
export const findCacheEntry = async (cache: Reader, { key, raw }: Request): Promise<CacheEntry | null> => {
  const row = await cache.read(
    maybeOne(sql.type(Row)`
      SELECT cache_entries.size, cache_entries.created_at, cache_entries.last_access_at, cache_entries.rules, cache_bodies.bytes
      FROM cache_entries JOIN cache_bodies ON cache_bodies.entry_no = cache_entries.entry_no
      WHERE cache_entries.digest = ${sql.binary(keyDigest(key))}`),
  )
  return row && { ...readEntry({ key, ...row }, row.bytes, raw), indexed: row.rules > 0 }
}

/** An entry from its bytes. The kind is the one that the body names, never one derived from its shape. */
export const readEntry = (stored: Stored, bytes: Uint8Array, raw: boolean): CacheEntry => {
  const { body } = openCacheBody(bytes)
  const { status, search_text: _, ...read } = readCacheBody(bytes)
  return {
    ...cacheItemFields(stored, { ...read, parseable: status === 'parsed', kind: body?.kind ?? null }),
    empty_reason: read.empty_reason,
    attempts: body?.attempts ?? null,
    provider_latency_ms: body?.provider_latency_ms ?? null,
    stop_reason: body?.stop_reason ?? null,
    service_version: body?.service_version ?? null,
    request: body?.request ?? null,
    provider_fingerprint: body?.provider_fingerprint ?? null,
    output: body?.output ?? null,
    reasoning: body?.reasoning ?? null,
    tool_calls: [...(body?.tool_calls ?? [])],
    raw: raw ? (body?.raw ?? null) : null,
  }
}
