import type Database from 'better-sqlite3'
import { readTables as names } from '../../../projections/index.ts'

/**
 * Returns every row of every read table in a fixed order, and the content of the full-text indexes: each word with its
 * position, and the numbers for ranking.
 */
export const readTables = (database: Database.Database): Record<string, unknown[]> =>
  Object.fromEntries(
    names.flatMap((table) =>
      isIndex(database, table) ? indexOf(database, table) : [[table, rowsOf(database, table)]],
    ),
  )

const isIndex = (database: Database.Database, table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE VIRTUAL TABLE%'").get(table) !==
  undefined

const indexOf = (database: Database.Database, table: string): Array<[string, unknown[]]> => {
  database.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_${table} USING fts5vocab('main', '${table}', 'instance')`,
  )
  database.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
  return [
    [
      `words of ${table}`,
      database
        .prepare(`SELECT doc, col, "offset", term FROM temp.words_of_${table} ORDER BY doc, col, "offset", term`)
        .raw()
        .all(),
    ],
    [`lengths of ${table}`, database.prepare(`SELECT id, sz FROM ${table}_docsize ORDER BY id`).raw().all()],
    // All zeros become one text: an index that never had a row and one whose rows were deleted store them differently.
    [
      `averages of ${table}`,
      database
        .prepare(
          `SELECT CASE WHEN replace(hex(block), '0', '') = '' THEN '' ELSE hex(block) END FROM ${table}_data WHERE id = 1`,
        )
        .pluck()
        .all(),
    ],
  ]
}

const rowsOf = (database: Database.Database, table: string): unknown[] => {
  const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table) as string[]
  const columnList = columns.map((column) => `"${column}"`).join(', ')
  return database.prepare(`SELECT ${columnList} FROM "${table}" ORDER BY ${columnList}`).all()
}
