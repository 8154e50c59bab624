import { readAddress } from './address.ts'
import { openPool, type PostgresConnection } from './pool.ts'
import { forgetPendingWipes, listPendingWipes } from '../log/pending-wipes.ts'
import { SchemaMismatch } from '../errors.ts'
import { statement } from '../sql.ts'

/** Work that holds a lock for several transactions cannot run through a pooler. Throws `SchemaMismatch`. */
export const checkHasSessions = (url: string, work: string): void => {
  if (readAddress(url).isPooled)
    throw new SchemaMismatch(
      `SERVICE_DATABASE_PREPARED_STATEMENTS: ${work} needs a connection to the server itself. Start once without this variable, with a SERVICE_DATABASE_URL that is not the pooler's`,
    )
}

/**
 * Runs long work on its own connection, without a statement timeout. The connection is closed afterwards, which
 * releases the locks of the session.
 */
export const withSession = async <T>(url: string, work: (session: PostgresConnection) => Promise<T>): Promise<T> => {
  const pool = await openPool({ url, connections: 1, statementTimeoutMs: 24 * 3_600_000 })
  try {
    return await pool.withConnection(async (session) => {
      if (!readAddress(url).isPooled) {
        await session.control('SET statement_timeout = 0')
        await session.control('SET idle_in_transaction_session_timeout = 0')
      }
      return work(session)
    })
  } finally {
    await pool.close()
  }
}

/**
 * Runs work in one transaction of a session. The session stays usable if the work throws. `begin` is the statement that
 * opens the transaction.
 */
export const inTransaction = async <T>(
  session: PostgresConnection,
  begin: string,
  work: () => Promise<T>,
): Promise<T> => {
  await session.control(begin)
  try {
    const result = await work()
    await session.control('COMMIT')
    return result
  } catch (error) {
    // If the connection is lost, so is the transaction.
    await session.control('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Makes the open transaction look up unqualified names in these schemas, in this order. */
export const setPath = (...schemas: readonly string[]) =>
  statement`SELECT set_config('search_path', ${schemas.map((schema) => `"${schema.replaceAll('"', '""')}"`).join(', ')}, true)`

/**
 * Removes deleted rows from the files of tables, if there was an erasure since the last time. A role that does not own a
 * table cannot: PostgreSQL then skips it with a warning, and removes the rows at its next automatic vacuum.
 */
export const wipeTables = (url: string, tables: readonly string[]): Promise<void> =>
  withSession(url, async ({ control, read, run }) => {
    const pending = await read(listPendingWipes)
    if (pending.length === 0) return
    // Not in a transaction, and one table at a time, so that no lock is held for long.
    for (const table of tables) await control(`VACUUM "${table}"`)
    await run(forgetPendingWipes(pending))
  })
