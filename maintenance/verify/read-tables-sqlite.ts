import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTables } from '../../projections/index.ts'
import { listReadModels } from '../../projections/models.ts'
import { replayFrom, type ReplayPosition } from '../../projections/replay.ts'
import { createTablesLike } from '../../storage/sqlite/shadow-tables.ts'
import { entryOf } from '../../storage/search/search-index.ts'
import { connect, type Connection } from '../../storage/sqlite/connection.ts'
import { runSync } from '../../storage/commit/steps.ts'
import {
  comparable,
  describeChange,
  describeDifferences,
  describeRow,
  describeStray,
  type Reporters,
  type TableDifference,
} from './read-tables.ts'

type Options = Reporters & { readonly folder?: string }

/**
 * Compares every row of the read tables with a replay of the log into a temporary database, on the connection's open
 * snapshot. Writes nothing to the store. Returns how the tables differ, or null.
 */
export const compareTables = (
  snapshot: Connection,
  { progress = () => {}, comparing = () => {}, folder = tmpdir() }: Options = {},
): string | null => {
  const { tables, outdated } = comparable(snapshot.read(listReadModels))
  const replayFolder = mkdtempSync(join(folder, 'ers-verify-'))
  try {
    const file = join(replayFolder, 'replayed.db')
    replayInto(file, snapshot, progress)
    return compare(snapshot.database, file, tables, comparing) ?? outdated
  } finally {
    // Windows does not delete a file that is still attached.
    if (snapshot.database.inTransaction) snapshot.database.exec('ROLLBACK')
    for (const { name } of snapshot.database.pragma('database_list') as Array<{ name: string }>)
      if (name === 'replayed') snapshot.database.exec('DETACH replayed')
    rmSync(replayFolder, { recursive: true, force: true })
  }
}

const replayInto = (
  file: string,
  { database, read }: Connection,
  progress: (reached: ReplayPosition) => void,
): void => {
  const target = connect(file, { readonly: false })
  try {
    // This database is deleted after the comparison, so it needs no durability.
    target.database.pragma('journal_mode = OFF')
    target.database.pragma('synchronous = OFF')
    createTablesLike(database, target.database, readTables)
    const { next } = replayFrom(0)
    let reached: ReplayPosition
    do {
      reached = target.database.transaction(() => runSync(next(), { read, run: target.run }))()
      progress(reached)
    } while (reached.position < reached.size)
  } finally {
    target.close()
  }
}

const compare = (
  database: Connection['database'],
  file: string,
  tables: readonly string[],
  comparing: (table: string) => void,
): string | null => {
  database.prepare('ATTACH ? AS replayed').run(file)
  const differences: TableDifference[] = []
  for (const table of tables) {
    comparing(table)
    const difference = isSearchIndex(database, table)
      ? indexDifference(database, table)
      : rowDifference(database, table)
    if (difference !== null) differences.push({ table, difference })
  }
  return describeDifferences(differences)
}

