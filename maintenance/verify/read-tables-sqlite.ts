import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTables } from '../../projections/index.ts'
import { listReadModels } from '../../projections/models.ts'
import { replayFrom, type ReplayPosition } from '../../projections/replay.ts'
import { createTablesLike, hasShadowTables, rebuildPlan, shadowName } from '../../storage/sqlite/shadow-tables.ts'
import { searchEntry } from '../../storage/search/search-index.ts'
import { withMoved } from '../../storage/objects/moved-documents.ts'
import { connect, type Connection } from '../../storage/sqlite/connection.ts'
import { ask, runSync } from '../../storage/commit/steps.ts'
import { constant } from '../../storage/sql.ts'
import { findBuiltTables } from './built-tables.ts'
import {
  comparableTables,
  describeChange,
  describeDifferences,
  describeOutdated,
  describeRow,
  describeStray,
  nameOfBuilt,
  type Reporters,
  type TableDifference,
} from './read-tables.ts'

type Options = Reporters & { readonly folder?: string }

/**
 * Compares every row of the read tables with a replay of the log into a temporary database, on the connection's open
 * snapshot. Writes nothing to the store. Returns how the tables differ, or null.
 */
export const compareTables = async (
  snapshot: Connection,
  { progress = () => {}, comparing = () => {}, moved, folder = tmpdir() }: Options = {},
): Promise<string | null> => {
  const stored = snapshot.read(listReadModels)
  const { database } = snapshot
  const built = runSync(
    findBuiltTables({
      planOf: (tables, versions) => ask(constant(rebuildPlan(database, tables, versions))),
      hasTables: (tables) => ask(constant(hasShadowTables(database, tables))),
    }),
    snapshot,
  )
  const replayFolder = mkdtempSync(join(folder, 'ers-verify-'))
  try {
    const files = { built: join(replayFolder, 'built.db'), head: join(replayFolder, 'head.db') }
    const differences: TableDifference[] = []
    const compare = (file: string, tables: readonly string[], sides: Sides): void => {
      database.prepare(`ATTACH ? AS ${sides.replayed}`).run(file)
      for (const table of tables) {
        const name = sides.nameOf(table)
        comparing(name)
        const difference = isSearchIndex(database, table)
          ? indexDifference(database, table, sides)
          : rowDifference(database, table, sides)
        if (difference !== null) differences.push({ table: name, difference })
      }
    }
    await replayInto(files.head, snapshot, { progress, moved, stopAt: built?.position ?? 0, copy: files.built })
    if (built && existsSync(files.built)) compare(files.built, built.tables, BUILT)
    compare(files.head, comparableTables(stored), LIVE)
    return describeDifferences(differences) ?? describeOutdated(stored, built)
  } finally {
    // Windows does not delete a file that is still attached.
    if (database.inTransaction) database.exec('ROLLBACK')
    for (const { name } of database.pragma('database_list') as Array<{ name: string }>)
      if (name.startsWith('replayed')) database.exec(`DETACH ${name}`)
    rmSync(replayFolder, { recursive: true, force: true })
  }
}

/** Which tables of the store are compared, and the attached database with the replayed ones. */
type Sides = {
  readonly tableOf: (table: string) => string
  readonly nameOf: (table: string) => string
  readonly replayed: 'replayed' | 'replayed_built'
}
const LIVE: Sides = { tableOf: (table) => table, nameOf: (table) => table, replayed: 'replayed' }
const BUILT: Sides = { tableOf: shadowName, nameOf: nameOfBuilt, replayed: 'replayed_built' }

type Replay = Pick<Reporters, 'moved'> & {
  readonly progress: (reached: ReplayPosition) => void
  /** After this position, the tables are copied: the replay goes on. */
  readonly stopAt: number
  readonly copy: string
}

const replayInto = async (
  file: string,
  { database, read }: Connection,
  { progress, moved, stopAt, copy }: Replay,
): Promise<void> => {
  const target = connect(file, { readonly: false })
  try {
    // This database is deleted after the comparison, so it needs no durability.
    target.database.pragma('journal_mode = OFF')
    target.database.pragma('synchronous = OFF')
    createTablesLike(database, target.database, readTables)
    let [replay, position] = [replayFrom(0, { stopAt, moved }), 0]
    const replayNext = (): ReplayPosition => {
      try {
        return target.database.transaction(() => runSync(replay.next(), { read, run: target.run }))()
      } catch (error) {
        replay = replayFrom(position, { stopAt, moved })
        throw error
      }
    }
    let reached: ReplayPosition
    do {
      reached = await withMoved(moved, replayNext)
      position = reached.position
      progress(reached)
      if (reached.position === stopAt) target.database.prepare('VACUUM INTO ?').run(copy)
    } while (reached.position < reached.size)
  } finally {
    target.close()
  }
}

