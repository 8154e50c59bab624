import type Database from 'better-sqlite3'

const TABLES = ['runs', 'run_tags', 'run_configs', 'cases', 'matrices', 'matrix_rows', 'sets', 'suite_series', 'baselines'] as const

/** Every row of every read table in a fixed order, and all that the full-text index holds: each word in its place, and what ranking counts with. */
export const readTables = (database: Database.Database): Record<string, unknown[]> => {
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'search', 'instance')")
  database.exec("INSERT INTO search (search) VALUES ('integrity-check')")
  return {
    ...Object.fromEntries(TABLES.map((table) => [table, rowsOf(database, table)])),
    words: database.prepare('SELECT doc, col, "offset", term FROM temp.words ORDER BY doc, col, "offset", term').raw().all(),
    lengths: database.prepare('SELECT id, sz FROM search_docsize ORDER BY id').raw().all(),
    // An index that never held a row and one whose rows went write their zeros differently.
    averages: database.prepare("SELECT CASE WHEN replace(hex(block), '0', '') = '' THEN '' ELSE hex(block) END FROM search_data WHERE id = 1").pluck().all(),
  }
}

const rowsOf = (database: Database.Database, table: string): unknown[] => {
  const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table) as string[]
  const all = columns.map((column) => `"${column}"`).join(', ')
  return database.prepare(`SELECT ${all} FROM "${table}" ORDER BY ${all}`).all()
}
