import { setImmediate as turn } from 'node:timers/promises'
import { findLastEntry, findTotal, removeEntries } from '../../storage/cache/entries.ts'
import type { Removed } from '../../storage/cache/entries.ts'
import { listLeastRecentlyUsed, listSelected, listUsedAfter, selects } from '../../storage/cache/selection.ts'
import type { CacheSelection, Eviction, EntryRef, Used } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'

/** Entries removed in one transaction, and numbers looked at in one query: writers wait for either. */
const BATCH = 100
const STEP = 10_000

/** `failed` tells why it ended early. */
export type Evicted = { readonly pruned: number; readonly bytes: number; readonly failed: string | null }

type Options = {
  /** Told of what is gone, transaction by transaction. */
  readonly onRemoved: (removed: Removed) => void
  /** Ends it between two transactions: what is gone by then is answered. */
  readonly signal: AbortSignal
}

/**
 * Evicts in many short transactions, so that nobody else waits for long. Entries that come meanwhile are not looked at;
 * what of it two evictions both want is counted by one. A failure after the first transaction is answered with what is
 * gone by then, which somebody may have to tell of.
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
    await turn()
    return removed.digests.length
  }

  const select = async (): Promise<void> => {
    for await (const places of selected(store, selection, signal))
      await remove(
        places.map(({ digest }) => digest),
        null,
      )
  }

  const reachTarget = async (): Promise<void> => {
    while (target_bytes !== null && !signal.aborted && (await store.read(findTotal('bytes'))) > target_bytes) {
      // Nothing is left where the count says so: whoever else evicts was quicker.
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

/**
 * The selected entries, a batch at a time, in the order of their numbers. Others have their turn between two batches.
 */
const selected = async function* (
  store: Pick<CacheStore, 'read'>,
  selection: CacheSelection,
  signal: AbortSignal,
): AsyncGenerator<readonly EntryRef[]> {
  const last = selects(selection) ? await store.read(findLastEntry) : 0
  for (let from = 0; from < last && !signal.aborted; from += STEP) {
    const upTo = Math.min(from + STEP, last)
    for (let after = from; after < upTo && !signal.aborted;) {
      const places = await store.read(listSelected(selection, { after, upTo }, BATCH))
      if (places.length > 0) yield places
      await turn()
      after = places.length < BATCH ? upTo : (places.at(-1)?.entry_no ?? upTo)
    }
  }
}

/** How many entries would go if these evictions were made one after the other. Nothing changes. */
export const countEvictions = async (
  store: Pick<CacheStore, 'read'>,
  evictions: readonly Eviction[],
  signal: AbortSignal,
): Promise<number> => {
  const gone = new Set<number>()
  let bytes = await store.read(findTotal('bytes'))
  const count = ({ entry_no, size }: EntryRef): void => {
    if (gone.has(entry_no)) return
    gone.add(entry_no)
    bytes -= size
  }
  const reachTarget = async (target: number): Promise<void> => {
    for (let page: Used[] = []; bytes > target && !signal.aborted; await turn()) {
      page = await store.read(listUsedAfter(page.at(-1) ?? null, BATCH))
      for (const each of page) if (bytes > target) count(each)
      if (page.length < BATCH) return
    }
  }
  for (const { selection, target_bytes } of evictions) {
    for await (const places of selected(store, selection, signal)) places.forEach(count)
    if (target_bytes !== null) await reachTarget(target_bytes)
  }
  return gone.size
}
