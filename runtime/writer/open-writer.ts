import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Store } from '../../storage/open/reader.ts'
import { startFilling } from './fill-tree.ts'
import { openWriterOnSqlite } from './sqlite.ts'
import { startBuilding, type Rebuilt } from './build-models.ts'
import type { Writer, WriterOptions } from './writer.ts'

/**
 * Opens the writer of a store in the calling thread, and records which read models were built while it opened. Fills
 * missing nodes of the log's tree, and builds the other read models, in the background until it is closed.
 */
export const openWriter = async (store: Store, options: WriterOptions): Promise<Writer> => {
  const { commit, rebuilt, tree, builds, close, ...writer } = await (store.kind === 'sqlite'
    ? openWriterOnSqlite({ ...options, file: store.file, bucket: store.bucket })
    : (await import('./postgres.ts')).openWriterOnPostgres(store, options))
  const record = (models: Rebuilt): Promise<unknown> =>
    commit.recordRebuild(SYSTEM, { instance: options.instance, rebuilt: models })
  if (rebuilt.length > 0) await record(rebuilt)
  // The log of a store that was just created is empty: it has no nodes.
  if (options.isNew) return { ...writer, commit, close }
  const stopFilling = startFilling(tree, options.log)
  const { log, missing, openBatchReader } = options
  const stopBuilding = openBatchReader
    ? startBuilding(builds, { log, openReader: openBatchReader, onMissing: (models) => missing?.set(models), record })
    : async () => {}
  return {
    ...writer,
    commit,
    close: async () => {
      await stopBuilding()
      await stopFilling()
      await close()
    },
  }
}
