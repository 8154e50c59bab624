import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { findLastEntry, findTotal } from '../cache/entries.ts'
import { CURRENT_INDEX_VERSION, OUTDATED } from '../cache/index-version.ts'
import { listUnindexed } from '../cache/selection.ts'
import type { CacheStore } from '../cache/store.ts'
import { addWords, type EntryWords } from '../cache/words.ts'
import { migrationsOf, missingMigrations } from '../disk/migrations.ts'
import { SchemaMismatch, Unavailable } from '../errors.ts'
import { statement } from '../sql.ts'
import type { Queries, Reader, Results } from '../storage.ts'
import { asUnavailable, connect, type Connection } from './connection.ts'
import { appliedIn, migrateSqlite } from './migrate.ts'

/** A new entry changes single pages of several indexes, and each changed page is written whole, so pages are small. */
const PAGE_SIZE = 4096

type Options = {
  readonly checkRows?: boolean
  /**
   * Whether an unusable file may be set aside: only as long as no other connection reads it. Otherwise it is marked as
   * damaged, and the opening throws `Unavailable`.
   */
  readonly maySetAside?: boolean
  /** Called when an unusable file is set aside; `to` is its new path. */
  readonly onSetAside?: (why: { readonly file: string; readonly to: string; readonly error: string }) => void
}

/**
 * Opens the only write connection to a `cache.db` and creates its tables. A file that is damaged, is no database, or
 * was written by a newer build is set aside and replaced by an empty one: everything in the cache can be
 * requested again. Damage that is found later is noted, and the next start sets the file aside. A file that was set
 * aside earlier is then deleted.
 */
export const openSqliteCache = (
  file: string,
  { checkRows = false, maySetAside = true, onSetAside = () => {} }: Options = {},
): CacheStore => {
  const connection = openOrSetAside(file, { checkRows, maySetAside, onSetAside })
  const { database, read, run } = connection

  const writeWords = (words: readonly EntryWords[]): void => {
    if (words.length === 0) return
    const last = Math.max(...words.map(({ entry_no }) => entry_no))
    run(addWords(words))
    run(statement`UPDATE cache_totals SET value = max(value, ${last}) WHERE name = ${'worded'}`)
  }
  const change: CacheStore['change'] = async ({ facts, decide }) => {
    try {
      return database
        .transaction(() => {
          const { statements, result, words = [] } = decide(resultsOf(connection, facts), 'sqlite')
          for (const each of statements) run(each)
          writeWords(words)
          return result
        })
        .immediate()
    } catch (error) {
      // A full disk may only be reported at COMMIT.
      throw noteDamage(file, asUnavailable(error))
    }
  }

  return {
    dialect: 'sqlite',
    ...readsNotingDamage(file, {
      read: async (query) => read(query),
      readAll: async (queries) => database.transaction(() => resultsOf(connection, queries))(),
    }),
    change,
    close: async () => connection.close(),
  }
}

const resultsOf = <Q extends Queries>({ read }: Connection, queries: Q): Results<Q> =>
  // Safe: every name has the result of its own query.
  Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, read(query)])) as Results<Q>

type Reads = Pick<Reader, 'read' | 'readAll'>

/** Reads of a cache file that note any damage they find. */
export const readsNotingDamage = (file: string, { read, readAll }: Reads): Reads => {
  const noteAndThrow = (error: unknown): never => {
    throw noteDamage(file, error)
  }
  return {
    read: (query) => read(query).catch(noteAndThrow),
    readAll: (queries) => readAll(queries).catch(noteAndThrow),
  }
}

/**
 * The path of the file that marks a cache as damaged. Other connections have the cache open, so the damaged file stays
 * in use until the next start.
 */
const damageMarkOf = (file: string): string => `${file}.found-damaged`

const noteDamage = (file: string, error: unknown): unknown => {
  return error instanceof Database.SqliteError && DAMAGE.test(error.code) ? markDamaged(file, error) : error
}

const markDamaged = (file: string, cause: unknown): Unavailable => {
  writeFileSync(damageMarkOf(file), '')
  return new Unavailable(`${file} is damaged: the next start of the service sets it aside and creates an empty one`, {
    cause,
  })
}

const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/

