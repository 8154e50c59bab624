import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findLastEntry, findTotal, removeEntries, type RemovedEntries } from '../../storage/cache/entries.ts'
import {
  listLeastRecentlyUsed,
  listSelected,
  listUsedAfter,
  hasCondition,
  type CacheSelection,
  type Eviction,
  type EntryRef,
  type Used,
} from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'

/** Entries removed in one transaction, and entry numbers scanned by one query: writers wait for both. */
const BATCH = 100
const SCANNED = 10_000

/** `failed` is the error that ended the eviction early, or null. */
export type Evicted = { readonly pruned: number; readonly bytes: number; readonly failed: string | null }

type Options = {
  /** Receives the removed entries of each transaction. */
  readonly onRemoved: (removed: RemovedEntries) => void
  /** Stops the eviction between two transactions. The result then counts what was removed before. */
  readonly signal: AbortSignal
}

/**
 * Evicts in many short transactions, so that other writers do not wait for long. Ignores entries that arrive meanwhile.
 * An entry that two evictions select is counted by only one of them. A failure after the first removal is returned, not
 * thrown, since what was removed until then may have to be recorded.
 */
export const evict = async (
  store: CacheStore,
  { selection, target_bytes }: Eviction,
  { onRemoved, signal }: Options,
): Promise<Evicted> => {
  let pruned = 0
  let bytes = 0
  const remove = async (digests: readonly Buffer[], target: number | null): Promise<number> => {
    const removed = await store.change(removeEntries(digests, target))
    if (removed.digests.length > 0) onRemoved(removed)
    pruned += removed.digests.length
    bytes += removed.bytes
    await yieldToEventLoop()
    return removed.digests.length
  }

  const select = async (): Promise<void> => {
    for await (const entries of selected(store, selection, signal))
      await remove(
        entries.map(({ digest }) => digest),
        null,
      )
  }

  const reachTarget = async (): Promise<void> => {
    while (target_bytes !== null && !signal.aborted && (await store.read(findTotal('bytes'))) > target_bytes) {
      // A concurrent eviction removed the entries first.
      if ((await remove(await store.read(listLeastRecentlyUsed(BATCH)), target_bytes)) === 0) break
    }
  }

  try {
    await select()
    await reachTarget()
  } catch (error) {
    if (pruned === 0) throw error
    return { pruned, bytes, failed: String(error) }
  }
  return { pruned, bytes, failed: null }
}

/** The selected entries in batches, by entry number. Yields to the event loop between two batches. */
const selected = async function* (
  store: Pick<CacheStore, 'read'>,
  selection: CacheSelection,
  signal: AbortSignal,
): AsyncGenerator<readonly EntryRef[]> {
  const last = hasCondition(selection) ? await store.read(findLastEntry) : 0
  for (let from = 0; from < last && !signal.aborted; from += SCANNED) {
    const upTo = Math.min(from + SCANNED, last)
    for (let after = from; after < upTo && !signal.aborted;) {
      const entries = await store.read(listSelected(selection, { after, upTo }, BATCH))
      if (entries.length > 0) yield entries
      await yieldToEventLoop()
      after = entries.length < BATCH ? upTo : (entries.at(-1)?.entry_no ?? upTo)
    }
  }
}

/** Returns how many entries these evictions would remove, one after another. Changes nothing. */
export const countEvictions = async (
  store: Pick<CacheStore, 'read'>,
  evictions: readonly Eviction[],
  signal: AbortSignal,
): Promise<number> => {
  const counted = new Set<number>()
  let bytes = await store.read(findTotal('bytes'))
  const count = ({ entry_no, size }: EntryRef): void => {
    if (counted.has(entry_no)) return
    counted.add(entry_no)
    bytes -= size
  }
  const reachTarget = async (target: number): Promise<void> => {
    for (let page: Used[] = []; bytes > target && !signal.aborted; await yieldToEventLoop()) {
      page = await store.read(listUsedAfter(page.at(-1) ?? null, BATCH))
      for (const entry of page) if (bytes > target) count(entry)
      if (page.length < BATCH) return
    }
  }
  for (const { selection, target_bytes } of evictions) {
    for await (const entries of selected(store, selection, signal)) entries.forEach(count)
    if (target_bytes !== null) await reachTarget(target_bytes)
  }
  return counted.size
}
