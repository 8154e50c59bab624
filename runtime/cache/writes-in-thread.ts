import { Worker } from 'node:worker_threads'
import { isCacheSettled, tidyCache } from '../../storage/open/cache.ts'
import { isShared, type Store } from '../../storage/open/reader.ts'
import type { CacheThreadData, CacheThreadMessage } from '../threads/cache-thread.ts'
import { callsTo, type Calls } from '../threads/calls.ts'
import { threadFile } from '../threads/thread-file.ts'
import { YOUNG_HEAP } from '../threads/young-heap.ts'
import type { CacheWriter } from './cache-writer.ts'
import { putInBatches } from './put-batches.ts'
import type { CacheWrites } from './shared-cache.ts'

/** How long the thread waits for its next call before it is ended, which frees its memory. */
const IDLE_MS = 30_000

export const SET_ASIDE = 'the cache cannot be used: it is set aside and a new one is created'

/** The changes of the cache, and what starts and ends work in the background. */
export type Writes = CacheWrites & Pick<CacheWriter, 'startIndexing' | 'stop' | 'close'>
export type OnEvicted = (keys: readonly string[]) => void

type Options = {
  readonly store: Store
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** Called when the thread has ended unexpectedly. */
  readonly onFatal?: (error: Error) => void
  readonly idleMs?: number
}

type Thread = Pick<Calls<CacheWriter>, 'calls' | 'pendingCalls'> & {
  readonly whenReady: Promise<void>
  readonly end: () => Promise<void>
}

/**
 * Writes the cache in a thread. A cache that needs no change (`isCacheSettled`) has no thread: the first call starts one, and
 * one that has been idle is ended. Calls wait until the thread has opened the cache. `whenReady` rejects if it cannot be
 * opened at first; a thread that cannot open it later fails its calls only, with `Unavailable`.
 */
export const writesInThread = (
  { store, log = () => {}, warn = () => {}, onFatal = () => {}, idleMs = IDLE_MS }: Options,
  onEvicted: OnEvicted,
): Writes & { readonly whenReady: Promise<void> } => {
  let running: Thread | null = null
  /** The end of the previous thread: two must not have the cache open. */
  let ending: Promise<void> | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let isIndexing = false
  let isStopped = false

  const start = (maySetAside: boolean): Thread => {
    const thread = startThread(store, maySetAside, {
      log,
      warn,
      onEvicted,
      onExit: (error) => {
        if (running !== thread) return
        running = null
        if (error) onFatal(error)
      },
    })
    running = thread
    if (isIndexing) void thread.calls.startIndexing()
    if (isStopped) void thread.calls.stop()
    return thread
  }

  const waitForIdle = (): void => {
    // Other replicas may leave entries in a database without an index. The thread looks for them.
    if (isShared(store)) return
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => void endIfIdle().catch(waitForIdle), idleMs).unref()
  }
  const endIfIdle = async (): Promise<void> => {
    const thread = running
    // The last call that ends waits again.
    if (!thread || thread.pendingCalls() > 0) return
    const isIndexed = await thread.calls.isIndexed()
    if (running !== thread || thread.pendingCalls() > 0) return
    if (!isIndexed) return waitForIdle()
    ending = end()
      .catch((error: unknown) => log('the cache cannot be closed', { error: String(error) }))
      .finally(() => (ending = null))
  }
  const end = async (): Promise<void> => {
    const ended = running
    running = null
    await ended?.end()
  }

  const call = async <T>(of: (calls: Thread['calls']) => Promise<T>): Promise<T> => {
    if (ending) await ending
    clearTimeout(idleTimer)
    try {
      return await of((running ?? start(false)).calls)
    } finally {
      waitForIdle()
    }
  }

  const first = isCacheSettled(store) ? null : start(true)
  if (first) waitForIdle()
  return {
    whenReady: first?.whenReady ?? Promise.resolve(),
    put: putInBatches(
      (key, bytes) => call(({ put }) => put(key, bytes)),
      (keys, lengths, bytes) => call(({ putAll }) => putAll(keys, lengths, bytes)),
    ),
    remove: (key) => call(({ remove }) => remove(key)),
    evict: (eviction) => call(({ evict }) => evict(eviction)),
    preview: (eviction, recentFrom) => call(({ preview }) => preview(eviction, recentFrom)),
    wouldEvict: (evictions) => call(({ wouldEvict }) => wouldEvict(evictions)),
    note: (use) => call(({ note }) => note(use)),
    // Without a thread, no words wait to be written.
    settle: async () => {
      if (running) await call(({ settle }) => settle())
    },
    startIndexing: () => {
      isIndexing = true
      void running?.calls.startIndexing()
    },
    stop: () => {
      isStopped = true
      void running?.calls.stop()
    },
    close: async () => {
      clearTimeout(idleTimer)
      await ending
      await end()
      tidyCache(store)
    },
  }
}

type Events = Required<Pick<Options, 'log' | 'warn'>> & {
  readonly onEvicted: OnEvicted
  /** The error is null if the thread could not open the cache, which it has logged. */
  readonly onExit: (error: Error | null) => void
}

const startThread = (store: Store, maySetAside: boolean, { log, warn, onEvicted, onExit }: Events): Thread => {
  const ready = Promise.withResolvers<void>()
  // Avoids an unhandled rejection. A caller that waits for `whenReady` still sees it.
  ready.promise.catch(() => {})
  let isOpened = true
  const worker = new Worker(threadFile('cache'), {
    resourceLimits: YOUNG_HEAP,
    workerData: { store, maySetAside } satisfies CacheThreadData,
  })
  const { calls, pendingCalls } = callsTo<CacheWriter, CacheThreadMessage>(worker, {
    onMessage: (message) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'evicted') onEvicted(message.keys)
      else if (message.kind === 'set aside') warn(SET_ASIDE, message.fields)
      else if (message.kind === 'not opened') {
        isOpened = false
        log('the cache cannot be opened for changes', { error: message.error })
      } else log(message.message, message.fields)
    },
    onExit: (error, code) => {
      const cause = error ?? new Error(`the thread that writes the cache ended with code ${code}`)
      ready.reject(cause)
      onExit(isOpened ? cause : null)
    },
  })
  return {
    calls,
    pendingCalls,
    whenReady: ready.promise,
    end: async () => {
      try {
        await calls.close()
      } finally {
        await worker.terminate()
      }
    },
  }
}
