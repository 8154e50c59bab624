import { LRUCache } from 'lru-cache'
import { findBody, findSize } from '../../queries/cache/bodies.ts'
import { etagOf } from '../../queries/etag.ts'
import { findTotal } from '../../storage/cache/entries.ts'
import type { Eviction, EvictionPreview } from '../../storage/cache/selection.ts'
import type { Reader } from '../../storage/storage.ts'

/** The changes of the cache, in any thread. */
export type CacheWrites = {
  /**
   * Stores a body unless the key has one. The caller must not use the bytes afterwards. Returns whether the body was
   * stored.
   */
  readonly put: (key: string, bytes: Uint8Array) => Promise<boolean>
  readonly remove: (key: string) => Promise<boolean>
  /** Returns what was evicted; `failed` is why it ended early. */
  readonly evict: (
    eviction: Eviction,
  ) => Promise<{ readonly pruned: number; readonly bytes: number; readonly failed: string | null }>
  /** Returns how many entries these evictions would remove one after the other. Changes nothing. */
  readonly wouldEvict: (evictions: readonly Eviction[]) => Promise<number>
  /** Returns what this eviction would remove. Changes nothing. */
  readonly preview: (eviction: Eviction, recentFrom: number) => Promise<EvictionPreview>
  /** Settles when a search finds all entries that were put before the call. */
  readonly settle: () => Promise<void>
  readonly note: (use: {
    readonly hits: number
    readonly misses: number
    readonly accesses: ReadonlyArray<readonly [key: string, at: number]>
  }) => Promise<void>
}

/**
 * Headers of a cache body. Clients choose these bodies, and the service sends them from the origin of the web app. So
 * no browser may run one as a script.
 */
export const BODY_HEADERS = { 'content-type': 'application/octet-stream' } as const

/** A body in memory, with its strong ETag. */
export type HotBody = { readonly bytes: Uint8Array; readonly etag: string }

export type SharedCache = Omit<CacheWrites, 'note'> & {
  readonly reader: Reader
  /** Looks up a body. Counts a hit or a miss; a hit updates the entry's last access. */
  readonly get: (key: string) => Promise<HotBody | null>
  /** The size of an entry, or null. Counts nothing, but updates the entry's last access. */
  readonly has: (key: string) => Promise<number | null>
  /** Reads a body. This counts no lookup: also call `noteServed` when the body is sent, or `noteMissed`. */
  readonly find: (key: string) => Promise<HotBody | null>
  readonly noteMissed: () => void
  /** A body in memory. This counts no lookup: also call `noteServed` when the body is sent. */
  readonly hot: (key: string) => HotBody | undefined
  /** Notes the last access of an entry, and a hit for a GET. */
  readonly noteServed: (key: string, by: 'GET' | 'HEAD') => void
  /** Forgets bodies that were evicted. Call it before the eviction is answered. */
  readonly forget: (keys: readonly string[]) => void
  /** Writes the pending hits, misses and last accesses; settles when every read sees them. */
  readonly flush: () => Promise<void>
  /**
   * Calls `read`, and returns its result together with the hits and misses that it cannot see because they are not
   * written yet. So each lookup counts exactly once.
   */
  readonly withPendingCounts: <T>(
    read: () => Promise<T>,
  ) => Promise<{ readonly found: T; readonly hits: number; readonly misses: number }>
}

/**
 * Maximum bytes of all bodies in memory, and of one body. They are the bodies that a suite requests repeatedly while it
 * runs.
 */
const MAX_HOT_BYTES = 64 * 1024 * 1024
const MAX_HOT_ENTRY_BYTES = 4 * 1024 * 1024

/** Memory of an entry in addition to the bytes of its body. */
const OVERHEAD_BYTES = 400

/** Maximum number of last accesses that are written in one transaction. */
const MAX_ACCESSES = 200

type Options = {
  readonly reader: Reader
  readonly writes: CacheWrites
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly maxHotBytes?: number
  /** Increases whenever another replica may have evicted bodies that are in memory here. Read on every lookup. */
  readonly cacheGeneration?: () => number
}

/**
 * The cache as routes use it: recently used bodies stay in memory, and lookups are counted in memory until they are
 * flushed.
 */
