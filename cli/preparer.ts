import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { prepareUpload } from '../commands/run/ingest-run.ts'
import type { Upload } from '../commands/run/ingest-run.ts'
import type { Viewer } from '../queries/viewer.ts'
import { openSqliteReader } from '../storage/sqlite.ts'
import { passCallsOn } from './calls.ts'

// The preparer thread: does the heavy work on an upload while the writer is busy with others, and passes it on to the writer.

export type PreparerData = { readonly file: string; readonly writer: MessagePort }
export type PreparerCall = { readonly viewer: Viewer; readonly upload: Upload }

const port = parentPort
if (!port) throw new Error('the preparer runs as a worker thread')
const { file, writer } = workerData as PreparerData
const reader = openSqliteReader(file)

passCallsOn(
  port,
  async ({ viewer, upload }: PreparerCall) => {
    const document = await prepareUpload(reader, upload)
    if (document.kind === 'known') return { name: 'ingestRun', viewer, args: upload }
    const { pending, ...prepared } = document
    await pending
    return { name: 'ingestPrepared', viewer, args: prepared }
  },
  writer,
)
