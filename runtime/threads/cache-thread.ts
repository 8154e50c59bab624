import { openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from '../cache/cache-writer.ts'
import { answerCalls, notify, threadOwner } from './calls.ts'
import type { Store } from '../../storage/open/reader.ts'

// The cache thread receives raw bodies, parses, indexes and stores them, concurrently with all other threads.

/** `maySetAside`: no connection of this process has read the cache yet, so a file that cannot be used can be replaced. */
export type CacheThreadData = { readonly store: Store; readonly maySetAside: boolean }

/** A message from the thread to its owner. */
export type CacheThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not opened'; readonly error: string }
  | { readonly kind: 'evicted'; readonly keys: readonly string[] }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'set aside'; readonly fields: Readonly<Record<string, unknown>> }

const { port, data } = threadOwner<CacheThreadData>()
const post = (message: CacheThreadMessage): void => notify(port, message)

const { store, maySetAside } = data

const start = async (): Promise<void> => {
  const opened = await openCacheStore(store, {
    maySetAside,
    onSetAside: (fields) => post({ kind: 'set aside', fields }),
  }).catch((error: unknown) => {
    // The service does not start without its cache. Later it can do without until the store can be written again.
    if (maySetAside) throw error
    post({ kind: 'not opened', error: String(error) })
    process.exit()
  })
  const writer = openCacheWriter({
    store: opened,
    now: Date.now,
    // Posted before the answer and on the same port, so that no read after the answer finds a removed body in memory.
    onRemoved: (keys) => post({ kind: 'evicted', keys }),
    log: (message, fields) => post({ kind: 'log', message, fields }),
  })
  answerCalls(port, writer)
  post({ kind: 'ready' })
}
// The built program runs as CommonJS, which cannot wait here. A rejection ends the thread with its error.
void start()
