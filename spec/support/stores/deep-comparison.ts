import { compareTables } from '../../../maintenance/verify/read-tables-sqlite.ts'
import { compareDatabase } from '../../../maintenance/verify/read-tables-postgres.ts'
import type { Store } from '../../../storage/open/reader.ts'
import { inTransaction, withSession } from '../../../storage/postgres/session.ts'
import { connect } from '../../../storage/sqlite/connection.ts'

/** How the read tables of a store differ from a replay of its log; null if they do not. */
export const differencesIn = async (store: Store): Promise<string | null> => {
  if (store.kind === 'postgres')
    return withSession(store.url, (session) =>
      inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ', () => compareDatabase(session)),
    )
  const snapshot = connect(store.file, { readonly: true })
  try {
    snapshot.database.exec('BEGIN')
    return await compareTables(snapshot)
  } finally {
    snapshot.close()
  }
}
