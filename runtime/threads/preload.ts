import { once } from 'node:events'
import { MessageChannel, Worker, workerData, type MessagePort } from 'node:worker_threads'
import { threadFile } from './thread-file.ts'
import { YOUNG_HEAP } from './young-heap.ts'

// The writer thread takes as long to load its modules as the main thread. So it starts before the configuration has
// been read, and gets its data later, through a port of its own.

type Started = { readonly worker: Worker; readonly dataPort: MessagePort; failed?: Error }
type PreloadedData = { readonly dataPort: MessagePort }

const preloaded = new Map<string, Started>()

const start = (name: string): Started => {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(threadFile(name), {
    resourceLimits: YOUNG_HEAP,
    workerData: { dataPort: port2 } satisfies PreloadedData,
    transferList: [port2],
  })
  return { worker, dataPort: port1 }
}

/** Starts a thread before its data are known. It does not keep the process running until `startThread` is called. */
export const preloadThread = (name: string): void => {
  const started = start(name)
  started.worker.unref()
  started.worker.once('error', (error: Error) => {
    started.failed = error
  })
  preloaded.set(name, started)
}

/**
 * Starts a thread that reads its data with `threadData`, or passes the data to the preloaded one. Throws the error
 * with which that one has ended.
 */
export const startThread = (name: string, data: unknown): Worker => {
  const { worker, dataPort, failed } = preloaded.get(name) ?? start(name)
  preloaded.delete(name)
  if (failed) throw failed
  worker.ref()
  dataPort.postMessage(data)
  dataPort.unref()
  return worker
}

/** In a thread: the data that `startThread` passes. */
export const threadData = async <Data>(): Promise<Data> => {
  const { dataPort } = workerData as PreloadedData
  const [data] = (await once(dataPort, 'message')) as [Data]
  dataPort.close()
  return data
}
