import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { InsertRows, Statement } from '../storage.ts'

// Tables that are built next to the live ones under other names, and then replace them in one transaction. The replaced
// ones are removed afterwards in small steps: dropping a large table overwrites every page of it.

const SHADOW = 'fresh_'
const REPLACED = 'stale_'

/** The name of the shadow table of a table. */
export const shadowName = (table: string): string => SHADOW + table

type SchemaObject = { readonly name: string; readonly sql: string }

/** A table as it was created, with its indexes and triggers. */
type Shape = {
  readonly table: string
  readonly create: string
  readonly isFullTextIndex: boolean
  readonly indexes: readonly SchemaObject[]
  readonly triggers: readonly SchemaObject[]
}

const tableShape = (database: Database.Database, table: string): Shape => {
  const create = database
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .pluck()
    .get(table) as string | undefined
  if (create === undefined) throw new Error(`there is no table ${table}`)
  // An automatic index of a key has no text and is created with the table.
  const statement = database.prepare(
    'SELECT name, sql FROM sqlite_schema WHERE type = ? AND tbl_name = ? AND sql IS NOT NULL ORDER BY rowid',
  )
  const listObjects = (type: 'index' | 'trigger'): SchemaObject[] => statement.all(type, table) as SchemaObject[]
  return {
    table,
    create,
    isFullTextIndex: /^CREATE VIRTUAL TABLE/i.test(create),
    indexes: listObjects('index'),
    triggers: listObjects('trigger'),
  }
}

const valueDigest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** A digest of the versions and definitions of tables. A build that was started for another digest cannot be used. */
export const rebuildPlan = (database: Database.Database, tables: readonly string[], versions: unknown): string =>
  valueDigest([versions, tables.map((table) => tableShape(database, table).create)])

