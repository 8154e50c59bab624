import { setTimeout as wait } from 'node:timers/promises'
import { digestOf, keyOf, noteUse, putEntries, removeEntries } from '../../storage/cache/entries.ts'
import type { Removed } from '../../storage/cache/entries.ts'
import { INDEX_RULES } from '../../storage/cache/index-version.ts'
import type { Eviction } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'
import { countEvictions, evict } from './eviction.ts'
import type { Evicted } from './eviction.ts'
import { indexOf, keepIndexing } from './indexing.ts'
import type { CacheWrites } from './shared-cache.ts'

/**
 * Entries, and bytes of them, that are kept in one transaction: who waits for a large one may send the next while the
 * others are written.
 */
const MAX_ENTRIES = 64
const MAX_BYTES = 1024 * 1024

/** Everything that changes the cache, in the thread that calls it. */
export type CacheWriter = CacheWrites & {
  /** Begins to read, beside everything else, what nobody has read yet. */
  readonly startIndexing: () => void
  /** Ends what is long after the transaction that it is in: evictions answer what is gone by then. */
  readonly stop: () => void
  readonly close: () => Promise<void>
}

type Options = {
  readonly store: CacheStore
  readonly now: () => number
  /** Told of keys that are gone, before anyone is answered. */
  readonly onRemoved: (keys: readonly string[]) => void
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

type Waiting = {
  readonly key: string
  readonly bytes: Uint8Array
  readonly resolve: (first: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Works on a store that it closes in the end. */
export const openCacheWriter = ({ store, now, onRemoved, log }: Options): CacheWriter => {
  const waiting: Waiting[] = []
  let draining: Promise<void> | null = null
  const stopping = new AbortController()
  let indexing: Promise<unknown> = Promise.resolve()
  const evictions = new Set<Promise<Evicted>>()

  const told = ({ digests }: Removed): void => onRemoved(digests.map(keyOf))

  const takeGroup = (): Waiting[] => {
    let bytes = 0
    let count = 0
    while (
      count < Math.min(waiting.length, MAX_ENTRIES) &&
      (count === 0 || bytes + (waiting[count]?.bytes.length ?? 0) <= MAX_BYTES)
    )
      bytes += waiting[count++]?.bytes.length ?? 0
    return waiting.splice(0, count)
  }
  const keep = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const entries = group.map(({ key, bytes }) => ({
        digest: digestOf(key),
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        index: indexOf(bytes),
      }))
      const first = await store.change(putEntries(entries, { at: now(), rules: INDEX_RULES }))
      for (const [i, { resolve }] of group.entries()) resolve(first[i] ?? false)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  const drain = async (): Promise<void> => {
    // What arrives in the same turn is kept together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      await keep(takeGroup())
      await new Promise((resolve) => setImmediate(resolve))
    }
    draining = null
  }

  return {
    put: (key, bytes) =>
      new Promise((resolve, reject) => {
        waiting.push({ key, bytes, resolve, reject })
        draining ??= drain()
      }),
    remove: async (key) => {
      const removed = await store.change(removeEntries([digestOf(key)]))
      told(removed)
      return removed.digests.length > 0
    },
    evict: (eviction: Eviction): Promise<Evicted> => {
      const evicted = evict(store, eviction, { onRemoved: told, signal: stopping.signal })
      evictions.add(evicted)
      return evicted.finally(() => evictions.delete(evicted))
    },
    wouldEvict: (wanted) => countEvictions(store, wanted, stopping.signal),
    note: async ({ hits, misses, accesses }) => {
      await store.change(noteUse({ hits, misses, accesses: accesses.map(([key, at]) => [digestOf(key), at]) }))
    },
    settle: store.settle,
    startIndexing: () => {
      indexing = keepIndexing({
        store,
        rules: INDEX_RULES,
        wait: async (ms) => {
          await wait(ms, undefined, { signal: stopping.signal, ref: false })
        },
        clock: () => performance.now(),
        log,
      }).catch((error: unknown) => {
        // Waiting is what ends it.
        if (!stopping.signal.aborted) throw error
      })
    },
    stop: () => stopping.abort(),
    close: async () => {
      stopping.abort()
      await draining
      // Each ends with the transaction that it is in, and answers what it removed.
      await Promise.allSettled(evictions)
      await indexing
      await store.close()
    },
  }
}
