import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { EXPORTERS } from '../../interchange/exporters/index.ts'
import { documentReader } from '../../queries/runs/documents.ts'
import { etagOf, runLongReadStep } from '../../queries/long-reads.ts'
import type { LongReadName, LongReadStep } from '../../queries/long-reads.ts'
import type { Resumed } from '../../queries/parts.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import { openCacheReader } from '../../storage/open/cache.ts'
import { answerCalls } from './calls.ts'
import { openReader } from '../../storage/open/reader.ts'
import type { Store } from '../../storage/open/reader.ts'

// A reader thread runs long reads on its own connection and returns finished bytes.

/** `seenPosition` holds the log position that reads must see. */
export type ReaderData = {
  readonly store: Store
  readonly seenPosition: SharedArrayBuffer
  readonly cacheStore: Store
}
export type ReaderCall =
  | { readonly name: LongReadName; readonly viewer: Viewer; readonly args: never; readonly resumed: Resumed | null }
  | { readonly close: true }

/** `isSpent`: the thread holds so much memory that its owner should end it. */
export type ReaderAnswer = LongReadStep & { readonly isSpent: boolean }

/**
 * Maximum heap of a thread after a read. V8 returns little memory to the system, and a new thread starts with a tenth
 * of this.
 */
const MAX_HEAP_BYTES = 96 * 1024 * 1024

const isSpent = (): boolean => {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory > MAX_HEAP_BYTES
}

const port = parentPort
if (!port) throw new Error('a reader runs as a worker thread')
const { store, seenPosition, cacheStore } = workerData as ReaderData
const neededPosition = new BigInt64Array(seenPosition)
// The database may be unreachable when the first read arrives: that read fails with 503 and the thread stays alive.
const reader = lazyReader(store.kind, () =>
  openReader(store, { connections: 2, neededPosition: () => Number(Atomics.load(neededPosition, 0)) }),
)
const cache = openCacheReader(reader, store, cacheStore)
const documents = documentReader(reader)

answerCalls(port, async (call: ReaderCall) => {
  if ('close' in call) {
    await cache.close()
    return reader.close()
  }
  const step = await runLongReadStep(
    { reader, cache: cache.reader, documents, exporters: EXPORTERS, viewer: call.viewer },
    call.name,
    call.args,
    call.resumed,
  )
  if (step === null) return null
  // TextEncoder returns a separate buffer, which can be transferred; a slice of Node's pool cannot. The body may be
  // large, so it is hashed in this thread.
  const body = typeof step.body === 'string' ? new TextEncoder().encode(step.body) : step.body
  return { body, etag: step.etag ?? etagOf(body), resumed: step.resumed, isSpent: isSpent() } satisfies ReaderAnswer
})