const openOrSetAside = (file: string, { checkRows, maySetAside, onSetAside }: Required<Options>): Connection => {
  try {
    if (existsSync(damageMarkOf(file))) throw new SchemaMismatch('damage was found while the service used it')
    return open(file, checkRows)
  } catch (error) {
    if (!isUnusable(error)) throw asUnavailable(error)
    if (!maySetAside) throw markDamaged(file, error)
    const to = `${file}.damaged`
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${to}${suffix}`, { force: true })
      moveIfThere(`${file}${suffix}`, `${to}${suffix}`)
    }
    rmSync(damageMarkOf(file), { force: true })
    onSetAside({ file, to, error: String(error) })
    return open(file, checkRows)
  }
}

const open = (file: string, checkRows: boolean): Connection => {
  const connection = connect(file, { readonly: false, checkRows, pageSize: PAGE_SIZE })
  try {
    // A power failure may lose the last entries; clients request them again.
    connection.database.pragma('synchronous = NORMAL')
    // The same pages change repeatedly, so checkpoints that run less often copy fewer pages.
    connection.database.pragma('wal_autocheckpoint = 8000')
    migrateSqlite(connection, 'cache', Date.now)
    markWithoutWords(connection)
    readRoots(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Reads the root page of every table and index, to detect a truncated file. Throws if one cannot be read. */
const readRoots = ({ database }: Connection): void => {
  for (const table of ['cache_entries', 'cache_bodies', 'cache_totals', 'cache_facets'])
    database.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
  database.prepare('SELECT entry_no FROM cache_entries ORDER BY entry_no DESC LIMIT 1').get()
}

/**
 * Whether the cache was closed as it should be and needs no change: its file can be read, its tables are current, and all
 * entries are indexed. No other process may have it open.
 */
export const isSqliteCacheSettled = (file: string): boolean => {
  // With a write-ahead log, the last process has ended without closing the file.
  if (!existsSync(file) || existsSync(`${file}-wal`) || existsSync(damageMarkOf(file))) return false
  try {
    return isSettled(file)
  } catch {
    // Opening the cache for changes finds the same, and reports it or repairs it.
    return false
  }
}

const isSettled = (file: string): boolean => {
  // For changes, although it makes none: a read-only connection would leave its write-ahead log behind.
  const connection = connect(file, { readonly: false, pageSize: PAGE_SIZE })
  try {
    readRoots(connection)
    return (
      missingMigrations(migrationsOf('cache', 'sqlite'), appliedIn(connection)).length === 0 &&
      hasIndexOfAll(connection)
    )
  } finally {
    connection.close()
  }
}

/** Whether every entry has the index of this build, and its words. */
const hasIndexOfAll = ({ read }: Connection): boolean =>
  read(listUnindexed(CURRENT_INDEX_VERSION, 1)).length === 0 && read(findLastEntry) <= read(findTotal('worded'))

/** Removes the write-ahead log that readers of a cache have left, so that the cache is one complete file. */
export const removeCacheLog = (file: string): void => {
  if (!existsSync(`${file}-wal`)) return
  try {
    const connection = connect(file, { readonly: false, pageSize: PAGE_SIZE })
    try {
      readRoots(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    // The log stays: the next start reads it, or sets the file aside.
    noteDamage(file, error)
  }
}

/**
 * Earlier versions wrote the words of entries later: a process that ended before left its last entries without words. They
 * are marked to be read again, like entries of an older index version.
 */
const markWithoutWords = ({ database, run }: Connection): void =>
  database
    .transaction(() => {
      run(
        statement`
          UPDATE cache_entries SET rules = ${OUTDATED}
          WHERE entry_no > (SELECT value FROM cache_totals WHERE name = ${'worded'}) AND rules > ${OUTDATED} AND parseable`,
      )
      run(
        statement`
          UPDATE cache_totals SET value = (SELECT max(entry_no) FROM cache_entries)
          WHERE name = ${'worded'} AND value < (SELECT max(entry_no) FROM cache_entries)`,
      )
    })
    .immediate()

const isUnusable = (error: unknown): boolean =>
  error instanceof SchemaMismatch ||
  (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|ERROR)/.test(error.code))

const moveIfThere = (from: string, to: string): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