/** The statement that creates the table, under another name. */
const createStatementAs = ({ create, table }: Shape, name: string): string => {
  const text = create.replace(
    /^(CREATE (?:VIRTUAL )?TABLE )("?)(\w+)\2/i,
    (whole: string, words: string, _: string, tableName: string) => (tableName === table ? `${words}"${name}"` : whole),
  )
  if (text === create && name !== table) throw new Error(`cannot find the table name in ${create}`)
  return text
}

/**
 * Creates an empty table of the same shape, without indexes. The settings of a full-text index are in a separate table
 * and are copied.
 */
const createEmpty = (from: Database.Database, table: string, to: Database.Database, name: string): void => {
  const shape = tableShape(from, table)
  to.exec(createStatementAs(shape, name))
  if (!shape.isFullTextIndex) return
  const settings = from.prepare(`SELECT k, v FROM "${table}_config" WHERE k <> 'version'`).all() as Array<{
    k: string
    v: unknown
  }>
  const insertSetting = to.prepare(`INSERT INTO "${name}" ("${name}", rank) VALUES (?, ?)`)
  // SQLite would bind a number as REAL, which the index rejects.
  for (const { k, v } of settings) insertSetting.run(k, typeof v === 'number' ? BigInt(v) : v)
}

/** Creates empty shadow tables without indexes. `removeTables` must have removed those of an earlier build. */
export const createShadowTables = (database: Database.Database, tables: readonly string[]): void => {
  for (const table of tables) createEmpty(database, table, database, shadowName(table))
}

/** Creates tables of the same shape and name in another, empty database. */
export const createTablesLike = (from: Database.Database, to: Database.Database, tables: readonly string[]): void => {
  for (const table of tables) createEmpty(from, table, to, table)
}

/** Whether all shadow tables exist. */
export const hasShadowTables = (database: Database.Database, tables: readonly string[]): boolean => {
  const found = new Set(listTables(database, SHADOW))
  return tables.every((table) => found.has(shadowName(table)))
}

// A virtual table creates and drops its internal tables itself.
const listTables = (database: Database.Database, prefix: string): string[] =>
  database
    .prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name GLOB '${prefix}*' ORDER BY name`,
    )
    .pluck()
    .all() as string[]

/** How many rows one statement of a removal deletes, and how long the statements of one step take in milliseconds. */
const REMOVED_ROWS = 50
const REMOVAL_MS = 10

/**
 * Does a step of the removal of replaced tables, and of shadow tables if `withShadow`, in an open transaction. Returns
 * false if nothing is left.
 */
export const removeTables = (
  database: Database.Database,
  { withShadow }: { readonly withShadow: boolean },
): boolean => {
  const end = performance.now() + REMOVAL_MS
  for (const table of [...listTables(database, REPLACED), ...(withShadow ? listTables(database, SHADOW) : [])]) {
    if (tableShape(database, table).isFullTextIndex) {
      forgetIndex(database, table)
      return true
    }
    if (!isEmptied(database, table, end)) return true
    database.exec(`DROP TABLE "${table}"`)
  }
  return false
}

/**
 * Makes a full-text index the ordinary tables that hold it. Otherwise a check of the file would find it damaged while its
 * rows are deleted.
 */
const forgetIndex = (database: Database.Database, table: string): void =>
  withInternals(database, () => {
    database.pragma('writable_schema = ON')
    try {
      database.prepare("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?").run(table)
      // Other connections read the schema again too.
      database.pragma(`schema_version = ${Number(database.pragma('schema_version', { simple: true })) + 1}`)
    } finally {
      database.pragma('writable_schema = RESET')
    }
  })

/** Deletes rows of a table until a time; true if none is left. */
const isEmptied = (database: Database.Database, table: string, end: number): boolean => {
  const key = primaryKey(database, table)
  const removeSome = database.prepare(
    `DELETE FROM "${table}" WHERE (${key}) IN (SELECT ${key} FROM "${table}" LIMIT ${REMOVED_ROWS})`,
  )
  while (removeSome.run().changes > 0) if (performance.now() > end) return false
  return true
}

/** The columns that identify a row of a table. */
const primaryKey = (database: Database.Database, table: string): string => {
  const { wr } = database.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").get(table) as {
    readonly wr: number
  }
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table) as string[]
  return wr ? columns.map((name) => `"${name}"`).join(', ') : 'rowid'
}

/** Runs work that may write to the table in which SQLite keeps the schema. */
const withInternals = (database: Database.Database, work: () => void): void => {
  database.unsafeMode(true)
  try {
    work()
  } finally {
    database.unsafeMode(false)
  }
}

/** An index of a table, as it is named on another table. */
const renamedIndex = ({ name, sql }: SchemaObject, table: string, prefix: string): SchemaObject => {
  const text = sql.replace(
    /^(CREATE (?:UNIQUE )?INDEX )"?\w+"? ON "?\w+"?/i,
    (_, words: string) => `${words}"${prefix}${name}" ON "${prefix}${table}"`,
  )
  if (text === sql) throw new Error(`cannot find the names in ${sql}`)
  return { name: prefix + name, sql: text }
}

/**
 * Creates the indexes of the live tables on the shadow tables, under other names. Skips those that exist. At the end of a
 * replay this is faster; but a deletion in a replay needs them, and so does a build that must not hold the lock of the
 * file for as long as an index takes.
 */
export const indexShadowTables = (database: Database.Database, tables: readonly string[]): void => {
  for (const { table, indexes } of tables.map((table) => tableShape(database, table)))
    for (const { sql } of indexes.map((index) => renamedIndex(index, table, SHADOW)))
      database.exec(sql.replace(/ INDEX /i, ' INDEX IF NOT EXISTS '))
}

export type SwapStep = 'swap' | 'renamed' | 'indexed'

/**
 * Replaces the live tables with the shadow tables, which have their indexes, with the same names of indexes and the same
 * triggers. Runs on an open transaction, and takes the same time for tables of any size. `removeTables` then removes the
 * replaced tables, and must have removed those of the last time.
 */
export const swapShadowTables = (
  database: Database.Database,
  tables: readonly string[],
  observe: (step: SwapStep) => void = () => {},
): void => {
  observe('swap')
  const shapes = tables.map((table) => tableShape(database, table))
  const triggers = shapes.flatMap((shape) => shape.triggers)
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`)
  // Otherwise SQLite would make triggers of other tables refer to the replaced tables.
  database.pragma('legacy_alter_table = ON')
  for (const { table } of shapes) {
    database.exec(`ALTER TABLE "${table}" RENAME TO "${REPLACED}${table}"`)
    database.exec(`ALTER TABLE "${shadowName(table)}" RENAME TO "${table}"`)
  }
  database.pragma('legacy_alter_table = OFF')
  observe('renamed')
  // SQLite has no statement that renames an index.
  withInternals(database, () => {
    database.pragma('writable_schema = ON')
    try {
      renameIndexes(database, shapes)
    } finally {
      // Reads the schema again.
      database.pragma('writable_schema = RESET')
    }
  })
  for (const { sql } of triggers) database.exec(sql)
  observe('indexed')
}

