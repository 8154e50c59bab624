import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTables } from '../../projections/index.ts'
import { listActive, outdatedProjections, replayFrom } from '../../projections/replay.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import { createTablesLike } from '../../storage/sqlite/shadow-tables.ts'
import { placeOf } from '../../storage/search/search-index.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { runAtOnce } from '../../storage/commit/steps.ts'

type Options = {
  readonly progress?: (reached: ReplayPosition) => void
  readonly comparing?: (table: string) => void
  readonly folder?: string
}

/**
 * Compares the read tables, row for row, with a replay of the log into a temporary database; nothing is written to the
 * store. All is read on the connection's open snapshot. Answers how they differ, or null.
 */
export const compareTables = (
  snapshot: Connection,
  { progress = () => {}, comparing = () => {}, folder = tmpdir() }: Options = {},
): string | null => {
  const old = outdatedProjections(snapshot.read(listActive))
  if (old.length > 0)
    return `the read tables of ${old.join(', ')} were not written by this version: start the service, or run "ers rebuild", then compare again`
  const dir = mkdtempSync(join(folder, 'ers-verify-'))
  try {
    const file = join(dir, 'replayed.db')
    replayInto(file, snapshot, progress)
    return compare(snapshot.database, file, comparing)
  } finally {
    // Windows keeps a file that is still attached.
    if (snapshot.database.inTransaction) snapshot.database.exec('ROLLBACK')
    for (const { name } of snapshot.database.pragma('database_list') as Array<{ name: string }>)
      if (name === 'replayed') snapshot.database.exec('DETACH replayed')
    rmSync(dir, { recursive: true, force: true })
  }
}

const replayInto = (
  file: string,
  { database, read }: Connection,
  progress: (reached: ReplayPosition) => void,
): void => {
  const target = connect(file, { readonly: false })
  try {
    // Nothing here outlives the comparison.
    target.database.pragma('journal_mode = OFF')
    target.database.pragma('synchronous = OFF')
    createTablesLike(database, target.database, readTables)
    const { next } = replayFrom(0)
    let reached: ReplayPosition
    do {
      reached = target.database.transaction(() => runAtOnce(next(), { read, run: target.run }))()
      progress(reached)
    } while (reached.position < reached.size)
  } finally {
    target.close()
  }
}

const compare = (database: Connection['database'], file: string, comparing: (table: string) => void): string | null => {
  database.prepare('ATTACH ? AS replayed').run(file)
  const found: Array<{ readonly table: string; readonly difference: string }> = []
  for (const table of readTables) {
    comparing(table)
    const difference = isIndex(database, table) ? indexDifference(database, table) : rowDifference(database, table)
    if (difference !== null) found.push({ table, difference })
  }
  const [first, ...others] = found
  if (!first) return null
  const also = others.length === 0 ? '' : `; so are ${others.map(({ table }) => table).join(', ')}`
  return `${found.length} of ${readTables.length} read tables are not what the log gives. ${first.table}: ${first.difference}${also}. "ers rebuild" makes them anew`
}

