import { LRUCache } from 'lru-cache'
import { findBody, findSize } from '../../queries/cache/bodies.ts'
import { etagOf } from '../../queries/long-reads.ts'
import type { Eviction } from '../../storage/cache/selection.ts'
import type { Reader } from '../../storage/storage.ts'

/** What changes the cache, wherever it runs. */
export type CacheWrites = {
  /** Keeps a body under a key unless one is there. The bytes are handed over. Answers whether it was the first. */
  readonly put: (key: string, bytes: Uint8Array) => Promise<boolean>
  readonly remove: (key: string) => Promise<boolean>
  /** Answers what is gone, and where it could not go on (`failed`) why. */
  readonly evict: (
    eviction: Eviction,
  ) => Promise<{ readonly pruned: number; readonly bytes: number; readonly failed: string | null }>
  /** How many entries would go if these were made one after the other. Nothing changes. */
  readonly wouldEvict: (evictions: readonly Eviction[]) => Promise<number>
  /** Settles once entries are found by their words that were put before. */
  readonly settle: () => Promise<void>
  readonly note: (use: {
    readonly hits: number
    readonly misses: number
    readonly accesses: ReadonlyArray<readonly [key: string, at: number]>
  }) => Promise<void>
}

/** A body is what some client put: it stands on the web app's own origin, where no browser may take it for a script. */
export const BODY_HEADERS = { 'content-type': 'application/octet-stream', 'x-content-type-options': 'nosniff' } as const

/** A body that is kept in memory, with its strong ETag. */
export type HotBody = { readonly bytes: Uint8Array; readonly etag: string }

export type SharedCache = Omit<CacheWrites, 'note'> & {
  readonly reader: Reader
  /** A lookup: counted as a hit or a miss; a hit was the entry's last access. */
  readonly get: (key: string) => Promise<HotBody | null>
  /** The size of an entry, or null. Not counted, yet it was the entry's last access. */
  readonly has: (key: string) => Promise<number | null>
  /** A body that is in memory. Counts nothing: `served` does. */
  readonly hot: (key: string) => HotBody | undefined
  /** Notes that an entry was asked for. */
  readonly served: (key: string, by: 'GET' | 'HEAD') => void
  /** Told of keys that are gone, before who removed them is answered. */
  readonly gone: (keys: readonly string[]) => void
  /** Writes what has gathered of hits, misses and last accesses; settles when every read sees it. */
  readonly flush: () => Promise<void>
  /**
   * Reads the store together with the hits and misses that have gathered and are not in it yet: no lookup counts twice,
   * and none is missing.
   */
  readonly withGathered: <T>(
    read: () => Promise<T>,
  ) => Promise<{ readonly found: T; readonly hits: number; readonly misses: number }>
}

/** Bodies in memory: what a suite asks for over and over while it runs. */
const MAX_HOT_BYTES = 64 * 1024 * 1024
const MAX_HOT_ENTRY = 4 * 1024 * 1024

/** What a body costs besides its bytes. */
const OVERHEAD_BYTES = 400

/** Last accesses that are written in one transaction. */
const ACCESSES_AT_ONCE = 200

type Options = {
  readonly reader: Reader
  readonly writes: CacheWrites
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly hotBytes?: number
  /** Moves whenever bodies in memory may be gone by another's doing: told as late as each request needs to know. */
  readonly turn?: () => number
}

/**
 * The cache as routes use it: bodies that are asked for often stay in memory, and lookups are counted there until they
 * are flushed.
 */
export const sharedCache = ({
  reader,
  writes,
  now,
  hotBytes = MAX_HOT_BYTES,
  turn = () => 0,
}: Options): SharedCache => {
  const bodies = new LRUCache<string, HotBody>({
    maxSize: hotBytes,
    maxEntrySize: Math.min(MAX_HOT_ENTRY, hotBytes),
    sizeCalculation: ({ bytes }) => bytes.length + OVERHEAD_BYTES,
  })
  /** Moves with every removal: a body that was read before one may be of an entry that is gone. */
  let removals = 0
  let seen = turn()
  /** What is in memory, as far as it still holds. */
  const kept = (): LRUCache<string, HotBody> => {
    const at = turn()
    if (at !== seen) {
      seen = at
      removals++
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
        const some = taken.accesses.slice(written, written + ACCESSES_AT_ONCE)
        await writes.note(counted ? { hits: 0, misses: 0, accesses: some } : { ...taken, accesses: some })
        counted = true
        written += some.length
        if (written >= taken.accesses.length) return
      }
    } catch (error) {
      // Kept for the next time, unless there is something newer by now.
      if (!counted) {
        hits += taken.hits
        misses += taken.misses
      }
      for (const [key, at] of taken.accesses.slice(written)) if (!accesses.has(key)) accesses.set(key, at)
      throw error
    }
  }
  const flush = async (): Promise<void> => {
    // What is being written now was taken before this was asked for.
    await flushing?.catch(() => {})
    if (flushing) return flushing
    if (hits + misses + accesses.size === 0) return
    flushing = write().finally(() => (flushing = null))
    return flushing
  }

  const withGathered: SharedCache['withGathered'] = async (read) => {
    for (;;) {
      // What is being written is neither here nor surely there. Whether it fails is for who began it to report.
      await flushing?.catch(() => {})
      const before = flushes
      const found = await read()
      if (flushes === before) return { found, hits, misses }
    }
  }

  const served: SharedCache['served'] = (key, by) => {
    if (by === 'GET') hits++
    accesses.set(key, now())
  }

  return {
    reader,
    put: writes.put,
    settle: writes.settle,
    remove: writes.remove,
    evict: async (eviction) => {
      // Who was asked for a moment ago is not the least recently used.
      await flush()
      return writes.evict(eviction)
    },
    wouldEvict: async (evictions) => {
      // Counts by what is written, where the store takes no more.
      await flush().catch(() => {})
      return writes.wouldEvict(evictions)
    },
    hot: (key) => kept().get(key),
    served,
    get: async (key) => {
      const known = kept().get(key)
      const before = removals
      const bytes = known ? null : await reader.read(findBody(key))
      if (!known && !bytes) {
        misses++
        return null
      }
      served(key, 'GET')
      if (known) return known
      const found = { bytes: bytes ?? new Uint8Array(), etag: etagOf(bytes ?? new Uint8Array()) }
      const still = kept()
      if (removals === before) still.set(key, found)
      return found
    },
    has: async (key) => {
      const size = kept().get(key)?.bytes.length ?? (await reader.read(findSize(key)))
      if (size !== null) served(key, 'HEAD')
      return size
    },
    gone: (keys) => {
      removals++
      for (const key of keys) bodies.delete(key)
    },
    flush,
    withGathered,
  }
}
