import { z } from 'zod'
import type { ListingOrder, CacheSort } from '../../domain/cache/listing.ts'

/** Totals of a cache. For a directory, hits and misses are not known. */
export const CacheTotals = z.object({
  entries: z.number(),
  total_bytes: z.number(),
  hits: z.number().optional(),
  misses: z.number().optional(),
  unindexed: z.number().optional(),
  oldest_entry_at: z.string().nullable(),
})
export type CacheTotals = z.infer<typeof CacheTotals>

/** The fields of a listed entry that are printed as text. With `--json`, all other fields are printed too. */
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

/** Filters and order of a list, under their API names. */
export type Listing = {
  readonly kind?: string
  readonly model?: string
  readonly empty_reason?: string
  readonly q?: string
  /** Epoch milliseconds. */
  readonly since?: number
  readonly until?: number
  readonly sort?: CacheSort
  readonly order?: ListingOrder
}

/**
 * Which entries to delete: those that match all rules, then the least recently used until the total is at most
 * `target_bytes`.
 */
export type Pruning = {
  readonly older_than_days?: number
  readonly newer_than_days?: number
  readonly empty_reasons?: readonly string[]
  readonly model?: string
  readonly kind?: string
  readonly target_bytes?: number
}

/** A cache that the command line works on. Its functions throw `UserError` if they cannot do their work. */
export type CacheTarget = {
  readonly stats: () => Promise<CacheTotals>
  /** At most `limit` entries. `truncated` is true if a directory has more files than one list reads. */
  readonly list: (
    listing: Listing,
    limit: number,
  ) => Promise<{ readonly entries: readonly ListedItem[]; readonly truncated: boolean }>
  /** One full, parsed entry; null if there is none. */
  readonly show: (key: string, raw: boolean) => Promise<Readonly<Record<string, unknown>> | null>
  readonly get: (key: string) => Promise<Uint8Array | null>
  readonly put: (key: string, bytes: Uint8Array) => Promise<boolean>
  /** Deletes entries and returns how many. Null applies the limits configured on the service. */
  readonly prune: (pruning: Pruning | null) => Promise<number>
}
