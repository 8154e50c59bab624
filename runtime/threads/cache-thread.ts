import { openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from '../cache/cache-writer.ts'
import { answerCalls, notify, threadOwner } from './calls.ts'
import type { Store } from '../../storage/open/reader.ts'

// The cache thread receives raw bodies, parses, indexes and stores them, concurrently with all other threads.

export type CacheThreadData = { readonly store: Store }

/** A message from the thread to its owner. */
export type CacheThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'evicted'; readonly keys: readonly string[] }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'set aside'; readonly fields: Readonly<Record<string, unknown>> }

const { port, data } = threadOwner<CacheThreadData>()
const post = (message: CacheThreadMessage): void => notify(port, message)

const start = async (): Promise<void> => {
  const writer = openCacheWriter({
    store: await openCacheStore(data.store, { onSetAside: (fields) => post({ kind: 'set aside', fields }) }),
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