export const sharedCache = ({
  reader,
  writes,
  now,
  maxHotBytes = MAX_HOT_BYTES,
  cacheGeneration = () => 0,
}: Options): SharedCache => {
  const bodies = new LRUCache<string, HotBody>({
    maxSize: maxHotBytes,
    maxEntrySize: Math.min(MAX_HOT_ENTRY_BYTES, maxHotBytes),
    sizeCalculation: ({ bytes }) => bytes.length + OVERHEAD_BYTES,
  })
  /** Increases with every eviction: a body that was read before an eviction may belong to an evicted entry. */
  let evictions = 0
  let seenGeneration = cacheGeneration()
  /** The bodies in memory that are still valid. */
  const validBodies = (): LRUCache<string, HotBody> => {
    const generation = cacheGeneration()
    if (generation !== seenGeneration) {
      seenGeneration = generation
      evictions++
      bodies.clear()
    }
    return bodies
  }

  let hits = 0
  let misses = 0
  let accesses = new Map<string, number>()
  let flushing: Promise<void> | null = null
  let flushes = 0

  const write = async (): Promise<void> => {
    flushes++
    const taken = { hits, misses, accesses: [...accesses] }
    hits = 0
    misses = 0
    accesses = new Map()
    let written = 0
    let counted = false
    try {
      for (;;) {
        const batch = taken.accesses.slice(written, written + MAX_ACCESSES)
        await writes.note(counted ? { hits: 0, misses: 0, accesses: batch } : { ...taken, accesses: batch })
        counted = true
        written += batch.length
        if (written >= taken.accesses.length) return
      }
    } catch (error) {
      // The next flush writes the counts, and each access for which there is no newer one by then.
      if (!counted) {
        hits += taken.hits
        misses += taken.misses
      }
      for (const [key, time] of taken.accesses.slice(written)) if (!accesses.has(key)) accesses.set(key, time)
      throw error
    }
  }
  const flush = async (): Promise<void> => {
    // A running flush took its counters before this call, so another flush must follow it.
    await flushing?.catch(() => {})
    if (flushing) return flushing
    if (hits + misses + accesses.size === 0) return
    flushing = write().finally(() => (flushing = null))
    return flushing
  }

  const withPendingCounts: SharedCache['withPendingCounts'] = async (read) => {
    for (;;) {
      // During a flush the counters may be neither in memory nor in the store. If the flush fails, its own caller
      // reports that.
      await flushing?.catch(() => {})
      const before = flushes
      const found = await read()
      if (flushes === before) return { found, hits, misses }
    }
  }

  const noteServed: SharedCache['noteServed'] = (key, by) => {
    if (by === 'GET') hits++
    accesses.set(key, now())
  }

  const noteMissed = (): void => void misses++

  const find = async (key: string): Promise<HotBody | null> => {
    const hot = validBodies().get(key)
    if (hot) return hot
    const evictionsBefore = evictions
    const bytes = await reader.read(findBody(key))
    if (!bytes) return null
    const found = { bytes, etag: etagOf(bytes) }
    const current = validBodies()
    if (evictions === evictionsBefore) current.set(key, found)
    return found
  }

  return {
    reader,
    put: writes.put,
    settle: writes.settle,
    remove: writes.remove,
    evict: async (eviction) => {
      // Writes the latest accesses first: they decide which entries are the least recently used.
      await flush()
      // Each hour this would start the thread that writes, also where the cache is not used.
      if ((await reader.read(findTotal('entries'))) === 0) return { pruned: 0, bytes: 0, failed: null }
      return writes.evict(eviction)
    },
    wouldEvict: async (evictions) => {
      // If the flush fails, the count uses only the accesses that are stored.
      await flush().catch(() => {})
      return writes.wouldEvict(evictions)
    },
    preview: async (eviction, recentFrom) => {
      await flush().catch(() => {})
      return writes.preview(eviction, recentFrom)
    },
    hot: (key) => validBodies().get(key),
    noteServed,
    noteMissed,
    find,
    get: async (key) => {
      const found = await find(key)
      if (found) noteServed(key, 'GET')
      else noteMissed()
      return found
    },
    has: async (key) => {
      const size = validBodies().get(key)?.bytes.length ?? (await reader.read(findSize(key)))
      if (size !== null) noteServed(key, 'HEAD')
      return size
    },
    forget: (keys) => {
      evictions++
      for (const key of keys) bodies.delete(key)
    },
    flush,
    withPendingCounts,
  }
}
