import { askAll, runSync } from '../commit/steps.ts'
import type { Reader } from '../storage.ts'
import { connect } from './connection.ts'

export type SqliteReader = Reader & { readonly close: () => void }

/**
 * Opens a separate read-only connection, for short reads that use an index. Each `read` or `readAll` sees one WAL
 * snapshot.
 */
export const openSqliteReader = (file: string, options: { readonly checkRows?: boolean } = {}): SqliteReader => {
  const connection = connect(file, { readonly: true, ...options })
  const begin = connection.database.prepare('BEGIN')
  const commit = connection.database.prepare('COMMIT')
  return {
    dialect: 'sqlite',
    read: async (query) => connection.read(query),
    readAll: async (queries) => {
      begin.run()
      try {
        const results = runSync(askAll(queries), connection)
        commit.run()
        return results
      } catch (error) {
        // The error may have ended the transaction already. A ROLLBACK would then fail, and hide the first error.
        if (connection.database.inTransaction) connection.database.exec('ROLLBACK')
        throw error
      }
    },
    close: connection.close,
  }
}
