import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Store } from '../../storage/open/reader.ts'
import { startFilling } from './fill-tree.ts'
import { openWriterOnSqlite } from './sqlite.ts'
import type { Writer, WriterOptions } from './writer.ts'

/**
 * Opens the writer of a store in the calling thread, and records which read models were rebuilt while it opened. Fills
 * missing nodes of the log's tree in the background until it is closed.
 */
export const openWriter = async (store: Store, options: WriterOptions): Promise<Writer> => {
  const { commit, rebuilt, tree, close, ...writer } = await (store.kind === 'sqlite'
    ? openWriterOnSqlite({ ...options, file: store.file })
    : (await import('./postgres.ts')).openWriterOnPostgres(store, options))
  if (rebuilt.length > 0) await commit.recordRebuild(SYSTEM, { instance: options.instance, rebuilt })
  // The log of a store that was just created is empty: it has no nodes.
  if (options.isNew) return { ...writer, commit, close }
  const stopFilling = startFilling(tree, options.log)
  return {
    ...writer,
    commit,
    close: async () => {
      await stopFilling()
      await close()
    },
  }
}
