import { sharedCache, type SharedCache } from './shared-cache.ts'
import { cacheReader, openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from './cache-writer.ts'
import type { Store } from '../../storage/open/reader.ts'
import { writesInThread, SET_ASIDE, type OnEvicted, type Writes } from './writes-in-thread.ts'

/** How often pending hits and last accesses are written. */
const FLUSH_MS = 1000

export type OpenSharedCache = {
  readonly sharedCache: SharedCache
  /** Starts to index entries that are not indexed yet, in the background. */
  readonly startIndexing: () => void
  /** Stops running evictions early, so that a later `close` does not wait for all of their work. */
  readonly stop: () => void
  /** Writes pending lookups, then closes. */
  readonly close: () => Promise<void>
}

export type StartedSharedCache = OpenSharedCache & {
  /** Settles when the cache is open. */
  readonly whenReady: Promise<void>
}

export type OpenSharedCacheOptions = {
  /** Where the cache is stored: a file of the state directory that this process holds, or a migrated database. */
  readonly store: Store
  /** Increases whenever another replica may have evicted bodies that are in memory here. */
  readonly cacheGeneration?: () => number
  readonly now?: () => number
  readonly checkRows?: boolean
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

type ThreadOptions = {
  /** Called when the thread that writes has ended unexpectedly: the process must then end. */
  readonly onFatal?: (error: Error) => void
  readonly idleMs?: number
}

/** Opens the cache for writes in the calling thread. Throws `Unavailable` if the database cannot be reached. */
export const openSharedCache = async (options: OpenSharedCacheOptions): Promise<OpenSharedCache> => {
  let opened: OpenSharedCache | undefined
  const writes = await writesInProcess(options, (keys) => opened?.sharedCache.forget(keys))
  return (opened = cacheOf(options, writes))
}

/**
 * Opens the cache for writes in a thread, which is started when there is something to write (`writes-in-thread.ts`).
 * `whenReady` rejects if the cache cannot be opened.
 */
export const startSharedCache = (options: OpenSharedCacheOptions & ThreadOptions): StartedSharedCache => {
  const { whenReady, ...writes } = writesInThread(options, (keys) => cache.sharedCache.forget(keys))
  const cache = cacheOf(options, writes)
  return { ...cache, whenReady }
}

const cacheOf = (
  { store, cacheGeneration, now = Date.now, checkRows = false, warn = () => {} }: OpenSharedCacheOptions,
  { close, startIndexing, stop, ...writes }: Writes,
): OpenSharedCache => {
  const reader = cacheReader(store, { checkRows })
  const cache = sharedCache({
    reader,
    writes,
    now,
    ...(cacheGeneration ? { cacheGeneration } : {}),
  })
  const flush = (): Promise<void> =>
    cache.flush().catch((error: unknown) => warn('cache lookups cannot be recorded', { error: String(error) }))
  const flushing = setInterval(() => void flush(), FLUSH_MS).unref()
  return {
    sharedCache: cache,
    startIndexing,
    stop,
    close: async () => {
      clearInterval(flushing)
      await flush()
      // Closes the writer last: only a connection that may write removes the write-ahead log, so that one complete file
      // remains.
      await reader.close()
      await close()
    },
  }
}

const writesInProcess = async (
  { store, now = Date.now, checkRows = false, log = () => {}, warn = () => {} }: OpenSharedCacheOptions,
  onEvicted: OnEvicted,
): Promise<Writes> => {
  const cacheStore = await openCacheStore(store, { checkRows, onSetAside: (fields) => warn(SET_ASIDE, fields) })
  return openCacheWriter({ store: cacheStore, now, onRemoved: onEvicted, log })
}
