import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Store } from '../../storage/open/reader.ts'
import { openWriterOnSqlite } from './sqlite.ts'
import type { Writer, WriterOptions } from './writer.ts'

/** Opens the writer of a store in the calling thread, and records which read models were rebuilt while it opened. */
export const openWriter = async (store: Store, options: WriterOptions): Promise<Writer> => {
  const { commit, rebuilt, ...writer } = await (store.kind === 'sqlite'
    ? openWriterOnSqlite({ ...options, file: store.file })
    : (await import('./postgres.ts')).openWriterOnPostgres(store, options))
  if (rebuilt.length > 0) await commit('recordRebuild', SYSTEM, { instance: options.instance, rebuilt } as never)
  return { ...writer, commit }
}