const isSearchIndex = (database: Connection['database'], table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE VIRTUAL TABLE%'").get(table) !==
  undefined

type Row = Record<string, unknown>

/**
 * Describes the first row, in the order of the key, that is missing, changed, or not in the replay (stray); null if
 * there is none.
 */
const rowDifference = (database: Connection['database'], table: string, sides: Sides): string | null => {
  const { replayed } = sides
  const stored = sides.tableOf(table)
  const columns = database
    .prepare('SELECT name, pk FROM pragma_table_info(?, ?) ORDER BY cid')
    .all(stored, 'main') as Array<{ name: string; pk: number }>
  const key = columns
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
  const columnList = (alias: string, names: readonly string[]): string =>
    names.map((name) => `${alias}."${name}"`).join(', ')
  const sameKey = key.map((name) => `m."${name}" = r."${name}"`).join(' AND ')
  const all = columns.map(({ name }) => name)

  const changed = database.prepare(`
    SELECT ${key.map((name) => `r."${name}" AS "${name}"`).join(', ')} FROM ${replayed}."${table}" r LEFT JOIN main."${stored}" m ON ${sameKey}
    WHERE (${columnList('m', all)}) IS NOT (${columnList('r', all)}) ORDER BY ${columnList('r', key)} LIMIT 1`)
  const row = changed.get() as Row | undefined
  if (row) {
    const rowIn = (schema: string, name: string): Row | undefined =>
      database
        .prepare(`SELECT * FROM ${schema}."${name}" WHERE ${key.map((name) => `"${name}" = ?`).join(' AND ')}`)
        .get(...key.map((name) => row[name])) as Row | undefined
    const [actual, expected] = [rowIn('main', stored), rowIn(replayed, table)]
    const wrong = actual && expected ? all.filter((name) => !isSame(actual[name], expected[name])) : []
    return describeChange(rowDescription(database, row, replayed), actual ? wrong.join(', ') : null)
  }
  const extra = database.prepare(`
    SELECT ${key.map((name) => `m."${name}" AS "${name}"`).join(', ')} FROM main."${stored}" m LEFT JOIN ${replayed}."${table}" r ON ${sameKey}
    WHERE r."${key[0]}" IS NULL ORDER BY ${columnList('m', key)} LIMIT 1`)
  const stray = extra.get() as Row | undefined
  return stray ? describeStray(rowDescription(database, stray, replayed)) : null
}

const isSame = (a: unknown, b: unknown): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : Object.is(a, b)

/** Names a row by its key, and by its run if the key has one. */
const rowDescription = (database: Connection['database'], key: Row, replayed: string): string =>
  describeRow(key, typeof key['run_no'] === 'number' ? runIdIn(database, key['run_no'], replayed) : null)

const runIdIn = (database: Connection['database'], run_no: number, replayed: string): string | null => {
  for (const schema of [replayed, 'main']) {
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
const indexDifference = (database: Connection['database'], table: string, sides: Sides): string | null => {
  const stored = { schema: 'main', index: sides.tableOf(table) }
  const replayed = { schema: sides.replayed, index: table }
  const words = wordDifference(database, stored, replayed)
  if (words !== null) return words
  const lengths = (a: Index, b: Index): number | undefined =>
    database
      .prepare(
        `SELECT a.id FROM ${a.schema}."${a.index}_docsize" a LEFT JOIN ${b.schema}."${b.index}_docsize" b ON b.id = a.id WHERE b.sz IS NOT a.sz ORDER BY a.id LIMIT 1`,
      )
      .pluck()
      .get() as number | undefined
  const wrong = lengths(replayed, stored) ?? lengths(stored, replayed)
  if (wrong !== undefined) return `the stored lengths of ${caseDescription(database, wrong, replayed.schema)} differ`
  // A block of zeros counts as an empty one: an index that never had a row and an index whose rows were all deleted
  // store this differently.
  const totals = ({ schema, index }: Index): string => {
    const block = database.prepare(`SELECT hex(block) FROM ${schema}."${index}_data" WHERE id = 1`).pluck().get() as
      | string
      | undefined
    return (block ?? '').replaceAll('0', '') === '' ? '' : (block ?? '')
  }
  return totals(stored) === totals(replayed) ? null : 'the totals that ranking uses differ'
}

const MODULUS = 4294967291

/** A full-text index in a schema. */
type Index = { readonly schema: string; readonly index: string }

const wordDifference = (database: Connection['database'], ...indexes: readonly [Index, Index]): string | null => {
  const schemas = indexes.map(({ schema }) => schema)
  for (const { schema, index } of indexes)
    database.exec(`CREATE VIRTUAL TABLE temp.words_${schema} USING fts5vocab('${schema}', '${index}', 'instance')`)
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
    return `the word ${JSON.stringify(term)} has wrong positions in ${doc === null ? 'some row' : caseDescription(database, doc, indexes[1].schema)}`
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

const caseDescription = (database: Connection['database'], rowid: number, replayed: string): string => {
  const { run_no, n } = searchEntry(rowid)
  const run = runIdIn(database, run_no, replayed) ?? `number ${run_no}`
  return n === null ? `run ${run}` : `case ${n} of run ${run}`
}
