import type { Json } from '../../../domain/run/readers.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { parseWhole } from '../../read/json/inner-json.ts'
import { isObject } from '../../read/row.ts'
import { databaseRefused, type Database, type SqlRow, type SqlValue, columnJson } from '../../read/sqlite.ts'
import type { EvaluationRow } from './tests.ts'

/** The table that holds the rows: `evals` is that of old versions, with all rows in one text. */
export type RowTable = 'eval_results' | 'evals'

/** What is known of the rows of an evaluation before they are read. */
export type RowSource = {
  readonly table: RowTable
  readonly count: number
  /** The newest change, as the table writes it. */
  readonly newest: string
  readonly largestBytes: number
}

export type RowReader = {
  readonly sourceOf: (id: string) => RowSource
  readonly rows: (id: string, table: RowTable, losses: Losses) => Generator<EvaluationRow>
  readonly testRows: (id: string, table: RowTable) => Generator<EvaluationRow>
}

/** The columns of `eval_results` by the names of the JSON output. Those with JSON are parsed. */
const COLUMNS: ReadonlyArray<readonly [column: string, member: string, isJson: boolean]> = [
  ['id', 'id', false],
  ['created_at', 'createdAt', false],
  ['updated_at', 'updatedAt', false],
  ['prompt_idx', 'promptIdx', false],
  ['test_idx', 'testIdx', false],
  ['test_case', 'testCase', true],
  ['prompt', 'prompt', true],
  ['prompt_id', 'promptId', false],
  ['provider', 'provider', true],
  ['latency_ms', 'latencyMs', false],
  ['cost', 'cost', false],
  ['response', 'response', true],
  ['error', 'error', false],
  ['failure_reason', 'failureReason', false],
  ['success', 'success', false],
  ['score', 'score', false],
  ['grading_result', 'gradingResult', true],
  ['named_scores', 'namedScores', true],
  ['metadata', 'metadata', true],
]

/**
 * Reads the rows of evaluations, in the order of tests and prompts. Without an index for that order, the places of all rows
 * are read once into a temporary table, which SQLite keeps on disk if it is large.
 */
export const rowReader = (database: Database, tables: ReadonlyMap<string, readonly string[]>): RowReader => {
  const found = tables.get('eval_results') ?? []
  const columns = COLUMNS.filter(([column]) => found.includes(column))
  const isIndexed = found.length > 0 && hasOrderIndex(database)
  if (found.length > 0 && !isIndexed) createOrder(database, columns)
  const selected = columns.map(([column]) => `r.${column}`).join(', ')
  const ofEvaluation = isIndexed
    ? 'FROM eval_results r WHERE r.eval_id = ? ORDER BY r.test_idx, r.prompt_idx, r.rowid'
    : `FROM temp.row_order o CROSS JOIN eval_results r ON r.rowid = o.place WHERE o.eval_id = ?
       ORDER BY o.test_idx, o.prompt_idx, o.place`

  const sourceOf = (id: string): RowSource => {
    const { count, newest, largest } = isIndexed
      ? summary(`SELECT ${SUMMARY(columns)} FROM eval_results r WHERE r.eval_id = ?`, id)
      : found.length === 0
        ? NOTHING
        : summary(
            'SELECT count(*) AS count, max(changed) AS newest, max(bytes) AS largest FROM temp.row_order WHERE eval_id = ?',
            id,
          )
    if (count > 0) return { table: 'eval_results', count, newest: String(newest ?? ''), largestBytes: largest ?? 0 }
    const old = summary(OLD_SUMMARY, id)
    return { table: 'evals', count: old.count, newest: String(old.newest ?? ''), largestBytes: 0 }
  }
  const summary = (sql: string, id: string) => database.prepare<[string], Summary>(sql).get(id) ?? NOTHING

  const stored = function* (id: string, select: string): Generator<SqlRow> {
    try {
      yield* database.prepare<[string], SqlRow>(`SELECT ${select} ${ofEvaluation}`).iterate(id)
    } catch (error) {
      throw databaseRefused(error)
    }
  }

  return {
    sourceOf,
    rows: function* (id, table, losses) {
      if (table === 'evals') yield* oldRows(database, id, losses)
      else for (const row of stored(id, selected)) yield exportedRow(row, columns, losses)
    },
    testRows: function* (id, table) {
      const losses = newLosses()
      if (table === 'evals') {
        yield* oldRows(database, id, losses)
        return
      }
      let last: { text: SqlValue; testCase: Json } = { text: null, testCase: null }
      const firstOfColumns = new Map<SqlValue, SqlValue>()
      for (const { test_idx, test_case, prompt_idx = null, place = null } of stored(id, TEST_COLUMNS)) {
        if (!firstOfColumns.has(prompt_idx)) firstOfColumns.set(prompt_idx, place)
        // The rows of one test mostly have the same text.
        if (test_case !== last.text)
          last = { text: test_case ?? null, testCase: columnJson(test_case, losses, 'eval_results.*.test_case') }
        yield { testIdx: test_idx as Json, testCase: last.testCase }
      }
      const whole = database.prepare<[SqlValue], SqlRow>(`SELECT ${selected} FROM eval_results r WHERE r.rowid = ?`)
      for (const place of firstOfColumns.values()) {
        const row = whole.get(place)
        if (row) yield exportedRow(row, columns, losses)
      }
    },
  }
}

