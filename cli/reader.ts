import { parentPort, workerData } from 'node:worker_threads'
import { documentReader } from '../queries/documents.ts'
import { etagOf, runJob } from '../queries/jobs.ts'
import type { JobAnswer, JobName } from '../queries/jobs.ts'
import type { Viewer } from '../queries/viewer.ts'
import { openSqliteReader } from '../storage/sqlite.ts'
import { answerCalls } from './calls.ts'

// A reader thread: runs the reads that can be long on a connection of its own and answers finished bytes.

export type ReaderData = { readonly file: string }
export type ReaderCall = { readonly name: JobName; readonly viewer: Viewer; readonly args: never } | { readonly close: true }

const port = parentPort
if (!port) throw new Error('a reader runs as a worker thread')
const reader = openSqliteReader((workerData as ReaderData).file)
const documents = documentReader(reader)

answerCalls(port, async (call: ReaderCall) => {
  if ('close' in call) return reader.close()
  const text = await runJob({ reader, documents, viewer: call.viewer }, call.name, call.args)
  if (text === null) return null
  // A buffer of its own, not a piece of the pool, so that it can be transferred; hashed here, since it may be large.
  const body = new TextEncoder().encode(text)
  return { body, etag: etagOf(body) } satisfies JobAnswer
})
