import { migrationsOf, missingMigrations, type Applied } from '../disk/migrations.ts'
import type { Connection } from './connection.ts'

/** Creates the table that records the migrations of a SQLite store. */
export const CREATE_RECORD =
  'CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at bigint NOT NULL)'

/** The migrations that a SQLite store records as applied, in order; empty if it was never migrated. */
export const appliedIn = ({ database }: Connection): Applied[] => {
  const hasRecord =
    database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get() !== undefined
  return hasRecord
    ? (database.prepare('SELECT number, name, sha256 FROM migrations ORDER BY number').all() as Applied[])
    : []
}

/**
 * Applies all missing migrations to a SQLite store, each in its own transaction. If the process is killed at any
 * statement, the next start completes the work. Throws `SchemaMismatch`.
 */
export const migrateSqlite = (connection: Connection, store: string, now: () => number): number => {
  const { database } = connection
  database.exec(CREATE_RECORD)
  const all = migrationsOf(store, 'sqlite')
  for (const { number, name, text, sha256 } of missingMigrations(all, appliedIn(connection))) {
    database
      .transaction(() => {
        database.exec(text)
        database
          .prepare('INSERT INTO migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)')
          .run(number, name, sha256, now())
      })
      .immediate()
  }
  return all.length
}