const isIndex = (database: Connection['database'], table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE VIRTUAL TABLE%'").get(table) !==
  undefined

type Row = Record<string, unknown>

/** The first row, in the order of the key, that is missing, changed or too many. */
const rowDifference = (database: Connection['database'], table: string): string | null => {
  const columns = database
    .prepare('SELECT name, pk FROM pragma_table_info(?, ?) ORDER BY cid')
    .all(table, 'main') as Array<{ name: string; pk: number }>
  const key = columns
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
  const list = (of: string, names: readonly string[]): string => names.map((name) => `${of}."${name}"`).join(', ')
  const on = key.map((name) => `m."${name}" = r."${name}"`).join(' AND ')
  const all = columns.map(({ name }) => name)

  const changed = database.prepare(`
    SELECT ${key.map((name) => `r."${name}" AS "${name}"`).join(', ')} FROM replayed."${table}" r LEFT JOIN main."${table}" m ON ${on}
    WHERE (${list('m', all)}) IS NOT (${list('r', all)}) ORDER BY ${list('r', key)} LIMIT 1`)
  const row = changed.get() as Row | undefined
  if (row) {
    const at = (schema: string): Row | undefined =>
      database
        .prepare(`SELECT * FROM ${schema}."${table}" WHERE ${key.map((name) => `"${name}" = ?`).join(' AND ')}`)
        .get(...key.map((name) => row[name])) as Row | undefined
    const [is, should] = [at('main'), at('replayed')]
    const wrong = is && should ? all.filter((name) => !same(is[name], should[name])) : []
    return is ? `${told(database, row)} differs in ${wrong.join(', ')}` : `${told(database, row)} is missing`
  }
  const extra = database.prepare(`
    SELECT ${key.map((name) => `m."${name}" AS "${name}"`).join(', ')} FROM main."${table}" m LEFT JOIN replayed."${table}" r ON ${on}
    WHERE r."${key[0]}" IS NULL ORDER BY ${list('m', key)} LIMIT 1`)
  const stray = extra.get() as Row | undefined
  return stray ? `${told(database, stray)} should not be there` : null
}

const same = (a: unknown, b: unknown): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : Object.is(a, b)

/** A row by its key, and by the run it belongs to where it has one. */
const told = (database: Connection['database'], row: Row): string => {
  const key = Object.entries(row)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')
  const run = typeof row['run_no'] === 'number' ? runOf(database, row['run_no']) : null
  return run === null ? `the row of ${key}` : `the row of ${key} (run ${run})`
}

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
 * What a full-text index without its texts can tell: the words in their places, by a checksum for each word, and what
 * ranking counts with. The segments themselves depend on the order of writes.
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
  if (wrong !== undefined) return `the lengths noted of ${placeTold(database, wrong)} differ`
  // An index that never held a row and one whose rows went write their zeros differently.
  const totals = (schema: string): string => {
    const block = database.prepare(`SELECT hex(block) FROM ${schema}."${table}_data" WHERE id = 1`).pluck().get() as
      | string
      | undefined
    return (block ?? '').replaceAll('0', '') === '' ? '' : (block ?? '')
  }
  return totals('main') === totals('replayed') ? null : 'the totals that ranking counts with differ'
}

const MODULUS = 4294967291

const wordDifference = (database: Connection['database'], table: string): string | null => {
  const sides = ['main', 'replayed'] as const
  for (const schema of sides)
    database.exec(`CREATE VIRTUAL TABLE temp.words_${schema} USING fts5vocab('${schema}', '${table}', 'instance')`)
  try {
    const [main, replayed] = sides.map((schema) =>
      // Small enough at every step for 64 bits, and the sum for two thousand million places. Columns differ in their
      // first letter.
      database
        .prepare(`
          SELECT term, count(*), sum((((doc % ${MODULUS}) * 1048576 + "offset" * 128 + unicode(col)) % ${MODULUS}) * 1073741789 % ${MODULUS})
          FROM temp.words_${schema} GROUP BY term`)
        .raw()
        .iterate(),
    ) as [IterableIterator<Word>, IterableIterator<Word>]
    const term = firstOther(main, replayed)
    if (term === null) return null
    const places = sides.map((schema) =>
      database.prepare(`SELECT doc, col, "offset" FROM temp.words_${schema} WHERE term = ?`).raw().iterate(term),
    ) as [IterableIterator<Place>, IterableIterator<Place>]
    const doc = firstOtherPlace(...places)
    return `the word ${JSON.stringify(term)} does not stand where it should in ${doc === null ? 'some row' : placeTold(database, doc)}`
  } finally {
    for (const schema of sides) database.exec(`DROP TABLE temp.words_${schema}`)
  }
}

type Word = readonly [term: string, count: number, sum: number]
type Place = readonly [doc: number, col: string, offset: number]

/** Goes through both in step and answers where they part: the earlier of the two, since the other side lacks it. */
const firstApart = <T>(
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
    // An iterator left open would hold its statement, and with it the connection.
    a.return?.()
    b.return?.()
  }
}

const firstOther = (a: IterableIterator<Word>, b: IterableIterator<Word>): string | null =>
  firstApart(a, b, ([x], [y]) => Buffer.compare(Buffer.from(x), Buffer.from(y)) < 0)?.[0] ?? null

const firstOtherPlace = (a: IterableIterator<Place>, b: IterableIterator<Place>): number | null =>
  firstApart(a, b, ([x], [y]) => x < y)?.[0] ?? null

const placeTold = (database: Connection['database'], rowid: number): string => {
  const { run_no, n } = placeOf(rowid)
  const run = runOf(database, run_no) ?? `number ${run_no}`
  return n === null ? `run ${run}` : `case ${n} of run ${run}`
}
