import { isMarkedAsUntransferable, Worker } from 'node:worker_threads'
import { sharedCache } from './shared-cache.ts'
import type { CacheWrites, SharedCache } from './shared-cache.ts'
import { cacheReader, openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from './cache-writer.ts'
import type { CacheCall, CacheThreadData, CacheThreadMessage } from '../threads/cache-thread.ts'
import { callsTo } from '../threads/calls.ts'
import type { Store } from '../../storage/open/reader.ts'
import { threadFile } from '../threads/thread-file.ts'

/** How often what has gathered of hits and last accesses is written. */
const FLUSH_MS = 1000

export type OpenSharedCache = {
  readonly sharedCache: SharedCache
  /** Begins to read, beside everything else, what nobody has read yet. */
  readonly startIndexing: () => void
  /** Ends evictions where they are, so that nobody who closes waits for the whole of them. */
  readonly stop: () => void
  /** Writes what has gathered, then closes. */
  readonly close: () => Promise<void>
}

export type OpenSharedCacheOptions = {
  /** Where it is kept: a state directory's file that this process holds, or a database whose tables are there. */
  readonly at: Store
  /** Moves whenever bodies that are kept in memory may be gone by another's doing. */
  readonly turn?: () => number
  /** A worker thread for writes; without it all runs in this thread, for specs. */
  readonly threads?: boolean
  readonly now?: () => number
  readonly checkRows?: boolean
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** The thread that writes is gone for good: the process must end. */
  readonly onFatal?: (error: Error) => void
}

const SET_ASIDE = 'the cache cannot be used: it is set aside and a fresh one is begun'

/** Opens the cache. Throws `Unavailable` where the database cannot be reached. */
export const openSharedCache = async (options: OpenSharedCacheOptions): Promise<OpenSharedCache> => {
  const { at, turn, now = Date.now, checkRows = false, warn = () => {}, threads = false } = options
  let opened: SharedCache | undefined
  const onEvicted: OnEvicted = (keys) => opened?.gone(keys)
  const { close, startIndexing, stop, ...writes } = await (threads
    ? writesInThread(options, onEvicted)
    : writesInProcess(options, onEvicted))
  const reader = cacheReader(at, { checkRows })
  const cache = (opened = sharedCache({ reader, writes, now, ...(turn ? { turn } : {}) }))
  const flush = (): Promise<void> =>
    cache.flush().catch((error: unknown) => warn('lookups of the cache cannot be noted', { error: String(error) }))
  const flushing = setInterval(() => void flush(), FLUSH_MS).unref()
  return {
    sharedCache: cache,
    startIndexing,
    stop,
    close: async () => {
      clearInterval(flushing)
      await flush()
      // The writer last: only a connection that may write leaves one whole file behind.
      await reader.close()
      await close()
    },
  }
}

type Writes = CacheWrites & Pick<OpenSharedCache, 'startIndexing' | 'stop' | 'close'>
type OnEvicted = (keys: readonly string[]) => void

const writesInProcess = async (
  { at, now = Date.now, checkRows = false, log = () => {}, warn = () => {} }: OpenSharedCacheOptions,
  onEvicted: OnEvicted,
): Promise<Writes> => {
  const store = await openCacheStore(at, { checkRows, onSetAside: (fields) => warn(SET_ASIDE, fields) })
  return openCacheWriter({ store, now, onRemoved: onEvicted, log })
}

const writesInThread = async (
  { at, log = () => {}, warn = () => {}, onFatal = () => {} }: OpenSharedCacheOptions,
  onEvicted: OnEvicted,
): Promise<Writes> => {
  const ready = Promise.withResolvers<void>()
  let closing = false
  const worker = new Worker(threadFile('cache'), { workerData: { store: at } satisfies CacheThreadData })
  const { call } = callsTo(worker, {
    onMessage: (received) => {
      const message = received as CacheThreadMessage
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
  await ready.promise
  const ask = (message: CacheCall, transfer?: ArrayBuffer[]): Promise<never> =>
    call(message, transfer) as Promise<never>
  return {
    put: (key, bytes) => ask({ name: 'put', args: [key, bytes] }, isTransferred(bytes) ? [bytes.buffer] : []),
    remove: (key) => ask({ name: 'remove', args: [key] }),
    evict: (eviction) => ask({ name: 'evict', args: [eviction] }),
    wouldEvict: (evictions) => ask({ name: 'wouldEvict', args: [evictions] }),
    note: (use) => ask({ name: 'note', args: [use] }),
    settle: () => ask({ name: 'settle', args: [] }),
    startIndexing: () => void ask({ startIndexing: true }),
    stop: () => void ask({ stop: true }),
    close: async () => {
      closing = true
      try {
        await ask({ close: true })
      } finally {
        await worker.terminate()
      }
    },
  }
}

/** Bodies of more bytes are handed over to the thread; a copy of fewer is made sooner. */
const TRANSFERRED = 16 * 1024

/**
 * A piece of Node's pool, as small bodies that came compressed are, cannot be handed over: it holds pieces of others.
 */
const isTransferred = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.length >= TRANSFERRED && bytes.buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(bytes.buffer)
