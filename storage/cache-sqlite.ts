import { renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { CacheStore } from './cache-store.ts'
import { asPortError, connect } from './sqlite-connection.ts'
import type { Connection } from './sqlite-connection.ts'
import { migrateSqlite, Misfit } from './migrate.ts'
import type { Answers, Queries } from './storage.ts'

type Options = {
  readonly checkRows?: boolean
  /** Told when a file that cannot be used was set aside; `to` is where it is now. */
  readonly onSetAside?: (why: { readonly file: string; readonly to: string; readonly error: string }) => void
}

/**
 * The one connection that writes a `cache.db`, with its tables made. A file that is damaged, is no database, or was written by a newer build is
 * set aside and a fresh one begun: nothing in it is missed for good. One file set aside is kept, the last.
 */
export const openSqliteCache = (file: string, { checkRows = false, onSetAside = () => {} }: Options = {}): CacheStore => {
  const connection = openOrSetAside(file, checkRows, onSetAside)
  const { database, read, run } = connection
  const change: CacheStore['change'] = async ({ facts, decide }) => {
    try {
      return database
        .transaction(() => {
          const { statements, result } = decide(answersOf(connection, facts), 'sqlite')
          for (const statement of statements) run(statement)
          return result
        })
        .immediate()
    } catch (error) {
      // A disk that is full tells so at COMMIT as well.
      throw asPortError(error)
    }
  }
  return {
    dialect: 'sqlite',
    read: async (query) => read(query),
    readAll: async (queries) => database.transaction(() => answersOf(connection, queries))(),
    change,
    close: async () => {
      connection.close()
    },
  }
}

const answersOf = <Q extends Queries>({ read }: Connection, queries: Q): Answers<Q> =>
  // Safe: every name is answered by its own query.
  Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, read(query)])) as Answers<Q>

const openOrSetAside = (file: string, checkRows: boolean, onSetAside: NonNullable<Options['onSetAside']>): Connection => {
  try {
    return open(file, checkRows)
  } catch (error) {
    if (!isUnusable(error)) throw asPortError(error)
    const to = `${file}.damaged`
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${to}${suffix}`, { force: true })
      moveIfThere(`${file}${suffix}`, `${to}${suffix}`)
    }
    onSetAside({ file, to, error: String(error) })
    return open(file, checkRows)
  }
}

const open = (file: string, checkRows: boolean): Connection => {
  // An entry changes a page here and there in several indexes, each of which is written whole.
  const connection = connect(file, { readonly: false, checkRows, pageSize: 4096 })
  try {
    // Lost power may take the last entries along; they are asked for again.
    connection.database.pragma('synchronous = NORMAL')
    // The same pages change again and again: the longer they gather, the fewer are copied.
    connection.database.pragma('wal_autocheckpoint = 8000')
    migrateSqlite(connection, 'cache', Date.now)
    // Reads the root of every table and index, which a file that was cut off no longer has.
    for (const table of ['cache_entries', 'cache_bodies', 'cache_totals', 'cache_facets']) connection.database.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    connection.database.prepare('SELECT entry_no FROM cache_entries ORDER BY entry_no DESC LIMIT 1').get()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

const isUnusable = (error: unknown): boolean =>
  error instanceof Misfit || (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|ERROR)/.test(error.code))

const moveIfThere = (from: string, to: string): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
