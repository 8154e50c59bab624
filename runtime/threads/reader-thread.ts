import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { documentReader } from '../../queries/runs/documents.ts'
import { etagOf, runLongRead } from '../../queries/long-reads.ts'
import type { LongReadName, LongReadStep } from '../../queries/long-reads.ts'
import type { Resumed } from '../../queries/parts.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import { openCacheReader } from '../../storage/open/cache.ts'
import { answerCalls } from './calls.ts'
import { openReader } from '../../storage/open/reader.ts'
import type { Store } from '../../storage/open/reader.ts'

// A reader thread: runs the reads that can be long on a connection of its own and answers finished bytes.

/** `known` holds the log position that reads must see. */
export type ReaderData = { readonly store: Store; readonly known: SharedArrayBuffer; readonly cacheAt: Store }
export type ReaderCall =
  | { readonly name: LongReadName; readonly viewer: Viewer; readonly args: never; readonly resumed: Resumed | null }
  | { readonly close: true }

/** `isSpent`: the thread holds so much memory that it had better be ended. */
export type ReaderAnswer = LongReadStep & { readonly isSpent: boolean }

/**
 * What the heap of a thread may keep after a read. V8 gives little of it back by itself, and a fresh thread begins with
 * a tenth.
 */
const MAX_KEPT_BYTES = 96 * 1024 * 1024

const isSpent = (): boolean => {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory > MAX_KEPT_BYTES
}

const port = parentPort
if (!port) throw new Error('a reader runs as a worker thread')
const { store, known, cacheAt } = workerData as ReaderData
const needed = new BigInt64Array(known)
// A database may be away when the thread is wanted: whoever asks then is told, and the thread lives on.
const reader = lazyReader(store.kind, () =>
  openReader(store, { connections: 2, needed: () => Number(Atomics.load(needed, 0)) }),
)
const cache = openCacheReader(reader, store, cacheAt)
const documents = documentReader(reader)

answerCalls(port, async (call: ReaderCall) => {
  if ('close' in call) {
    await cache.close()
    return reader.close()
  }
  const made = await runLongRead(
    { reader, cache: cache.reader, documents, viewer: call.viewer },
    call.name,
    call.args,
    call.resumed,
  )
  if (made === null) return null
  // A buffer of its own, not a piece of the pool, so that it can be transferred; hashed here, since it may be large.
  const body = typeof made.body === 'string' ? new TextEncoder().encode(made.body) : made.body
  return { body, etag: made.etag ?? etagOf(body), resumed: made.resumed, isSpent: isSpent() } satisfies ReaderAnswer
})
