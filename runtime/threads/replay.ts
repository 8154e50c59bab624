import { Worker } from 'node:worker_threads'
import type { Store } from '../../storage/open/reader.ts'
import type { BatchReader } from '../writer/build-models.ts'
import { callsTo } from './calls.ts'
import type { ReplayCalls } from './replay-thread.ts'
import { threadFile } from './thread-file.ts'
import { YOUNG_HEAP } from './young-heap.ts'

/** Starts a thread that reads batches of the log for a build of read models. */
export const startBatchReader = (store: Store): BatchReader => {
  const worker = new Worker(threadFile('replay'), { resourceLimits: YOUNG_HEAP, workerData: store })
  const { calls } = callsTo<ReplayCalls>(worker, { onMessage: () => {}, onExit: () => {} })
  return { read: calls.read, close: async () => void (await worker.terminate()) }
}
