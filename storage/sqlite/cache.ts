import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { OUTDATED } from '../cache/index-version.ts'
import type { CacheStore } from '../cache/store.ts'
import { addWords, type EntryWords } from '../cache/words.ts'
import { SchemaMismatch, Unavailable } from '../errors.ts'
import { statement } from '../sql.ts'
import type { Queries, Reader, Results } from '../storage.ts'
import { asUnavailable, connect, type Connection } from './connection.ts'
import { migrateSqlite } from './migrate.ts'

/**
 * Words of new entries are written in batches: each transaction writes a new segment of the word index. If each entry
 * wrote a segment of its own, that would cost twice as much as all other work on the entry. A batch is written at this
 * number of entries, this length of text, or after this time.
 */
const MAX_QUEUED_ENTRIES = 256
const MAX_QUEUED_LENGTH = 4 * 1024 * 1024
const MAX_QUEUED_MS = 1000

type Options = {
  readonly checkRows?: boolean
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
  { checkRows = false, onSetAside = () => {} }: Options = {},
): CacheStore => {
  const connection = openOrSetAside(file, checkRows, onSetAside)
  const { database, read, run } = connection
  let queuedWords: EntryWords[] = []
  let queuedLength = 0
  let timer: NodeJS.Timeout | undefined

  const writeWords = (): void => {
    const last = queuedWords.at(-1)
    if (!last) return
    run(addWords(queuedWords))
    run(statement`UPDATE cache_totals SET value = ${last.entry_no} WHERE name = ${'worded'}`)
  }
  const clearQueue = (): void => {
    clearTimeout(timer)
    timer = undefined
    queuedWords = []
    queuedLength = 0
  }
  const enqueueWords = (words: readonly EntryWords[]): void => {
    for (const item of words) {
      queuedWords.push(item)
      queuedLength += item.text.length
    }
    // If this write fails, the words stay queued and the next change or search reports the error.
    timer ??= setTimeout(() => void settle().catch(() => (timer = undefined)), MAX_QUEUED_MS).unref()
  }

  const change: CacheStore['change'] = async ({ facts, decide }) => {
    try {
      const { result, words, areWordsWritten } = database
        .transaction(() => {
          const { statements, result, words } = decide(resultsOf(connection, facts), 'sqlite')
          // Words may stay queued while entries are added, which affects no other entry. Before any other change, all
          // queued words are written.
          const areWordsWritten =
            !words || queuedWords.length >= MAX_QUEUED_ENTRIES || queuedLength >= MAX_QUEUED_LENGTH
          if (areWordsWritten) writeWords()
          for (const statement of statements) run(statement)
          return { result, words, areWordsWritten }
        })
        .immediate()
      if (areWordsWritten) clearQueue()
      if (words && words.length > 0) enqueueWords(words)
      return result
    } catch (error) {
      // A full disk may only be reported at COMMIT.
      throw noteDamage(file, asUnavailable(error))
    }
  }
  const settle = (): Promise<void> =>
    queuedWords.length === 0
      ? Promise.resolve()
      : change({ facts: {}, decide: () => ({ statements: [], result: undefined }) })

  return {
    dialect: 'sqlite',
    ...readsNotingDamage(file, {
      read: async (query) => read(query),
      readAll: async (queries) => database.transaction(() => resultsOf(connection, queries))(),
    }),
    change,
    settle,
    close: async () => {
      try {
        await settle()
      } finally {
        clearTimeout(timer)
        connection.close()
      }
    },
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
  if (!(error instanceof Database.SqliteError && DAMAGE.test(error.code))) return error
  writeFileSync(damageMarkOf(file), '')
  return new Unavailable(`${file} is damaged: the next start of the service sets it aside and creates an empty one`, {
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
    if (existsSync(damageMarkOf(file))) throw new SchemaMismatch('damage was found while the service used it')
    return open(file, checkRows)
  } catch (error) {
    if (!isUnusable(error)) throw asUnavailable(error)
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
  // A new entry changes single pages of several indexes, and each changed page is written whole, so pages are small.
  const connection = connect(file, { readonly: false, checkRows, pageSize: 4096 })
  try {
    // A power failure may lose the last entries; clients request them again.
    connection.database.pragma('synchronous = NORMAL')
    // The same pages change repeatedly, so checkpoints that run less often copy fewer pages.
    connection.database.pragma('wal_autocheckpoint = 8000')
    migrateSqlite(connection, 'cache', Date.now)
    markWithoutWords(connection)
    // Reads the root page of every table and index, to detect a truncated file.
    for (const table of ['cache_entries', 'cache_bodies', 'cache_totals', 'cache_facets'])
      connection.database.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    connection.database.prepare('SELECT entry_no FROM cache_entries ORDER BY entry_no DESC LIMIT 1').get()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * A process that ended before it wrote the words of its last entries leaves them without words. They are marked to be
 * read again, like entries of an older index version.
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
          UPDATE cache_totals SET value = max(value, (SELECT coalesce(max(entry_no), 0) FROM cache_entries))
          WHERE name = ${'worded'}`,
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
