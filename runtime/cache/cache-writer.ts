import { setTimeout as wait } from 'node:timers/promises'
import {
  keyDigest,
  digestKey,
  recordUse,
  putEntries,
  removeEntries,
  type RemovedEntries,
} from '../../storage/cache/entries.ts'
import { CURRENT_INDEX_VERSION } from '../../storage/cache/index-version.ts'
import { listUnindexed, type Eviction } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'
import { countEvictions, evict, type Evicted } from './eviction.ts'
import { previewEviction } from './eviction-preview.ts'
import { indexNew } from './index-new.ts'
import { entryIndex, keepIndexing } from './indexing.ts'
import type { PutAll } from './put-batches.ts'
import type { CacheWrites } from './shared-cache.ts'

/**
 * Maximum number of entries, and of their bytes, that are stored in one transaction. The clients of a small group get
 * their answers sooner, and can send the next bodies while other groups are written.
 */
const MAX_ENTRIES = 64
const MAX_BYTES = 1024 * 1024

/** Larger bodies are indexed as they are stored: to read one again takes longer than to index it alone. */
const MAX_INDEXED_LATER = 64 * 1024

/** Changes the cache, in the calling thread. */
export type CacheWriter = CacheWrites & {
  /** Stores several bodies. If one of them cannot be stored, this rejects, even if others were. */
  readonly putAll: PutAll
  /** Starts to index entries that are not indexed yet, in the background. */
  readonly startIndexing: () => void
  /** Whether every entry that can be indexed is indexed. */
  readonly isIndexed: () => Promise<boolean>
  /** Stops evictions and indexing after their running transaction. Evictions return what they have removed. */
  readonly stop: () => void
  readonly close: () => Promise<void>
}

type Options = {
  readonly store: CacheStore
  readonly now: () => number
  /** Receives the keys of removed entries, before the removal is answered. */
  readonly onRemoved: (keys: readonly string[]) => void
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

type Waiting = {
  readonly key: string
  readonly bytes: Uint8Array
  readonly resolve: (first: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Opens the writer of a store; `close` closes the store too.
 * `p-queue` does not fit: it forms no groups.
 */
export const openCacheWriter = ({ store, now, onRemoved, log }: Options): CacheWriter => {
  const waiting: Waiting[] = []
  let draining: Promise<void> | null = null
  const stopping = new AbortController()
  let indexing: Promise<unknown> = Promise.resolve()
  const running = new Set<Promise<Evicted>>()

  // Other processes would see entries that have no index yet.
  const isShared = store.dialect === 'postgres'
  const isIndexedAtOnce = ({ length }: Uint8Array): boolean => isShared || length > MAX_INDEXED_LATER
  const newEntries = indexNew({ store, rules: CURRENT_INDEX_VERSION, log })

  /** An eviction selects entries by their index. If the store takes no index, the eviction makes room for it. */
  const trySettle = (): Promise<void> => newEntries.settle().catch(() => {})

  const notifyRemoved = ({ digests }: RemovedEntries): void => onRemoved(digests.map(digestKey))

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
  const putGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const entries = group.map(({ key, bytes }) => ({
        digest: keyDigest(key),
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        index: isIndexedAtOnce(bytes) ? entryIndex(bytes) : null,
      }))
      const first = await store.change(putEntries(entries, { at: now(), rules: CURRENT_INDEX_VERSION }))
      for (const [i, { resolve }] of group.entries()) resolve(first[i] ?? false)
      const stored = group.filter(({ bytes }, i) => first[i] === true && !isIndexedAtOnce(bytes))
      if (stored.length === 0) return
      await newEntries.noteStored(
        stored.length,
        stored.reduce((sum, { bytes }) => sum + bytes.length, 0),
      )
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  const drain = async (): Promise<void> => {
    // Bodies that arrive in the same turn of the event loop are stored together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      await putGroup(takeGroup())
      await new Promise((resolve) => setImmediate(resolve))
    }
    draining = null
  }

  const put: CacheWrites['put'] = (key, bytes) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, bytes, resolve, reject })
      draining ??= drain()
    })

  return {
    put,
    putAll: (keys, lengths, bytes) => {
      let offset = 0
      return Promise.all(keys.map((key, i) => put(key, bytes.subarray(offset, (offset += lengths[i] ?? 0)))))
    },
    remove: async (key) => {
      const removed = await store.change(removeEntries([keyDigest(key)]))
      notifyRemoved(removed)
      return removed.digests.length > 0
    },
    evict: (eviction: Eviction): Promise<Evicted> => {
      const evicted = trySettle().then(() =>
        evict(store, eviction, { onRemoved: notifyRemoved, signal: stopping.signal }),
      )
      running.add(evicted)
      return evicted.finally(() => running.delete(evicted))
    },
    wouldEvict: async (evictions) => {
      await trySettle()
      return countEvictions(store, evictions, stopping.signal)
    },
    preview: async (eviction, recentFrom) => {
      await trySettle()
      return previewEviction(store, eviction, { recentFrom, signal: stopping.signal })
    },
    note: async ({ hits, misses, accesses }) => {
      await store.change(recordUse({ hits, misses, accesses: accesses.map(([key, time]) => [keyDigest(key), time]) }))
    },
    settle: newEntries.settle,
    startIndexing: () => {
      indexing = keepIndexing({
        store,
        rules: CURRENT_INDEX_VERSION,
        wait: async (ms) => {
          await wait(ms, undefined, { signal: stopping.signal, ref: false })
        },
        clock: () => performance.now(),
        log,
      }).catch((error: unknown) => {
        // After an abort, the wait inside is rejected. That is how indexing is stopped, not a failure.
        if (!stopping.signal.aborted) throw error
      })
    },
    isIndexed: async () => (await store.read(listUnindexed(CURRENT_INDEX_VERSION, 1))).length === 0,
    stop: () => stopping.abort(),
    close: async () => {
      stopping.abort()
      await draining
      newEntries.stop()
      // Each ends with its running transaction, and returns what it removed.
      await Promise.allSettled(running)
      await indexing
      try {
        await newEntries.settle()
      } finally {
        await store.close()
      }
    },
  }
}