const isSearchIndex = (database: Connection['database'], table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE VIRTUAL TABLE%'").get(table) !==
  undefined

type Row = Record<string, unknown>

/**
 * Describes the first row, in the order of the key, that is missing, changed, or not in the replay (stray); null if
 * there is none.
 */
const rowDifference = (database: Connection['database'], table: string): string | null => {
  const columns = database
    .prepare('SELECT name, pk FROM pragma_table_info(?, ?) ORDER BY cid')
    .all(table, 'main') as Array<{ name: string; pk: number }>
  const key = columns
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
  const columnList = (alias: string, names: readonly string[]): string =>
    names.map((name) => `${alias}."${name}"`).join(', ')
  const sameKey = key.map((name) => `m."${name}" = r."${name}"`).join(' AND ')
  const all = columns.map(({ name }) => name)

  const changed = database.prepare(`
    SELECT ${key.map((name) => `r."${name}" AS "${name}"`).join(', ')} FROM replayed."${table}" r LEFT JOIN main."${table}" m ON ${sameKey}
    WHERE (${columnList('m', all)}) IS NOT (${columnList('r', all)}) ORDER BY ${columnList('r', key)} LIMIT 1`)
  const row = changed.get() as Row | undefined
  if (row) {
    const rowIn = (schema: string): Row | undefined =>
      database
        .prepare(`SELECT * FROM ${schema}."${table}" WHERE ${key.map((name) => `"${name}" = ?`).join(' AND ')}`)
        .get(...key.map((name) => row[name])) as Row | undefined
    const [actual, expected] = [rowIn('main'), rowIn('replayed')]
    const wrong = actual && expected ? all.filter((name) => !isSame(actual[name], expected[name])) : []
    return describeChange(rowOf(database, row), actual ? wrong.join(', ') : null)
  }
  const extra = database.prepare(`
    SELECT ${key.map((name) => `m."${name}" AS "${name}"`).join(', ')} FROM main."${table}" m LEFT JOIN replayed."${table}" r ON ${sameKey}
    WHERE r."${key[0]}" IS NULL ORDER BY ${columnList('m', key)} LIMIT 1`)
  const stray = extra.get() as Row | undefined
  return stray ? describeStray(rowOf(database, stray)) : null
}

const isSame = (a: unknown, b: unknown): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : Object.is(a, b)

/** Names a row by its key, and by its run if the key has one. */
const rowOf = (database: Connection['database'], key: Row): string =>
  describeRow(key, typeof key['run_no'] === 'number' ? runOf(database, key['run_no']) : null)

const runOf = (database: Connection['database'], run_no: number): string | null => {
  for (const schema of ['replayed', 'main']) {
    const id = database.prepare(`SELECT id FROM ${schema}.runs WHERE run_no = ?`).pluck().get(run_no) as
      | string
      | undefined
    if (id !== undefined) return id
  }
  return null
}

/**
 * Compares a full-text index that stores no texts: the positions of the words, by a checksum for each word, and the
 * numbers that ranking uses. The segments are not compared, because they depend on the order of writes.
 */
const indexDifference = (database: Connection['database'], table: string): string | null => {
  const words = wordDifference(database, table)
  if (words !== null) return words
  const lengths = (a: string, b: string): number | undefined =>
    database
      .prepare(
        `SELECT a.id FROM ${a}."${table}_docsize" a LEFT JOIN ${b}."${table}_docsize" b ON b.id = a.id WHERE b.sz IS NOT a.sz ORDER BY a.id LIMIT 1`,
      )
      .pluck()
      .get() as number | undefined
  const wrong = lengths('replayed', 'main') ?? lengths('main', 'replayed')
  if (wrong !== undefined) return `the stored lengths of ${caseOf(database, wrong)} differ`
  // A block of zeros counts as an empty one: an index that never had a row and an index whose rows were all deleted
  // store this differently.
  const totals = (schema: string): string => {
    const block = database.prepare(`SELECT hex(block) FROM ${schema}."${table}_data" WHERE id = 1`).pluck().get() as
      | string
      | undefined
    return (block ?? '').replaceAll('0', '') === '' ? '' : (block ?? '')
  }
  return totals('main') === totals('replayed') ? null : 'the totals that ranking uses differ'
}

const MODULUS = 4294967291

const wordDifference = (database: Connection['database'], table: string): string | null => {
  const schemas = ['main', 'replayed'] as const
  for (const schema of schemas)
    database.exec(`CREATE VIRTUAL TABLE temp.words_${schema} USING fts5vocab('${schema}', '${table}', 'instance')`)
  try {
    const [main, replayed] = schemas.map((schema) =>
      // Every intermediate value fits into 64 bits, and so does the sum for two thousand million positions. The first
      // letter of a column name is enough, because it is different for each column.
      database
        .prepare(`
          SELECT term, count(*), sum((((doc % ${MODULUS}) * 1048576 + "offset" * 128 + unicode(col)) % ${MODULUS}) * 1073741789 % ${MODULUS})
          FROM temp.words_${schema} GROUP BY term`)
        .raw()
        .iterate(),
    ) as [IterableIterator<Word>, IterableIterator<Word>]
    const term = firstDifferentWord(main, replayed)
    if (term === null) return null
    const positions = schemas.map((schema) =>
      database.prepare(`SELECT doc, col, "offset" FROM temp.words_${schema} WHERE term = ?`).raw().iterate(term),
    ) as [IterableIterator<Position>, IterableIterator<Position>]
    const doc = firstDifferentRow(...positions)
    return `the word ${JSON.stringify(term)} has wrong positions in ${doc === null ? 'some row' : caseOf(database, doc)}`
  } finally {
    for (const schema of schemas) database.exec(`DROP TABLE temp.words_${schema}`)
  }
}

type Word = readonly [term: string, count: number, sum: number]
type Position = readonly [doc: number, col: string, offset: number]

/** Returns the first difference of two sorted iterators: the earlier value, which the other one lacks. */
const firstDifference = <T>(
  a: IterableIterator<T>,
  b: IterableIterator<T>,
  isEarlier: (x: T, y: T) => boolean,
): T | null => {
  try {
    for (;;) {
      const [x, y] = [a.next(), b.next()]
      if (x.done && y.done) return null
      if (x.done) return y.value as T
      if (y.done) return x.value
      if (JSON.stringify(x.value) !== JSON.stringify(y.value)) return isEarlier(x.value, y.value) ? x.value : y.value
    }
  } finally {
    // An open iterator would block its statement, and with it the connection.
    a.return?.()
    b.return?.()
  }
}

const firstDifferentWord = (a: IterableIterator<Word>, b: IterableIterator<Word>): string | null =>
  firstDifference(a, b, ([x], [y]) => Buffer.compare(Buffer.from(x), Buffer.from(y)) < 0)?.[0] ?? null

const firstDifferentRow = (a: IterableIterator<Position>, b: IterableIterator<Position>): number | null =>
  firstDifference(a, b, ([x], [y]) => x < y)?.[0] ?? null

const caseOf = (database: Connection['database'], rowid: number): string => {
  const { run_no, n } = entryOf(rowid)
  const run = runOf(database, run_no) ?? `number ${run_no}`
  return n === null ? `run ${run}` : `case ${n} of run ${run}`
}
