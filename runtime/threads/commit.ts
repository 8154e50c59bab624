import type { Commit } from '../../commands/index.ts'
import type { Upload } from '../../commands/run/ingest-run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Preparer } from './preparer.ts'
import type { WriterThread } from './writer.ts'

/**
 * Sends commands to the writer thread, except uploads that the preparer accepts: it sends those to the preparer.
 * Transfers uploaded bytes.
 */
export const commitInThreads = (writer: WriterThread, preparer: Preparer): Commit => {
  const commit = (name: string, viewer: Viewer, args: { readonly body?: Uint8Array }): Promise<unknown> => {
    const { body } = args
    const transfer = body?.buffer instanceof ArrayBuffer ? [body.buffer] : []
    const upload = name === 'ingestRun' && body ? (args as Upload) : null
    if (upload && preparer.accepts(upload)) return preparer.ingest(viewer, upload, transfer)
    return writer.call({ name, viewer, args }, transfer)
  }
  return commit as Commit
}
