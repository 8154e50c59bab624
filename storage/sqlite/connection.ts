import Database from 'better-sqlite3'
import { DiskFull, Unavailable } from '../errors.ts'
import type { InsertRows, Query, Statement } from '../storage.ts'

/** The oldest SQLite whose WAL does not have the WAL-reset race. */
const OLDEST_VERSION = [3, 51, 3] as const

/** The maximum number of prepared statements. Texts come from a fixed set of queries, so it is rarely reached. */
const MAX_STATEMENTS = 500

type Convert = (value: unknown) => unknown
type Prepared = {
  readonly statement: Database.Statement
  readonly converts: ReadonlyArray<readonly [column: string, convert: Convert]>
}

const asBoolean: Convert = (value) => (value === null ? null : value !== 0)
const asJson: Convert = (value) => (value === null ? null : (JSON.parse(value as string) as unknown))

/** A connection with its prepared statements. It runs tokens and converts column values (booleans, JSON columns). */
export type Connection = {
  readonly database: Database.Database
  readonly read: <T>(query: Query<T>) => T
  readonly run: (statement: Statement) => void
  readonly close: () => void
}

type OpenOptions = {
  readonly readonly: boolean
  /** Checks every row against its schema. For specs: it costs as much as the query. */
  readonly checkRows?: boolean
  /**
   * The page size of a new file in bytes. The default here is twice that of SQLite: each page takes one write call, so
   * a commit of documents needs half as many.
   */
  readonly pageSize?: number
}

/** Opens one SQLite file in WAL mode. Throws if the linked SQLite is too old. */
export const connect = (file: string, { readonly, checkRows = false, pageSize = 8192 }: OpenOptions): Connection => {
  const database = new Database(file, { readonly, timeout: 10_000 })
  refuseOldSqlite(database)
  if (!readonly) {
    database.pragma(`page_size = ${pageSize}`)
    // Lets `ers compact` give free pages back in steps. Only a file without pages takes it, and WAL mode writes the first one.
    if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('recursive_triggers = ON')
    database.pragma('foreign_keys = ON')
    // What is deleted may have to be gone, for example after an erasure.
    database.pragma('secure_delete = ON')
    // A checkpoint must not stall the writer for long while readers hold snapshots.
    database.pragma('wal_autocheckpoint = 1000')
    database.pragma('journal_size_limit = 67108864')
  }
  // In KiB. The writer caches the pages that every commit touches, and those of a commit until it ends: with less, a run of
  // thousands of cases takes more time, and with more, no upload takes less. There are several readers, and the system's
  // page cache also helps them, so each has a smaller cache.
  database.pragma(`cache_size = ${readonly ? -16_384 : -24_576}`)
  database.pragma('temp_store = MEMORY')

  const prepared = new Map<string, Prepared>()
  const prepare = (text: string): Prepared => {
    const known = prepared.get(text)
    if (known) return known
    // The oldest makes room. An LRU cache would work at every statement for what happens rarely.
    const [oldest] = prepared.keys()
    if (oldest !== undefined && prepared.size >= MAX_STATEMENTS) prepared.delete(oldest)
    const statement = database.prepare(textForSqlite(text))
    const added = { statement, converts: statement.reader ? conversions(statement) : [] }
    prepared.set(text, added)
    return added
  }

  const read = <T>({ token, shape }: Query<T>): T => {
    if (token === null) return shape([])
    try {
      const { statement, converts } = prepare(token.sql)
      const rows = statement.all(bindables(token.values)) as Array<Record<string, unknown>>
      for (const [column, convert] of converts) for (const row of rows) row[column] = convert(row[column])
      if (checkRows) for (const row of rows) check(token.parser, row, token.sql)
      return shape(rows)
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  const run = (statement: Statement): void => {
    try {
      if ('table' in statement) insert(prepare, statement)
      else prepare(statement.sql).statement.run(bindables(statement.values))
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  return { database, read, run, close: () => database.close() }
}

const refuseOldSqlite = (database: Database.Database): void => {
  const version = database.prepare('SELECT sqlite_version()').pluck().get() as string
  const parts = version.split('.').map(Number)
  for (const [i, minimum] of OLDEST_VERSION.entries()) {
    const actual = parts[i] ?? 0
    if (actual > minimum) return
    if (actual < minimum)
      throw new Error(`SQLite ${version} is too old: ${OLDEST_VERSION.join('.')} or newer is needed`)
  }
}

const conversions = (statement: Database.Statement): Prepared['converts'] =>
  statement.columns().flatMap(({ name, type }): Array<readonly [string, Convert]> => {
    const declared = type?.toLowerCase()
    if (declared === 'boolean') return [[name, asBoolean]]
    return declared === 'jsontext' ? [[name, asJson]] : []
  })

/**
 * The text of slonik as SQLite prepares it. Slonik numbers its parameters in the order of the text, so they need no names.
 * Each has a unary plus, which changes no value: for a partial index, LIMIT, LIKE, min and max, SQLite plans with the values
 * of bare parameters, and plans again for each new value (SQLITE_DBCONFIG_ENABLE_QPSG in
 * https://sqlite.org/c3ref/c_dbconfig_defensive.html), which takes longer than most statements do.
 */
const textForSqlite = (text: string): string => text.replaceAll(/\$slonik_\d+/g, '+?')

const bindable = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

// One row per statement: SQLite runs a VALUES list of several rows as a subquery, which costs more than it saves for
// rows of this width. For 100 rows, such a list takes 2.9 ms instead of 1.8 (search rows) or 1.5
// instead of 1.1 (case rows).
const insert = (prepare: (text: string) => Prepared, statement: InsertRows): void => {
  const prepared = prepare(insertText(statement))
  for (const row of statement.rows) prepared.statement.run(bindables(row))
}

/** The last text by the list of its columns: most lists are constants, and a text takes as long as inserting a short row. */
const insertTexts = new WeakMap<readonly string[], { readonly table: string; readonly text: string }>()

const insertText = ({ table, columns }: InsertRows): string => {
  const last = insertTexts.get(columns)
  if (last?.table === table) return last.text
  const names = columns.map((column) => `"${column}"`).join(', ')
  const text = `INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`
  insertTexts.set(columns, { table, text })
  return text
}

// A loop is faster than `map`: a document has thousands of values.
const bindables = (row: readonly unknown[]): unknown[] => {
  const bound = new Array<unknown>(row.length)
  for (let i = 0; i < row.length; i++) bound[i] = bindable(row[i])
  return bound
}

type StandardSchema = { readonly '~standard'?: { validate: (value: unknown) => unknown } }

const check = (parser: unknown, row: unknown, text: string): void => {
  const result = (parser as StandardSchema)['~standard']?.validate(row) as { issues?: unknown } | undefined
  if (result?.issues) throw new Error(`a row does not fit its schema: ${JSON.stringify(result.issues)} in ${text}`)
}

const UNAVAILABLE = /^SQLITE_(FULL|BUSY|LOCKED|IOERR|NOMEM|CANTOPEN|READONLY)/

/** Errors of a full, busy or unreadable store become `Unavailable`; all others stay unchanged. */
export const asUnavailable = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError) || !UNAVAILABLE.test(error.code)) return error
  return error.code === 'SQLITE_FULL'
    ? new DiskFull({ cause: error })
    : new Unavailable(`${error.code}: ${error.message}`, { cause: error })
}