type Summary = { readonly count: number; readonly newest: SqlValue; readonly largest: number | null }

const NOTHING: Summary = { count: 0, newest: null, largest: null }

const SUMMARY = (columns: typeof COLUMNS) =>
  `count(*) AS count, max(${columnChange(columns)}) AS newest, max(${bytesOf(columns)}) AS largest`

const OLD_SUMMARY = `
  SELECT iif(json_valid(results), json_array_length(results, '$.results'), 0) AS count, octet_length(results) AS newest,
    NULL AS largest
  FROM evals WHERE id = ?`

/** What the names of tests depend on, and where the row is. */
const TEST_COLUMNS = 'r.test_idx, r.test_case, r.prompt_idx, r.rowid AS place'

/** The size of the texts of a row. SQLite has it without reading them. */
const bytesOf = (columns: typeof COLUMNS) =>
  ['0', ...columns.map(([column]) => `coalesce(octet_length(r.${column}), 0)`)].join(' + ')

const columnChange = (columns: typeof COLUMNS) =>
  columns.some(([column]) => column === 'updated_at') ? 'r.updated_at' : 'NULL'

/** Whether the rows of an evaluation can be read in the order of their tests. */
const hasOrderIndex = (database: Database): boolean =>
  database
    .prepare<[], { name: string }>(`SELECT name FROM pragma_index_list('eval_results') WHERE partial = 0`)
    .all()
    .some(({ name }) => {
      const [first, second] = database
        .prepare<[string], { name: string | null }>('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
        .all(name)
      return first?.name === 'eval_id' && second?.name === 'test_idx'
    })

const createOrder = (database: Database, columns: typeof COLUMNS): void => {
  database.exec(`
    CREATE TEMP TABLE row_order (
      eval_id, test_idx, prompt_idx, place, changed, bytes, PRIMARY KEY (eval_id, test_idx, prompt_idx, place)
    );
    INSERT INTO temp.row_order
    SELECT r.eval_id, r.test_idx, r.prompt_idx, r.rowid, ${columnChange(columns)}, ${bytesOf(columns)} FROM eval_results r
  `)
}

/** Versions before 0.83 have all rows in one text. */
const oldRows = function* (database: Database, id: string, losses: Losses): Generator<EvaluationRow> {
  const path = 'evals.*.results.results.*'
  try {
    const rows = database
      .prepare<[string], { value: SqlValue }>(
        `SELECT e.value FROM evals, json_each(evals.results, '$.results') e WHERE evals.id = ? ORDER BY e.id`,
      )
      .iterate(id)
    for (const { value } of rows) {
      const row = typeof value === 'string' ? parseWhole(value, losses, path) : value
      if (isObject(row)) yield row
      else losses.add('left_out', path, row, 'not an object')
    }
  } catch (error) {
    throw databaseRefused(error)
  }
}

const exportedRow = (row: SqlRow, columns: typeof COLUMNS, losses: Losses): EvaluationRow => {
  const found: EvaluationRow = {}
  for (const [column, member, isJson] of columns) {
    const value = row[column] ?? null
    if (isJson) found[member] = columnJson(value, losses, `eval_results.*.${column}`)
    else if (value !== null) found[member] = Buffer.isBuffer(value) ? value.toString('utf8') : value
  }
  if (found['success'] === 0 || found['success'] === 1) found['success'] = found['success'] === 1
  if (found['updatedAt'] === found['createdAt']) delete found['updatedAt']
  return found
}
