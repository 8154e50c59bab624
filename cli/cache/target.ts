import { z } from 'zod'
import type { CacheOrder, CacheSort } from '../../domain/cache/listing.ts'

/** Totals of a cache. A directory counts no lookups. */
export const CacheTotals = z.object({
  entries: z.number(),
  total_bytes: z.number(),
  hits: z.number().optional(),
  misses: z.number().optional(),
  unindexed: z.number().optional(),
  oldest_entry_at: z.string().nullable(),
})
export type CacheTotals = z.infer<typeof CacheTotals>

/** What of a listed entry lines are made of; the rest goes along into JSON. */
export const ListedItem = z.looseObject({
  key: z.string(),
  size: z.number(),
  created_at: z.string(),
  kind: z.string().nullable(),
  model: z.string().nullable(),
  cost_usd: z.number().nullable(),
  request_summary: z.string().nullable(),
  output_preview: z.string().nullable(),
})
export type ListedItem = z.infer<typeof ListedItem>

/** Filters and order of a list, named as the API names them. */
export type Listing = {
  readonly kind?: string
  readonly model?: string
  readonly empty_reason?: string
  readonly q?: string
  /** Epoch milliseconds. */
  readonly since?: number
  readonly until?: number
  readonly sort?: CacheSort
  readonly order?: CacheOrder
}

/**
 * Which entries go: those that fit all rules, and then the least recently used until the total is at or below
 * `target_bytes`.
 */
export type Pruning = {
  readonly older_than_days?: number
  readonly newer_than_days?: number
  /** Any of them. */
  readonly empty_reasons?: readonly string[]
  readonly model?: string
  readonly kind?: string
  readonly target_bytes?: number
}

/** A cache that the command line works on. All of it throws `UserError` where nothing can be done. */
export type CacheTarget = {
  readonly stats: () => Promise<CacheTotals>
  /** Entries as they are listed, at most `limit`, and whether the scan left some out. */
  readonly list: (
    listing: Listing,
    limit: number,
  ) => Promise<{ readonly entries: readonly ListedItem[]; readonly truncated: boolean }>
  /** An entry in full, parsed; null where there is none. */
  readonly show: (key: string, raw: boolean) => Promise<Readonly<Record<string, unknown>> | null>
  readonly get: (key: string) => Promise<Uint8Array | null>
  readonly put: (key: string, bytes: Uint8Array) => Promise<boolean>
  /** Removes entries and answers how many; with null by the limits that the service is configured with. */
  readonly prune: (pruning: Pruning | null) => Promise<number>
}
