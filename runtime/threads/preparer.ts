import { MessageChannel, Worker } from 'node:worker_threads'
import type { Commit } from '../../commands/commit.ts'
import type { Upload } from '../../commands/run/ingest-run.ts'
import type { Store } from '../../storage/open/reader.ts'
import type { Remote } from './calls.ts'
import type { PreparerCalls, PreparerData } from './preparer-thread.ts'
import { threadFile } from './thread-file.ts'
import { YOUNG_HEAP } from './young-heap.ts'
import type { WriterThread } from './writer.ts'

/**
 * The smallest document that is prepared outside the writer thread. To send what was prepared of a smaller one from thread
 * to thread takes as much as to prepare it.
 */
const MIN_PREPARED_BYTES = 16 * 1024

/** The largest document that is prepared outside the writer thread. */
const MAX_PREPARED_BYTES = 1024 * 1024

/**
 * Maximum bytes of all uploads in flight through the preparer. A prepared upload needs ten times the memory of its
 * bytes.
 */
const MAX_IN_FLIGHT_BYTES = 4 * 1024 * 1024

export type Preparer = {
  /**
   * Whether to prepare an upload outside the writer thread: only while the writer is busy, and within the limits. The
   * writer prepares compressed uploads itself, because their size is unknown before decompression.
   */
  readonly accepts: (upload: Upload) => boolean
  /** Prepares an upload and passes it to the writer; settles when the writer has recorded it. */
  readonly ingest: Commit['ingestRun']
  /** Waits for uploads in flight, then ends the thread, which also ends the thread's connection to the store. */
  readonly close: () => Promise<void>
}

/** Prepares uploads in a thread while the writer is busy; the first upload starts the thread. */
export const uploadPreparer = ({
  store,
  writer,
  onFatal,
}: {
  readonly store: Store
  readonly writer: WriterThread
  readonly onFatal: (error: Error) => void
}): Preparer => {
  let worker: Worker | undefined
  let calls: Remote<PreparerCalls> | undefined
  const start = (): Remote<PreparerCalls> => {
    const { port1, port2 } = new MessageChannel()
    worker = new Worker(threadFile('preparer'), {
      resourceLimits: YOUNG_HEAP,
      workerData: { store, writer: port2 } satisfies PreparerData,
      transferList: [port2],
    })
    writer.calls.acceptCallsFrom(port1).catch(onFatal)
    worker.on('error', onFatal)
    return writer.callsVia<PreparerCalls>(worker)
  }

  let inFlightBytes = 0
  const pendingUploads = new Set<Promise<unknown>>()

  return {
    accepts: ({ body, encoding }) =>
      writer.pendingCalls() > 0 &&
      encoding === null &&
      body.length >= MIN_PREPARED_BYTES &&
      body.length <= MAX_PREPARED_BYTES &&
      inFlightBytes + body.length <= MAX_IN_FLIGHT_BYTES,
    ingest: async (viewer, upload) => {
      // A body that is transferred has no length any more.
      const { length } = upload.body
      inFlightBytes += length
      const recorded = (calls ??= start()).ingestRun(viewer, upload)
      pendingUploads.add(recorded)
      try {
        return await recorded
      } finally {
        pendingUploads.delete(recorded)
        inFlightBytes -= length
      }
    },
    close: async () => {
      await Promise.allSettled(pendingUploads)
      await worker?.terminate()
    },
  }
}
