import { Worker } from 'node:worker_threads'
import { ulid } from 'ulid'
import { documentReader } from '../queries/runs/documents.ts'
import { cacheLocationOf } from '../storage/open/cache.ts'
import { missingTables, withoutMissing } from '../storage/missing-tables.ts'
import { storeObjects } from '../storage/open/objects.ts'
import { openReader, type OpenReader, type Store } from '../storage/open/reader.ts'
import { changeFeed } from './change-feed.ts'
import { openCallBudget } from './call-budget.ts'
import { followSharedLog, type SharedLog } from './follow-shared-log.ts'
import { runInSteps } from './reads/in-steps.ts'
import { withBucketReads } from './reads/bucket-reads.ts'
import { refuseOverBudget } from './reads/over-budget.ts'
import { responseCache } from './response-cache.ts'
import type { OpenOptions, OpenService } from './services.ts'
import { commitInThreads } from './threads/commit.ts'
import { collectGarbage } from './threads/collect-garbage.ts'
import { uploadPreparer } from './threads/preparer.ts'
import { readerPool, type ReaderPool } from './threads/reader-pool.ts'
import type { ReaderData } from './threads/reader-thread.ts'
import { threadFile } from './threads/thread-file.ts'
import { YOUNG_HEAP } from './threads/young-heap.ts'
import { startWriter } from './threads/writer.ts'

/**
 * Maximum heap of a reader thread. The largest case that a document can have takes about 700 MiB. A read that needs more
 * than the maximum fails with 503.
 */
const MAX_READER_MIB = 1024

/** Threads of reads that wait for a bucket. They are started when one is needed. */
const BUCKET_READERS = 2

const startReader = (data: ReaderData): Worker =>
  new Worker(threadFile('reader'), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_READER_MIB, ...YOUNG_HEAP },
    workerData: data,
  })

/**
 * Opens the service on a store with threads: one that writes, one that prepares uploads for it, and a pool for long
 * reads. Short reads run in the calling thread.
 */
export const openInThreads = async (
  store: Store,
  { dataDir = '.', database, readers = 2, log = () => {}, onFatal = () => {} }: OpenOptions,
): Promise<OpenService> => {
  const instance = ulid()
  // With other replicas writing, every request first reads the log, so the writer's own notifications add nothing.
  const isShared = store.kind === 'postgres'
  const cache = responseCache({}, () => !isShared && writer.hasUnseenCommits())
  const changes = changeFeed()
  const missingBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const writer = await startWriter({
    store,
    instance,
    missing: missingBuffer,
    onInvalidated: (tags, batch) => {
      if (isShared) return
      cache.invalidate(tags)
      changes.publish(batch)
    },
    log,
    onFatal,
  })

  const sharedBuffer = new SharedArrayBuffer(8)
  /** The log position up to which other replicas have committed: later reads must see at least this position. */
  const seenPosition = new BigInt64Array(sharedBuffer)
  let sharedLog: SharedLog | null
  let reader: OpenReader
  let pool: ReaderPool
  let bucketPool: ReaderPool | null
  let ready: Awaited<typeof writer.whenReady>
  try {
    sharedLog = await followSharedLog(store, { cache, changes, seenPosition })
    // A request that committed must see its own commit when it reads next.
    const opened = await openReader(store, {
      neededPosition: () => Math.max(writer.position(), Number(Atomics.load(seenPosition, 0))),
    })
    ready = await writer.whenReady
    const { models } = ready
    reader = withoutMissing(opened, missingTables(models, missingBuffer))
    const cacheStore = cacheLocationOf({ dataDir, database })
    const readerData = { store, seenPosition: sharedBuffer, cacheStore, models, missing: missingBuffer }
    const poolOf = (threads: number, waitsForBucket: boolean): ReaderPool =>
      readerPool({ threads, start: () => startReader({ ...readerData, waitsForBucket }), onFatal })
    pool = poolOf(readers, false)
    bucketPool = store.bucket ? poolOf(BUCKET_READERS, true) : null
  } catch (error) {
    // The caller releases the lock of the store, so no writer may be left running.
    await writer.terminate()
    throw error
  }
  const preparer = uploadPreparer({ store, writer, onFatal })

  const runStep = bucketPool ? withBucketReads(pool.run, bucketPool.run) : pool.run

  const callBudget = openCallBudget(store, Date.now)
  return {
    reader,
    documents: documentReader(reader, storeObjects(store, reader)),
    commit: commitInThreads(writer, preparer),
    longReads: runInSteps(refuseOverBudget(reader, runStep)),
    warmReads: pool.warm,
    releaseMemory: async () => {
      // One after the other: see `collectGarbage`.
      await writer.calls.collectGarbage()
      await pool.collectGarbage()
      await bucketPool?.collectGarbage()
      collectGarbage()
    },
    cache,
    changes,
    position: () => Math.max(writer.position(), sharedLog?.position() ?? 0),
    caughtUp: () => sharedLog?.caughtUp(),
    cacheGeneration: () => sharedLog?.cacheGeneration() ?? 0,
    head: writer.calls.head,
    wipe: writer.calls.wipe,
    callBudget,
    instance,
    now: Date.now,
    schema: ready.schema,
    models: ready.models,
    close: async () => {
      writer.expectExit()
      // The writer closes last: only a connection that may write can remove the write-ahead log, so that the store is one
      // complete file.
      await callBudget.close()
      await sharedLog?.close()
      await reader.close()
      try {
        await Promise.all([pool.close(), bucketPool?.close()])
        await preparer.close()
      } finally {
        await writer.close()
      }
    },
  }
}
