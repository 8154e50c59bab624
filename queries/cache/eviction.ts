import { z } from 'zod'
import { rfc3339, usd } from '../../domain/wire.ts'
import { keyDigest, findTotal } from '../../storage/cache/entries.ts'
import { findGroupOf, type EntryGroup, type EvictionPreview, type Removed } from '../../storage/cache/selection.ts'
import type { Reader } from '../../storage/storage.ts'

const count = z.number().int()
const text = z.string().nullable()
const RECENT_MS = 7 * 86_400_000

/** When a lookup was at the earliest to count as recent. */
export const recentFrom = (now: number): number => now - RECENT_MS

/**
 * Entries that would be removed. `read_last_7_days` counts those that were looked up since they were stored. `cost_usd`
 * is what `with_cost` of them have cost; null if no cost is recorded.
 */
const Sum = z.object({
  entries: count,
  bytes: count,
  read_last_7_days: count,
  oldest_at: text,
  newest_at: text,
  cost_usd: z.number().nullable(),
  with_cost: count,
})

/** What an eviction would remove: in sum, the largest groups by kind and model, and the sum of all other groups. */
export const CacheEviction = Sum.extend({
  groups: z.array(z.object({ kind: text, model: text, ...Sum.shape })),
  other: Sum,
  total: z.object({ entries: count, bytes: count }),
}).meta({ id: 'CacheEviction' })
export type CacheEviction = z.infer<typeof CacheEviction>

const at = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms))

const evictionSum = ({
  entries,
  bytes,
  recently_read,
  oldest_at,
  newest_at,
  cost_micro,
  with_cost,
}: Removed): z.infer<typeof Sum> => ({
  entries,
  bytes,
  read_last_7_days: recently_read,
  oldest_at: at(oldest_at),
  newest_at: at(newest_at),
  cost_usd: with_cost === 0 ? null : usd(cost_micro),
  with_cost,
})
const evictionGroup = (group: EntryGroup) => ({ kind: group.kind, model: group.model, ...evictionSum(group) })

/** A preview as a response. */
export const cacheEviction = ({ groups, other, total, ...sum }: EvictionPreview): CacheEviction => ({
  ...evictionSum(sum),
  groups: groups.map(evictionGroup),
  other: evictionSum(other),
  total,
})

/** What the removal of one entry would remove; null if there is none. */
export const findEntryEviction = async (cache: Reader, key: string, now: number): Promise<CacheEviction | null> => {
  const { group, entries, bytes } = await cache.readAll({
    group: findGroupOf(keyDigest(key), recentFrom(now)),
    entries: findTotal('entries'),
    bytes: findTotal('bytes'),
  })
  return group && cacheEviction({ ...group, groups: [group], other: NOTHING, total: { entries, bytes } })
}

const NOTHING: Removed = {
  entries: 0,
  bytes: 0,
  recently_read: 0,
  oldest_at: null,
  newest_at: null,
  cost_micro: 0,
  with_cost: 0,
}
