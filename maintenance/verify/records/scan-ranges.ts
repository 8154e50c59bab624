import { Worker } from 'node:worker_threads'
import { OPEN, type Range, type RangeResult } from './range.ts'
import type { Scanner, ScanSource } from './scanner.ts'

const THREAD_FILE = new URL(`./range-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** Heap of a thread in MiB: results are small, and rows are short-lived. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

/** Scans ranges one after another on one scanner, and yields their results. */
export async function* scanHere(scanner: Scanner, ranges: readonly Range[]): AsyncGenerator<RangeResult> {
  for (const range of ranges) yield await scanner.scan(range)
}

/**
 * Scans ranges in threads, and yields the results in the order of the ranges. A thread has one range at a time. Ends the
 * threads when the caller ends the iteration.
 */
export async function* scanInThreads(
  source: ScanSource,
  ranges: readonly Range[],
  threads: number,
): AsyncGenerator<RangeResult> {
  const results = new Map(ranges.map((_, n) => [n, Promise.withResolvers<RangeResult>()]))
  // A range whose thread failed rejects; nothing waits for those after it.
  for (const { promise } of results.values()) promise.catch(() => {})
  let next = 0
  const workers = Array.from({ length: Math.min(threads, ranges.length) }, () => {
    const worker = new Worker(THREAD_FILE, { workerData: source, resourceLimits: LIMITS })
    const opened = Promise.withResolvers<void>()
    let current = -1
    const start = (): void => {
      current = next++
      const range = ranges[current]
      if (range) worker.postMessage(range)
    }
    worker.on('message', (result: RangeResult | typeof OPEN) => {
      if (result === OPEN) return opened.resolve()
      results.get(current)?.resolve(result)
      start()
    })
    worker.on('error', (error) => results.get(current)?.reject(error))
    worker.on('exit', () => {
      opened.resolve()
      results.get(current)?.reject(new Error('a thread of the verification ended'))
    })
    start()
    return { worker, opened: opened.promise }
  })
  try {
    for (const [n, { promise }] of results) {
      yield await promise
      // A result is a megabyte: those that were passed on must not stay in memory.
      results.delete(n)
    }
  } finally {
    // The end of a thread that is loading its driver would abort the process: the driver cannot be interrupted there.
    await Promise.all(workers.map(({ worker, opened }) => opened.then(() => worker.terminate())))
  }
}
