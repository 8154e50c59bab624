import { Worker } from 'node:worker_threads'
import { sharedCache, type CacheWrites, type SharedCache } from './shared-cache.ts'
import { cacheReader, openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter, type CacheWriter } from './cache-writer.ts'
import type { CacheThreadData, CacheThreadMessage } from '../threads/cache-thread.ts'
import { callsTo } from '../threads/calls.ts'
import type { Store } from '../../storage/open/reader.ts'
import { threadFile } from '../threads/thread-file.ts'
import { YOUNG_HEAP } from '../threads/young-heap.ts'

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
}

const SET_ASIDE = 'the cache cannot be used: it is set aside and a new one is created'

/** Opens the cache for writes in the calling thread. Throws `Unavailable` if the database cannot be reached. */
export const openSharedCache = async (options: OpenSharedCacheOptions): Promise<OpenSharedCache> => {
  let opened: OpenSharedCache | undefined
  const writes = await writesInProcess(options, (keys) => opened?.sharedCache.forget(keys))
  return (opened = cacheOf(options, writes))
}

/**
 * Starts a thread that writes the cache. Changes that are requested before it is ready wait for it.
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

type Writes = CacheWrites & Pick<OpenSharedCache, 'startIndexing' | 'stop' | 'close'>
type OnEvicted = (keys: readonly string[]) => void

const writesInProcess = async (
  { store, now = Date.now, checkRows = false, log = () => {}, warn = () => {} }: OpenSharedCacheOptions,
  onEvicted: OnEvicted,
): Promise<Writes> => {
  const cacheStore = await openCacheStore(store, { checkRows, onSetAside: (fields) => warn(SET_ASIDE, fields) })
  return openCacheWriter({ store: cacheStore, now, onRemoved: onEvicted, log })
}

const writesInThread = (
  { store, log = () => {}, warn = () => {}, onFatal = () => {} }: OpenSharedCacheOptions & ThreadOptions,
  onEvicted: OnEvicted,
): Writes & { readonly whenReady: Promise<void> } => {
  const ready = Promise.withResolvers<void>()
  // Avoids an unhandled rejection. A caller that waits for `whenReady` still sees it.
  ready.promise.catch(() => {})
  let closing = false
  const worker = new Worker(threadFile('cache'), {
    resourceLimits: YOUNG_HEAP,
    workerData: { store } satisfies CacheThreadData,
  })
  const { calls } = callsTo<CacheWriter, CacheThreadMessage>(worker, {
    onMessage: (message) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'evicted') onEvicted(message.keys)
      else if (message.kind === 'set aside') warn(SET_ASIDE, message.fields)
      else log(message.message, message.fields)
    },
    onExit: (error, code) => {
      const cause = error ?? new Error(`the thread that writes the cache ended with code ${code}`)
      ready.reject(cause)
      if (!closing) onFatal(cause)
    },
  })
  return {
    whenReady: ready.promise,
    put: calls.put,
    remove: calls.remove,
    evict: calls.evict,
    preview: calls.preview,
    wouldEvict: calls.wouldEvict,
    note: calls.note,
    settle: calls.settle,
    startIndexing: () => void calls.startIndexing(),
    stop: () => void calls.stop(),
    close: async () => {
      closing = true
      try {
        await calls.close()
      } finally {
        await worker.terminate()
      }
    },
  }
}
