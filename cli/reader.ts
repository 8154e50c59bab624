import { parentPort, workerData } from 'node:worker_threads'
import { documentReader } from '../queries/documents.ts'
import { etagOf, runJob } from '../queries/jobs.ts'
import type { JobAnswer, JobName } from '../queries/jobs.ts'
import type { Viewer } from '../queries/viewer.ts'
import { openedWhenRead } from '../storage/opened-when-read.ts'
import { cacheReaderBeside } from './cache-place.ts'
import { answerCalls } from './calls.ts'
import { openReader } from './store.ts'
import type { Store } from './store.ts'

// A reader thread: runs the reads that can be long on a connection of its own and answers finished bytes.

/** `known` holds the log position that reads must see. */
export type ReaderData = { readonly store: Store; readonly known: SharedArrayBuffer; readonly cacheAt: Store }
export type ReaderCall = { readonly name: JobName; readonly viewer: Viewer; readonly args: never } | { readonly close: true }

const port = parentPort
if (!port) throw new Error('a reader runs as a worker thread')
const { store, known, cacheAt } = workerData as ReaderData
const needed = new BigInt64Array(known)
// A database may be away when the thread is wanted: whoever asks then is told, and the thread lives on.
const reader = openedWhenRead(store.kind, () => openReader(store, { connections: 2, needed: () => Number(Atomics.load(needed, 0)) }))
const cache = cacheReaderBeside(reader, store, cacheAt)
const documents = documentReader(reader)

answerCalls(port, async (call: ReaderCall) => {
  if ('close' in call) {
    await cache.close()
    return reader.close()
  }
  const text = await runJob({ reader, cache: cache.reader, documents, viewer: call.viewer }, call.name, call.args)
  if (text === null) return null
  // A buffer of its own, not a piece of the pool, so that it can be transferred; hashed here, since it may be large.
  const body = new TextEncoder().encode(text)
  return { body, etag: etagOf(body) } satisfies JobAnswer
})
