import { parentPort, workerData } from 'node:worker_threads'
import type { CacheWrites } from '../cache/shared-cache.ts'
import { openCacheStore } from '../../storage/open/cache.ts'
import { openCacheWriter } from '../cache/cache-writer.ts'
import { answerCalls, notify } from './calls.ts'
import type { Store } from '../../storage/open/reader.ts'

// The thread that writes the cache: it is handed raw bodies, and reads, indexes and keeps them beside everything else.

export type CacheThreadData = { readonly at: Store }

/** One call of a change, by its name, with what it is called with. */
export type CacheCall =
  | {
      readonly [N in keyof CacheWrites]: { readonly name: N; readonly args: Parameters<CacheWrites[N]> }
    }[keyof CacheWrites]
  | { readonly startIndexing: true }
  | { readonly stop: true }
  | { readonly close: true }

/** What the thread tells of itself. */
export type CacheThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'gone'; readonly keys: readonly string[] }
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'set aside'; readonly fields: Readonly<Record<string, unknown>> }

const port = parentPort
if (!port) throw new Error('the writer of the cache runs as a worker thread')
const say = (told: CacheThreadMessage): void => notify(port, told)

const { at } = workerData as CacheThreadData
const side = openCacheWriter({
  store: await openCacheStore(at, { onSetAside: (fields) => say({ kind: 'set aside', fields }) }),
  now: Date.now,
  // Before anyone is answered and on the port of the answers, so that no read after an answer can find them.
  onRemoved: (keys) => say({ kind: 'gone', keys }),
  log: (message, fields) => say({ kind: 'log', message, fields }),
})

answerCalls(port, async (call: CacheCall): Promise<unknown> => {
  if ('close' in call) return side.close()
  if ('startIndexing' in call) return side.startIndexing()
  if ('stop' in call) return side.stop()
  return (side[call.name] as (...args: readonly unknown[]) => Promise<unknown>)(...call.args)
})

say({ kind: 'ready' })
