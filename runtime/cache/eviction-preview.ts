import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findLastEntry, findTotal } from '../../storage/cache/entries.ts'
import {
  hasCondition,
  listGroups,
  listUsedOutside,
  type EntryGroup,
  type Eviction,
  type EvictionPreview,
  type Removed,
  type UsedEntry,
} from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'

/** Entry numbers that one query scans, and entries that it lists. */
const SCANNED = 10_000
const LISTED = 1_000

/** Groups that are listed one by one; smaller ones are added up. */
const MAX_GROUPS = 20

const NOTHING: Removed = {
  entries: 0,
  bytes: 0,
  recently_read: 0,
  oldest_at: null,
  newest_at: null,
  cost_micro: 0,
  with_cost: 0,
}

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)
const greatest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

const added = (a: Removed, b: Removed): Removed => ({
  entries: a.entries + b.entries,
  bytes: a.bytes + b.bytes,
  recently_read: a.recently_read + b.recently_read,
  oldest_at: least(a.oldest_at, b.oldest_at),
  newest_at: greatest(a.newest_at, b.newest_at),
  cost_micro: a.cost_micro + b.cost_micro,
  with_cost: a.with_cost + b.with_cost,
})

/** Returns what an eviction would remove, in the order in which `evict` removes it. Changes nothing. */
export const previewEviction = async (
  store: Pick<CacheStore, 'read'>,
  { selection, target_bytes }: Eviction,
  { recentFrom, signal }: { readonly recentFrom: number; readonly signal: AbortSignal },
): Promise<EvictionPreview> => {
  const groups = new Map<string, EntryGroup>()
  const add = (group: EntryGroup): void => {
    const key = JSON.stringify([group.kind, group.model])
    const known = groups.get(key)
    groups.set(key, known ? { ...group, ...added(known, group) } : group)
  }
  const total = { entries: await store.read(findTotal('entries')), bytes: await store.read(findTotal('bytes')) }

  const last = hasCondition(selection) ? await store.read(findLastEntry) : 0
  for (let after = 0; after < last && !signal.aborted; after += SCANNED) {
    const rows = await store.read(listGroups(selection, { after, upTo: after + SCANNED }, recentFrom))
    rows.forEach(add)
    await yieldToEventLoop()
  }

  if (target_bytes !== null) {
    let left = total.bytes - removedSum(groups.values()).bytes
    for (let page: UsedEntry[] = []; left > target_bytes && !signal.aborted; await yieldToEventLoop()) {
      page = await store.read(listUsedOutside(selection, page.at(-1) ?? null, LISTED))
      for (const entry of page) {
        if (left <= target_bytes) break
        left -= entry.size
        add(groupOf(entry, recentFrom))
      }
      if (page.length < LISTED) break
    }
  }

  const sorted = [...groups.values()].sort((a, b) => b.entries - a.entries || b.bytes - a.bytes)
  return {
    ...removedSum(sorted),
    groups: sorted.slice(0, MAX_GROUPS),
    other: removedSum(sorted.slice(MAX_GROUPS)),
    total,
  }
}

const removedSum = (groups: Iterable<EntryGroup>): Removed =>
  [...groups].reduce<Removed>((sum, group) => added(sum, group), NOTHING)

const groupOf = (
  { kind, model, size, created_at, last_access_at, cost_micro }: UsedEntry,
  recentFrom: number,
): EntryGroup => ({
  kind,
  model,
  entries: 1,
  bytes: size,
  recently_read: last_access_at > created_at && last_access_at >= recentFrom ? 1 : 0,
  oldest_at: created_at,
  newest_at: created_at,
  cost_micro: cost_micro ?? 0,
  with_cost: cost_micro === null ? 0 : 1,
})
