import Database from 'better-sqlite3'
import { migrationsOf, missingMigrations, type Migration } from '../disk/migrations.ts'
import { differencesOf, schemaParts, type Difference, type Kind, type Part, type Parts } from '../disk/schema-parts.ts'
import type { Connection } from './connection.ts'
import { appliedIn, CREATE_RECORD } from './migrate.ts'
import { clausesOf, elementsOf, sqlWords } from './sql-words.ts'

// A schema as SQLite's catalogue describes it: columns and keys, and the words of the CREATE text where the catalogue
// has nothing else.

/** The parts that each set of migrations creates, cached by the texts of the migrations. */
const expectedByTexts = new Map<string, Parts>()

/** The parts that the migrations create, applied in order. */
const expectedSchema = (migrations: readonly Migration[]): Parts => {
  const texts = migrations.map(({ text }) => text).join('\n')
  const parts = expectedByTexts.get(texts) ?? createParts(migrations)
  expectedByTexts.set(texts, parts)
  return parts
}

const createParts = (migrations: readonly Migration[]): Parts => {
  const database = new Database(':memory:')
  try {
    database.exec(CREATE_RECORD)
    for (const { text } of migrations) database.exec(text)
    return readSqlite(database)
  } finally {
    database.close()
  }
}

/**
 * The parts of a file that belong to the given tables (default: all). They include every trigger on these tables and on
 * the `fresh_` and `stale_` tables of a build. The internal tables of a full-text index are left out: SQLite allows no triggers on
 * them.
 */
const readSqlite = (database: Database.Database, given?: ReadonlySet<string>): Parts => {
  const tables = listTables(database)
  const texts = listTexts(database)
  const isGiven = (name: string): boolean => given?.has(name.toLowerCase()) ?? true
  const own = tables.filter(({ name, type }) => type !== 'shadow' && isGiven(name))
  const names = new Set(own.map(({ name }) => name))
  const isRelevant = ({ tbl_name }: Text): boolean =>
    isGiven(tbl_name) || isGiven(tbl_name.replace(/^(?:fresh|stale)_/i, ''))
  const isOwn = ({ table }: { readonly table: string }): boolean => names.has(table)
  return schemaParts([
    ...tableParts(own, texts, listReferences(database)),
    ...listColumns(database).filter(isOwn).map(columnPart),
    ...indexParts(listIndexed(database).filter(isOwn), texts),
    ...texts
      .filter((text) => text.type === 'trigger' && isRelevant(text))
      .map(({ name, tbl_name, sql }) => part('trigger', `${tbl_name}.${name}`, sqlWords(sql))),
  ])
}

/**
 * The differences between a service's file and what its applied migrations create; none if it was never migrated.
 * Throws `SchemaMismatch` if another build migrated it.
 */
export const differencesInSqlite = (connection: Connection): Difference[] => {
  const all = migrationsOf('service', 'sqlite')
  const applied = appliedIn(connection)
  missingMigrations(all, applied)
  // A file that has events is not new, even if its record of migrations was deleted.
  const hasEvents = connection.database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined
  if (!hasEvents && applied.length === 0) return []
  const expected = expectedSchema(applied.length === 0 ? all : all.slice(0, applied.length))
  // Tables of migrations that are not recorded must not be there: a row of the record may have been removed.
  const tables = new Set([...tablesIn(expected), ...tablesIn(expectedSchema(all))])
  return differencesOf(expected, readSqlite(connection.database, tables))
}

/** The names of the tables among parts. */
const tablesIn = (parts: Parts): Set<string> =>
  new Set([...parts.keys()].filter((key) => key.startsWith('table ')).map((key) => key.slice('table '.length)))

const part = (kind: Kind, name: string, words: readonly unknown[]): Part => ({
  kind,
  name: name.toLowerCase(),
  definition: words.map(String).join(' '),
})

// Each of these functions runs one query for the whole file: one query per table would take ten times as long.

type Table = {
  readonly name: string
  readonly type: 'table' | 'view' | 'shadow' | 'virtual'
  readonly wr: number
  readonly strict: number
}

