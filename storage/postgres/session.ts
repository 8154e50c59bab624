import { openPool } from './pool.ts'
import type { PostgresConnection } from './pool.ts'
import { statement } from '../sql.ts'

/**
 * A connection of its own for work that takes its time: no statement of it is cut off. It is closed afterwards, and the
 * locks of the session go with it.
 */
export const withSession = async <T>(url: string, work: (session: PostgresConnection) => Promise<T>): Promise<T> => {
  const pool = await openPool({ url, connections: 1, statementTimeout: 24 * 3_600_000 })
  try {
    return await pool.connected(async (session) => {
      await session.control('SET statement_timeout = 0')
      await session.control('SET idle_in_transaction_session_timeout = 0')
      return work(session)
    })
  } finally {
    await pool.close()
  }
}

/** Work in one transaction of a session, which stays usable where it throws. `begin` is the statement that opens it. */
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
    // Where the connection is gone, so is the transaction.
    await session.control('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Has unqualified names of the open transaction mean the tables of these schemas, the first that has one. */
export const setPath = (...schemas: readonly string[]) =>
  statement`SELECT set_config('search_path', ${schemas.map((schema) => `"${schema.replaceAll('"', '""')}"`).join(', ')}, true)`