const renameIndexes = (database: Database.Database, shapes: readonly Shape[]): void => {
  const rename = database.prepare(
    "UPDATE sqlite_schema SET name = ?, sql = ? WHERE type = 'index' AND name = ? AND tbl_name = ?",
  )
  for (const { table, indexes } of shapes)
    for (const index of indexes) {
      const replaced = renamedIndex(index, table, REPLACED)
      rename.run(replaced.name, replaced.sql, index.name, REPLACED + table)
      const { changes } = rename.run(index.name, index.sql, shadowName(index.name), table)
      if (changes !== 1) throw new Error(`the shadow of index ${index.name} is missing`)
    }
}

/**
 * Redirects writes of these tables to the shadow tables. The texts come from a fixed set, so none is evicted. An LRU
 * cache with `memo` takes more than twice as long for each statement.
 */
export const toShadowTables = (tables: readonly string[]): ((statement: Statement) => Statement) => {
  const built = new Set(tables)
  const texts = new Map<string, string>()
  const textOf = (sql: string): string => {
    const text = texts.get(sql) ?? shadowText(sql, built)
    texts.set(sql, text)
    return text
  }
  return (statement) =>
    'table' in statement ? asShadowRows(statement, built) : { ...statement, sql: textOf(statement.sql) }
}

const asShadowRows = (statement: InsertRows, built: ReadonlySet<string>): Statement =>
  built.has(statement.table) ? { ...statement, table: shadowName(statement.table) } : rejectTable(statement.table)

/**
 * Renames the tables of a statement to their shadow tables: after INTO, FROM, UPDATE and JOIN, and before a dot. Throws
 * if a table is named anywhere else, or is not being built: the statement would use live tables.
 */
export const shadowText = (sql: string, built: ReadonlySet<string>): string => {
  const renamed = (name: string): string => (built.has(name) ? `"${shadowName(name)}"` : rejectTable(name))
  const text = sql
    .replace(/"?\b(\w+)\b"?(?=\s*\.\s*["\w])/g, (whole: string, name: string) =>
      built.has(name) ? renamed(name) : whole,
    )
    .replace(
      /\b(INTO|FROM|UPDATE|JOIN)(\s+)"?\b(\w+)\b"?(?!\s*\.)/gi,
      (whole: string, word: string, space: string, name: string) =>
        // In DO UPDATE SET, no table name follows UPDATE. A subquery after FROM does not match.
        name.toUpperCase() === 'SET' ? whole : `${word}${space}${renamed(name)}`,
    )
  for (const [, name = ''] of text.matchAll(/\b(\w+)\b/g))
    if (built.has(name)) throw new Error(`table ${name} is named where it cannot be renamed: ${sql}`)
  return text
}

const rejectTable = (table: string): never => {
  throw new Error(`table ${table} is not part of a read model that is being built`)
}
