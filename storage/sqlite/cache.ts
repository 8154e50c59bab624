import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { CacheStore } from '../cache/store.ts'
import { addWords } from '../cache/words.ts'
import type { EntryWords } from '../cache/words.ts'
import { SchemaMismatch, Unavailable } from '../errors.ts'
import { statement } from '../sql.ts'
import type { Answers, Queries, Reader } from '../storage.ts'
import { asUnavailable, connect } from './connection.ts'
import type { Connection } from './connection.ts'
import { migrateSqlite } from './migrate.ts'

/**
 * Words of new entries are written for many at once: the index of words writes a segment of its own with each
 * transaction, which for one entry costs twice as much as all else. They wait until there are so many entries or so
 * much text of them, and for so long at most.
 */
const MAX_WORDED = 256
const MAX_WORDS_LENGTH = 4 * 1024 * 1024
const WORDS_MS = 1000

type Options = {
  readonly checkRows?: boolean
  /** Told when a file that cannot be used was set aside; `to` is where it is now. */
  readonly onSetAside?: (why: { readonly file: string; readonly to: string; readonly error: string }) => void
}

/**
 * The one connection that writes a `cache.db`, with its tables made. A file that is damaged, is no database, or was
 * written by a newer build is set aside and a fresh one begun: nothing in it is missed for good. Damage that nobody
 * meets until the file is used is noted, and sets it aside at the next start. One file set aside is kept, the last.
 */
export const openSqliteCache = (
  file: string,
  { checkRows = false, onSetAside = () => {} }: Options = {},
): CacheStore => {
  const connection = openOrSetAside(file, checkRows, onSetAside)
  const { database, read, run } = connection
  let waiting: EntryWords[] = []
  let length = 0
  let later: NodeJS.Timeout | undefined

  const writeWords = (): void => {
    const last = waiting.at(-1)
    if (!last) return
    run(addWords(waiting))
    run(statement`UPDATE cache_totals SET value = ${last.entry_no} WHERE name = ${'worded'}`)
  }
  const writtenWords = (): void => {
    clearTimeout(later)
    later = undefined
    waiting = []
    length = 0
  }
  const keepForLater = (words: readonly EntryWords[]): void => {
    for (const each of words) {
      waiting.push(each)
      length += each.text.length
    }
    // What cannot be written then waits on, and whoever changes or searches something next is told.
    later ??= setTimeout(() => void settle().catch(() => (later = undefined)), WORDS_MS).unref()
  }

  const change: CacheStore['change'] = async ({ facts, decide }) => {
    try {
      const { result, words, wrote } = database
        .transaction(() => {
          const { statements, result, words } = decide(answersOf(connection, facts), 'sqlite')
          // Entries that are new change nothing of others. Whatever else changes finds the words of all written.
          const wrote = !words || waiting.length >= MAX_WORDED || length >= MAX_WORDS_LENGTH
          if (wrote) writeWords()
          for (const statement of statements) run(statement)
          return { result, words, wrote }
        })
        .immediate()
      if (wrote) writtenWords()
      if (words && words.length > 0) keepForLater(words)
      return result
    } catch (error) {
      // A disk that is full tells so at COMMIT as well.
      throw damageNoted(file, asUnavailable(error))
    }
  }
  const settle = (): Promise<void> =>
    waiting.length === 0
      ? Promise.resolve()
      : change({ facts: {}, decide: () => ({ statements: [], result: undefined }) })

  return {
    dialect: 'sqlite',
    ...readsNotingDamage(file, {
      read: async (query) => read(query),
      readAll: async (queries) => database.transaction(() => answersOf(connection, queries))(),
    }),
    change,
    settle,
    close: async () => {
      try {
        await settle()
      } finally {
        clearTimeout(later)
        connection.close()
      }
    },
  }
}

const answersOf = <Q extends Queries>({ read }: Connection, queries: Q): Answers<Q> =>
  // Safe: every name is answered by its own query.
  Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, read(query)])) as Answers<Q>

type Reads = Pick<Reader, 'read' | 'readAll'>

/** Reads of the file of a cache, which note the damage that they meet. */
export const readsNotingDamage = (file: string, { read, readAll }: Reads): Reads => {
  const noted = (error: unknown): never => {
    throw damageNoted(file, error)
  }
  return { read: (query) => read(query).catch(noted), readAll: (queries) => readAll(queries).catch(noted) }
}

/**
 * Stands beside a file that was found damaged while it was used: others have it open, so that it stays until the next
 * start.
 */
const markOf = (file: string): string => `${file}.found-damaged`

const damageNoted = (file: string, error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError && DAMAGE.test(error.code))) return error
  writeFileSync(markOf(file), '')
  return new Unavailable(`${file} is damaged: it is set aside and a fresh one begun when the service starts again`, {
    cause: error,
  })
}

const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/

const openOrSetAside = (
  file: string,
  checkRows: boolean,
  onSetAside: NonNullable<Options['onSetAside']>,
): Connection => {
  try {
    if (existsSync(markOf(file))) throw new SchemaMismatch('damage was found while it was used')
    return open(file, checkRows)
  } catch (error) {
    if (!isUnusable(error)) throw asUnavailable(error)
    const to = `${file}.damaged`
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${to}${suffix}`, { force: true })
      moveIfThere(`${file}${suffix}`, `${to}${suffix}`)
    }
    rmSync(markOf(file), { force: true })
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
    markUnworded(connection)
    // Reads the root of every table and index, which a file that was cut off no longer has.
    for (const table of ['cache_entries', 'cache_bodies', 'cache_totals', 'cache_facets'])
      connection.database.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    connection.database.prepare('SELECT entry_no FROM cache_entries ORDER BY entry_no DESC LIMIT 1').get()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The rules of what was read, but is to be read again. */
const OUTDATED = 1

/**
 * What ended before it wrote the words of its last entries left them to be read again, as entries are that were read by
 * older rules.
 */
const markUnworded = ({ database, run }: Connection): void =>
  database
    .transaction(() => {
      run(
        statement`UPDATE cache_entries SET rules = ${OUTDATED} WHERE entry_no > (SELECT value FROM cache_totals WHERE name = ${'worded'}) AND rules > ${OUTDATED} AND parseable`,
      )
      run(
        statement`UPDATE cache_totals SET value = max(value, (SELECT coalesce(max(entry_no), 0) FROM cache_entries)) WHERE name = ${'worded'}`,
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
