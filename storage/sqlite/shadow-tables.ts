import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { InsertRows, Statement } from '../storage.ts'

// Tables that are built next to the live ones under other names, and then replace them in one transaction.

const PREFIX = 'fresh_'

const shadowName = (table: string): string => PREFIX + table

type SchemaObject = { readonly name: string; readonly sql: string }

/** A table as it was created, with its indexes and triggers. */
type Shape = {
  readonly table: string
  readonly create: string
  readonly isFullTextIndex: boolean
  readonly indexes: readonly SchemaObject[]
  readonly triggers: readonly SchemaObject[]
}

const shapeOf = (database: Database.Database, table: string): Shape => {
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

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** A digest of the versions and definitions of tables. A build that was started for another digest cannot be used. */
export const planOf = (database: Database.Database, tables: readonly string[], versions: unknown): string =>
  digestOf([versions, tables.map((table) => shapeOf(database, table).create)])

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
  const shape = shapeOf(from, table)
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

/** Drops the tables of earlier builds, then creates empty shadow tables. The swap creates their indexes. */
export const createShadowTables = (database: Database.Database, tables: readonly string[]): void => {
  dropShadowTables(database)
  for (const table of tables) createEmpty(database, table, database, shadowName(table))
}

/** Creates tables of the same shape and name in another, empty database. */
export const createTablesLike = (from: Database.Database, to: Database.Database, tables: readonly string[]): void => {
  for (const table of tables) createEmpty(from, table, to, table)
}

/** Whether all shadow tables exist. */
export const hasShadowTables = (database: Database.Database, tables: readonly string[]): boolean => {
  const found = new Set(listShadowTables(database))
  return tables.every((table) => found.has(shadowName(table)))
}

/** Drops every shadow table. */
export const dropShadowTables = (database: Database.Database): void => {
  for (const name of listShadowTables(database)) database.exec(`DROP TABLE "${name}"`)
}

// A virtual table creates and drops its internal tables itself.
const listShadowTables = (database: Database.Database): string[] =>
  database
    .prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name GLOB '${PREFIX}*'`,
    )
    .pluck()
    .all() as string[]

/**
 * Creates the indexes of the live tables on the shadow tables, for a build that must delete rows: without them, each
 * deletion would scan whole tables. They have other names, and SQLite cannot rename an index, so the swap creates the
 * indexes again.
 */
export const indexShadowTables = (database: Database.Database, tables: readonly string[]): void => {
  for (const { table, indexes } of tables.map((table) => shapeOf(database, table)))
    for (const { name, sql } of indexes) {
      const text = sql.replace(
        /^(CREATE (?:UNIQUE )?INDEX )"?\w+"? ON "?\w+"?/i,
        (_, words: string) => `${words}IF NOT EXISTS "${shadowName(name)}" ON "${shadowName(table)}"`,
      )
      if (text === sql) throw new Error(`cannot find the names in ${sql}`)
      database.exec(text)
    }
}

export type SwapStep = 'swap' | 'dropped' | 'renamed' | 'indexed'

/** Replaces the live tables with the shadow tables, with the same indexes and triggers. Runs on an open transaction. */
export const swapShadowTables = (
  database: Database.Database,
  tables: readonly string[],
  observe: (step: SwapStep) => void = () => {},
): void => {
  observe('swap')
  const shapes = tables.map((table) => shapeOf(database, table))
  const shadowIndexes = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND name GLOB '${PREFIX}*'`)
    .pluck()
    .all() as string[]
  for (const name of shadowIndexes) database.exec(`DROP INDEX "${name}"`)
  for (const { table } of shapes) database.exec(`DROP TABLE "${table}"`)
  observe('dropped')
  for (const { table } of shapes) database.exec(`ALTER TABLE "${shadowName(table)}" RENAME TO "${table}"`)
  observe('renamed')
  for (const { indexes, triggers } of shapes) for (const { sql } of [...indexes, ...triggers]) database.exec(sql)
  observe('indexed')
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
