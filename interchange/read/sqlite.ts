import Sqlite from 'better-sqlite3'
import { SourceRefused } from '../document/source-refused.ts'
import type { SourceFile } from './source-file.ts'
import type { Losses } from '../document/losses.ts'
import { parseWhole } from './json/inner-json.ts'
import type { Json } from '../../domain/run/readers.ts'

/** An open database. */
export type Database = Sqlite.Database

/** A value of a row, and a row of columns that are not known before. */
export type SqlValue = string | number | null | Buffer
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * Reads from a database of another tool, as of its last commit, and closes it at the end. Throws `SourceRefused` if it is
 * not on disk, damaged, cannot be opened where it is, or one of the tables is not plain (see `requirePlainTables`).
 */
export const readDatabase = async function* <T>(
  file: SourceFile,
  tables: readonly string[],
  read: (database: Database) => AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const database = openDatabase(file)
  try {
    requirePlainTables(database, tables)
    yield* read(database)
  } catch (error) {
    throw databaseRefused(error)
  } finally {
    database.close()
  }
}

const openDatabase = (file: SourceFile): Database => {
  if (file.diskPath === null) throw new SourceRefused('a database must be a file on disk, and not gzipped')
  try {
    const database = new Sqlite(file.diskPath, { readonly: true, fileMustExist: true })
    // The schema is foreign: it may not call functions with effects, and damaged pages are to be found early.
    database.pragma('trusted_schema = OFF')
    database.pragma('cell_size_check = ON')
    database.pragma('schema_version')
    return database
  } catch (error) {
    throw databaseRefused(error)
  }
}

/**
 * Checks that these names, where they are in a database, are tables that hold their rows. Throws `SourceRefused` for a view,
 * a virtual table and a column that is computed when it is read: reading those would run what a stranger wrote into the schema.
 */
const requirePlainTables = (database: Database, names: readonly string[]): void => {
  for (const name of names) {
    const found = database
      .prepare<[string], { type: string; rootpage: number }>(
        "SELECT type, rootpage FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
      )
      .all(name)
    const isComputed = found.some(({ type, rootpage }) => type === 'view' || rootpage === 0)
    if (isComputed) throw new SourceRefused(`${name} is no table in this database, but a view or a virtual table`)
    // 2 is a column that is computed when it is read. A computed column that is stored is read like a plain one.
    const computed = database
      .prepare<[string], { name: string }>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 2')
      .get(name)
    if (computed) throw new SourceRefused(`the column ${name}.${computed.name} is computed in this database`)
  }
}

/** The names of the tables of a database, with the names of their columns. Views and virtual tables are not read. */
export const tablesOf = (file: SourceFile): ReadonlyMap<string, readonly string[]> => {
  const database = openDatabase(file)
  try {
    const tables = database
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name",
      )
      .all()
    return new Map(
      tables.map(({ name }) => [
        name,
        database
          .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
          .all(name)
          .map((column) => column.name),
      ]),
    )
  } catch (error) {
    throw databaseRefused(error)
  } finally {
    database.close()
  }
}

/** The reason for people why SQLite cannot read a database; other errors are returned as they are. */
export const databaseRefused = (error: unknown): unknown => {
  if (!(error instanceof Sqlite.SqliteError)) return error
  // SQLite has to write next to a database with a write-ahead log, also to read it.
  const isUnwritable = /^SQLITE_(CANTOPEN|READONLY)/.test(error.code)
  const advice = isUnwritable ? ': copy it, with its -wal and -shm files, into a folder that can be written' : ''
  return new SourceRefused(`the database cannot be read: ${error.message}${advice}`, { cause: error })
}

/** The value of a column that holds JSON as text; null for an empty one. `path` is that of the column in losses. */
export const columnJson = (value: SqlValue | undefined, losses: Losses, path: string): Json => {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'number' ? value : parseWhole(value, losses, path)
}
