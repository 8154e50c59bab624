import { Worker } from 'node:worker_threads'
import type { FileResult } from '../../interchange/convert/import-job.ts'
import type { Target } from '../../interchange/convert/convert-source.ts'
import type { FromImporter, ImporterData, ToImporter } from '../threads/importer-thread.ts'
import { isOutOfMemory, YOUNG_HEAP } from '../threads/young-heap.ts'
import { threadFile } from '../threads/thread-file.ts'

/** A large run takes longer to convert than a person waits after Ctrl-C. What is not finished then is converted again. */
const STOP_MS = 1_000

/** The thread of an import needs more memory than it may have. */
export class ImportTooLarge extends Error {
  override readonly name = 'ImportTooLarge'
}

type Limits = {
  readonly signal?: AbortSignal
  readonly cut?: AbortSignal
  /** Maximum heap of the thread; that of this process by default. */
  readonly maxHeapMib?: number
}

/**
 * Converts the files of an import in a thread of its own. `take` receives each result; the thread converts the next run
 * when the promise has settled. Rejects if the thread fails, or if `take` or the target throws. When `signal` aborts, the
 * thread has a second to finish the run it is at; when `cut` aborts, it ends at once, and the promise is rejected.
 * Rejects with `ImportTooLarge` if the thread needs more memory than it may have.
 */
export const runImporter = async (
  data: ImporterData,
  target: Target,
  take: (result: FileResult) => Promise<void>,
  { signal, cut, maxHeapMib }: Limits,
): Promise<void> => {
  cut?.throwIfAborted()
  // The bytes of a file in memory are moved, not copied.
  const { input } = data
  const isWhole = input.kind === 'memory' && input.bytes.byteLength === input.bytes.buffer.byteLength
  const transferList = isWhole && input.bytes.buffer instanceof ArrayBuffer ? [input.bytes.buffer] : []
  const worker = new Worker(threadFile('importer'), {
    workerData: data,
    transferList,
    resourceLimits: { ...YOUNG_HEAP, ...(maxHeapMib !== undefined && { maxOldGenerationSizeMb: maxHeapMib }) },
  })
  const stopped = Promise.withResolvers<void>()
  let grace: NodeJS.Timeout | undefined
  const stop = () => {
    worker.postMessage({ stop: true } satisfies ToImporter)
    grace = setTimeout(stopped.resolve, STOP_MS)
  }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  let end = (): void => {}
  try {
    const ended = new Promise<void>((resolve, reject) => {
      end = () => reject(new Error('the import was cut off', { cause: cut?.reason }))
      cut?.addEventListener('abort', end)
      const answer = (id: number, work: Promise<unknown>) => {
        work.then((value) => worker.postMessage({ id, answer: value } satisfies ToImporter), reject)
      }
      const hasEvidence = async (run_id: string): Promise<boolean> => (await target.hasEvidence?.(run_id)) ?? true
      worker.on('message', (message: FromImporter) => {
        if (message.kind === 'done') resolve()
        else if (message.kind === 'result') answer(message.id, take(message.result))
        else if (message.kind === 'hasEvidence') answer(message.id, hasEvidence(message.run_id))
        else answer(message.id, target[message.kind](message.run_id))
      })
      worker.on('error', (error: Error) =>
        reject(isOutOfMemory(error) ? new ImportTooLarge(error.message, { cause: error }) : error),
      )
      worker.on('exit', () => reject(new Error('the importer thread ended early')))
    })
    await Promise.race([ended, stopped.promise])
  } finally {
    clearTimeout(grace)
    signal?.removeEventListener('abort', stop)
    cut?.removeEventListener('abort', end)
    await worker.terminate()
  }
}
