import { parentPort, workerData } from 'node:worker_threads'
import { OPEN, type Range } from './range.ts'
import { openScanner, type ScanSource } from './scanner.ts'

// A thread of a verification: says `open` when it has opened the log, scans the ranges that it receives, and returns their
// results. An error ends the thread.

if (!parentPort) throw new Error('this file runs in a thread')
const port = parentPort
const scanner = openScanner(workerData as ScanSource)

scanner.then(
  () => port.postMessage(OPEN),
  // The first range reports it.
  () => {},
)
port.on('message', (range: Range) => {
  void scanner
    .then(({ scan }) => scan(range))
    .then((result) => port.postMessage(result, [result.documents.buffer]))
    .catch((error: unknown) => {
      // Thrown outside of the promise, so that the thread ends with it.
      setImmediate(() => {
        throw error
      })
    })
})
