import { parentPort, workerData } from 'node:worker_threads'
import type { CacheWrites } from '../cache/shared-cache.ts'
import { openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from '../cache/cache-writer.ts'
import { answerCalls, notify } from './calls.ts'
import type { Store } from '../../storage/open/reader.ts'

// The cache thread receives raw bodies, parses, indexes and stores them, concurrently with all other threads.

export type CacheThreadData = { readonly store: Store }

/** A change by its name, with its arguments. */
export type CacheCall =
  | {
      readonly [N in keyof CacheWrites]: { readonly name: N; readonly args: Parameters<CacheWrites[N]> }
    }[keyof CacheWrites]
  | { readonly startIndexing: true }
  | { readonly stop: true }
  | { readonly close: true }

/** A message from the thread to its owner. */
export type CacheThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'evicted'; readonly keys: readonly string[] }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'set aside'; readonly fields: Readonly<Record<string, unknown>> }

const port = parentPort
if (!port) throw new Error('the writer of the cache runs as a worker thread')
const post = (message: CacheThreadMessage): void => notify(port, message)

const { store } = workerData as CacheThreadData
const writer = openCacheWriter({
  store: await openCacheStore(store, { onSetAside: (fields) => post({ kind: 'set aside', fields }) }),
  now: Date.now,
  // Posted before the answer and on the same port, so that no read after the answer finds a removed body in memory.
  onRemoved: (keys) => post({ kind: 'evicted', keys }),
  log: (message, fields) => post({ kind: 'log', message, fields }),
})

answerCalls(port, async (call: CacheCall): Promise<unknown> => {
  if ('close' in call) return writer.close()
  if ('startIndexing' in call) return writer.startIndexing()
  if ('stop' in call) return writer.stop()
  return (writer[call.name] as (...args: readonly unknown[]) => Promise<unknown>)(...call.args)
})

post({ kind: 'ready' })
