import type { Commit } from '../../commands/commit.ts'
import type { Upload } from '../../commands/run/ingest-run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { callsByName } from '../calls-by-name.ts'
import type { Preparer } from './preparer.ts'
import type { WriterThread } from './writer.ts'

/** Sends commands to the writer thread, except uploads that the preparer accepts: it sends those to the preparer. */
export const commitInThreads = ({ calls }: WriterThread, preparer: Preparer): Commit =>
  callsByName<Commit>((name, [viewer, args]: readonly [Viewer, never]) => {
    const upload: Upload | null = name === 'ingestRun' ? args : null
    if (upload && preparer.accepts(upload)) return preparer.ingest(viewer, upload)
    return calls.commit(name, viewer, args)
  })
