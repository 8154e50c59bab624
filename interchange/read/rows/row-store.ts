import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from '../json/json-elements.ts'

/** Rows on disk, in a temporary file that is deleted at the end of `using`. They are read group by group, in the order of the groups' first rows. */
export type RowStore = {
  readonly add: (run: string, cell: string, number: number, body: string) => void
  /** The runs in the order of their first rows. */
  readonly runs: () => readonly string[]
  /** The rows of a run: those of one cell follow each other. */
  readonly rowsOf: (run: string) => IterableIterator<StoredRow>
  /** The rows of a run at once. Throws `SourceRefused` if they are larger than one element of a file may be. */
  readonly allOf: (run: string) => readonly StoredRow[]
  /** Whether the rows of each cell stood together, and those of each run. */
  readonly stoodTogether: () => boolean
  readonly [Symbol.dispose]: () => void
}

export type StoredRow = { readonly cell: string; readonly number: number; readonly body: string }

const ROWS_PER_TRANSACTION = 20_000

export const openRowStore = (maxGroupBytes = MAX_ELEMENT_BYTES): RowStore => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-import-'))
  const database = new Database(join(folder, 'rows.db'))
  // The file is deleted at the end: nothing has to survive a crash.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'temp_store = FILE', 'cache_size = -32000'])
    database.pragma(setting)
  database.exec(
    'CREATE TABLE rows (run TEXT NOT NULL, cell TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL)',
  )
  const insert = database.prepare<[string, string, number, string]>('INSERT INTO rows VALUES (?, ?, ?, ?)')
  let inTransaction = 0
  let last: { readonly run: string; readonly cell: string } | null = null
  let changes = 0
  let isIndexed = false

  const commit = () => {
    if (inTransaction > 0) database.exec('COMMIT')
    inTransaction = 0
  }
  const index = () => {
    commit()
    if (!isIndexed) database.exec('CREATE INDEX by_cell ON rows (run, cell, number)')
    isIndexed = true
  }
  const rowsOf = (run: string): IterableIterator<StoredRow> => {
    index()
    return database
      .prepare<[{ readonly run: string }], StoredRow>(
        `SELECT cell, number, body FROM rows
         JOIN (SELECT cell, min(number) AS first FROM rows WHERE run = @run GROUP BY cell) USING (cell)
         WHERE run = @run ORDER BY first, number`,
      )
      .iterate({ run })
  }
  return {
    add: (run, cell, number, body) => {
      if (inTransaction === 0) database.exec('BEGIN')
      insert.run(run, cell, number, body)
      if (last?.run !== run || last.cell !== cell) changes += 1
      last = { run, cell }
      inTransaction += 1
      if (inTransaction >= ROWS_PER_TRANSACTION) commit()
    },
    runs: () => {
      index()
      return database
        .prepare<[], { run: string }>('SELECT run FROM rows GROUP BY run ORDER BY min(number)')
        .all()
        .map(({ run }) => run)
    },
    rowsOf,
    allOf: (run) => {
      const rows: StoredRow[] = []
      const limit = sizeLimit(run, maxGroupBytes)
      for (const row of rowsOf(run)) {
        limit.add(row.body)
        rows.push(row)
      }
      return rows
    },
    stoodTogether: () => {
      index()
      const groups = database
        .prepare<[], { count: number }>('SELECT count(*) AS count FROM (SELECT 1 FROM rows GROUP BY run, cell)')
        .get()
      return changes === (groups?.count ?? 0)
    },
    [Symbol.dispose]: () => {
      database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Counts the text of rows that have to be in memory together. Throws `SourceRefused` if it becomes too long. */
export const sizeLimit = (name: string, limit = MAX_ELEMENT_BYTES) => {
  let size = 0
  return {
    add: (body: string): void => {
      size += body.length
      if (size > limit)
        throw new SourceRefused(`${name.slice(0, 100)}: rows that belong together are larger than ${limit} bytes`)
    },
  }
}
