import { withSession } from './session.ts'

/**
 * Removes deleted rows from the files of tables. A role that does not own them cannot: PostgreSQL then skips the table with
 * a warning, and removes the rows at its next automatic vacuum.
 */
export const vacuumTables = (url: string, tables: readonly string[]): Promise<void> =>
  withSession(url, async ({ control }) => {
    // Not in a transaction, and one table at a time, so that no lock is held for long.
    for (const table of tables) await control(`VACUUM "${table}"`)
  })
