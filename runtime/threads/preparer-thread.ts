import type { MessagePort } from 'node:worker_threads'
import { prepareUpload, type Upload } from '../../commands/run/ingest-run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import { forwardCalls, threadOwner } from './calls.ts'
import { openReader, type Store } from '../../storage/open/reader.ts'
import type { Commit } from '../../commands/commit.ts'
import type { WriterCalls } from './writer-thread.ts'

// The preparer thread does the heavy work on an upload while the writer is busy with others, then forwards the upload
// to the writer.

export type PreparerData = { readonly store: Store; readonly writer: MessagePort }
/** The calls of the writer for which this thread prepares. */
export type PreparerCalls = Pick<Commit, 'ingestRun'>

const { port, data } = threadOwner<PreparerData>()
const { store, writer } = data
// The database may be unreachable when the first upload arrives: that upload fails with 503 and the thread stays alive.
const reader = lazyReader(store.kind, () => openReader(store, { connections: 2 }))

forwardCalls<WriterCalls>(
  port,
  {
    ingestRun: async (viewer: Viewer, upload: Upload) => {
      const document = await prepareUpload(reader, upload)
      if (document.kind === 'known') return { name: 'commit', args: ['ingestRun', viewer, upload] }
      const { pending, ...prepared } = document
      await pending
      return { name: 'commit', args: ['ingestPrepared', viewer, prepared] }
    },
  },
  writer,
)