const listTables = (database: Database.Database): Table[] =>
  database
    .prepare(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as Table[]

type Text = { readonly type: string; readonly name: string; readonly tbl_name: string; readonly sql: string }

const listTexts = (database: Database.Database): Text[] =>
  database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all() as Text[]

type Column = {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

const listColumns = (database: Database.Database): Column[] =>
  database
    .prepare(
      `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
      FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.schema = 'main' AND t.type = 'table'`,
    )
    .all() as Column[]

type Indexed = {
  readonly table: string
  readonly name: string
  readonly unique: number
  readonly origin: 'c' | 'u' | 'pk'
  readonly column: string | null
  readonly coll: string
  readonly desc: number
}

/** The columns of every index, in order. */
const listIndexed = (database: Database.Database): Indexed[] =>
  database
    .prepare(`
      SELECT t.name AS "table", i.name, i."unique", i.origin, x.name AS "column", x.coll, x."desc"
      FROM pragma_table_list t JOIN pragma_index_list(t.name) i JOIN pragma_index_xinfo(i.name) x
      WHERE t.schema = 'main' AND t.type = 'table' AND x.key`)
    .all() as Indexed[]

type Reference = { readonly table: string; readonly text: string }

const listReferences = (database: Database.Database): Reference[] =>
  database
    .prepare(`
      SELECT t.name AS "table", concat_ws(' ', 'references', f."table", f."from", f."to", f.on_update, f.on_delete) AS text
      FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f WHERE t.schema = 'main' AND t.type = 'table'`)
    .all() as Reference[]

const tableParts = (tables: readonly Table[], texts: readonly Text[], references: readonly Reference[]): Part[] => {
  const sqlOf = new Map(
    texts.filter(({ type }) => type === 'table' || type === 'view').map(({ name, sql }) => [name, sql]),
  )
  return tables.map(({ name, type, wr, strict }) => {
    const words = sqlWords(sqlOf.get(name) ?? '')
    if (type !== 'table') return part('table', name, [type, ...words.slice(words.indexOf('using'))])
    const clauses = elementsOf(words).flatMap((element) =>
      clausesOf(element).map((clause) => `${element[0]} ${clause}`),
    )
    const foreignKeys = references.filter(({ table }) => table === name).map(({ text }) => text)
    return part('table', name, [
      type,
      wr ? 'without rowid' : 'rowid',
      strict ? 'strict' : 'loose',
      ...clauses.toSorted(),
      ...foreignKeys.toSorted(),
    ])
  })
}

const columnPart = ({ table, name, type, notnull, dflt_value, pk, hidden }: Column): Part =>
  part('column', `${table}.${name}`, [
    type.toLowerCase(),
    notnull ? 'not null' : 'null',
    `default ${dflt_value}`,
    `key ${pk}`,
    `hidden ${hidden}`,
  ])

/**
 * An automatic index of a key is identified by its columns, because its name depends on the number of keys of the
 * table.
 */
const indexParts = (indexed: readonly Indexed[], texts: readonly Text[]): Part[] => {
  const sqlOf = new Map(texts.filter(({ type }) => type === 'index').map(({ name, sql }) => [name, sql]))
  return [...Map.groupBy(indexed, ({ name }) => name)].map(([name, columns]) => {
    const { table = '', unique = 0, origin = 'c' } = columns[0] ?? {}
    const keyColumns = columns
      .map(({ column, coll, desc }) => `${column ?? 'expression'} ${coll}${desc ? ' desc' : ''}`)
      .join(', ')
    if (origin !== 'c') return part('key', `${table} (${keyColumns})`, [origin])
    const words = sqlWords(sqlOf.get(name) ?? '')
    const isPlain = columns.every(({ column }) => column !== null)
    return part('index', `${table}.${name}`, [
      unique ? 'unique' : 'plain',
      keyColumns,
      ...(words.includes('where') ? words.slice(words.indexOf('where')) : []),
      ...(isPlain ? [] : words),
    ])
  })
}
