import { getHeapStatistics } from 'node:v8'
import { EXPORTERS } from '../../interchange/exporters/index.ts'
import { LABEL_WRITERS } from '../../interchange/exporters/label-table.ts'
import { documentReader } from '../../queries/runs/documents.ts'
import { etagOf } from '../../queries/etag.ts'
import { runLongReadStep, type LongReadName, type LongReadStep } from '../../queries/long-reads.ts'
import type { AnswerPosition } from '../../queries/parts.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import { openCacheReader } from '../../storage/open/cache.ts'
import { missingTables, withoutMissing, type Model } from '../../storage/missing-tables.ts'
import { collectGarbage } from './collect-garbage.ts'
import { answerCalls, threadOwner } from './calls.ts'
import { storeObjects, withoutBucket } from '../../storage/open/objects.ts'
import { openReader, type Store } from '../../storage/open/reader.ts'

// A reader thread runs long reads on its own connection and returns finished bytes.

/** `seenPosition` holds the log position that reads must see. */
export type ReaderData = {
  readonly store: Store
  readonly seenPosition: SharedArrayBuffer
  readonly cacheStore: Store
  readonly models: readonly Model[]
  /** The buffer of the missing read models. */
  readonly missing: SharedArrayBuffer
  /** Whether a read may wait for an object of a bucket; else it throws `ObjectInBucket`. */
  readonly waitsForBucket: boolean
}
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

const { port, data } = threadOwner<ReaderData>()
const { store, seenPosition, cacheStore, models, missing, waitsForBucket } = data
const neededPosition = new BigInt64Array(seenPosition)
// The database may be unreachable when the first read arrives: that read fails with 503 and the thread stays alive.
const lazy = lazyReader(store.kind, () =>
  openReader(store, { connections: 2, neededPosition: () => Number(Atomics.load(neededPosition, 0)) }),
)
const reader = withoutMissing(lazy, missingTables(models, missing))
const cache = openCacheReader(reader, store, cacheStore)
const objects = storeObjects(store, reader)
const readObject = waitsForBucket ? objects : withoutBucket(objects)
const documents = documentReader(reader, readObject)

const answers = {
  read: async (
    name: LongReadName,
    viewer: Viewer,
    args: never,
    resumed: AnswerPosition | null,
  ): Promise<ReaderAnswer | null> => {
    const context = {
      reader,
      cache: cache.reader,
      documents,
      exporters: EXPORTERS,
      labelWriters: LABEL_WRITERS,
      readObject,
      viewer,
    }
    const step = await runLongReadStep(context, name, args, resumed)
    if (step === null) return null
    // TextEncoder returns a separate buffer, which can be transferred; a slice of Node's pool cannot. The body may be
    // large, so it is hashed in this thread.
    const body = typeof step.body === 'string' ? new TextEncoder().encode(step.body) : step.body
    return { body, etag: step.etag ?? etagOf(body), resumed: step.resumed, isSpent: isSpent() }
  },
  collectGarbage,
  close: async (): Promise<void> => {
    await cache.close()
    await reader.close()
  },
}
export type ReaderCalls = typeof answers
answerCalls(port, answers)
