import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { prepareUpload } from '../../commands/run/ingest-run.ts'
import type { Upload } from '../../commands/run/ingest-run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import { forwardCalls } from './calls.ts'
import { openReader } from '../../storage/open/reader.ts'
import type { Store } from '../../storage/open/reader.ts'

// The preparer thread does the heavy work on an upload while the writer is busy with others, then forwards the upload
// to the writer.

export type PreparerData = { readonly store: Store; readonly writer: MessagePort }
export type PreparerCall = { readonly viewer: Viewer; readonly upload: Upload }

const port = parentPort
if (!port) throw new Error('the preparer runs as a worker thread')
const { store, writer } = workerData as PreparerData
// The database may be unreachable when the first upload arrives: that upload fails with 503 and the thread stays alive.
const reader = lazyReader(store.kind, () => openReader(store, { connections: 2 }))

forwardCalls(
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
