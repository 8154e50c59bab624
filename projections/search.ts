import type { RunEvent } from '../commands/run/events.ts'
import type { PreparedRun } from '../domain/run/prepare.ts'
import type { SearchText } from '../domain/search/search-text.ts'
import { indexTokens } from '../domain/search/tokenizer.ts'
import {
  deleteSearchRows,
  rowOf,
  scopeOf,
  SEARCH_COLUMNS,
  SEARCH_TABLES,
  VECTOR_COLUMNS,
  vectorRow,
} from '../storage/search/search-index.ts'
import type { Kind, RowScope } from '../storage/search/search-index.ts'
import { insertRows } from '../storage/sql.ts'
import type { Statement, Value } from '../storage/storage.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'
import { isFullyCached } from './runs.ts'

/**
 * The full-text indexes: one with a row per run, one with a row per case. A row contains the tokens of its run set in
 * addition to the text.
 */
export const search = projection<RunEvent>(
  { name: 'search', version: 2, tables: Object.values(SEARCH_TABLES) },
  {
    RunIngested: (recorded) => {
      const prepared = attachedDocument(recorded)
      const { run_no } = recorded.data
      return [insertInto('run', () => runRow(run_no, prepared)), insertInto('case', () => caseRows(run_no, prepared))]
    },
    RunDeleted: ({ data: { run_no } }) => deleteSearchRows(run_no),
  },
)

type IndexedRow = { readonly rowid: bigint; readonly scope: RowScope; readonly text: SearchText }

function* runRow(run_no: number, { run }: PreparedRun): Generator<IndexedRow> {
  yield { rowid: rowOf(run_no, null), scope: scopeOf(run, isFullyCached(run)), text: run.search }
}

function* caseRows(run_no: number, { run, cases }: PreparedRun): Generator<IndexedRow> {
  const scope = scopeOf(run, isFullyCached(run))
  for (const { n, search: text } of cases) yield { rowid: rowOf(run_no, n), scope, text }
}

/**
 * Inserts rows. Each database has a different row format. The rows are created one by one while they are written, and
 * only in the format of the database that is used.
 */
const insertInto = (kind: Kind, rows: () => Iterable<IndexedRow>): Statement => ({
  ...insertRows(SEARCH_TABLES[kind], SEARCH_COLUMNS, mapRows(rows, textRow)),
  postgres: insertRows(SEARCH_TABLES[kind], VECTOR_COLUMNS, mapRows(rows, vectorRowOf)),
})

function* mapRows(rows: () => Iterable<IndexedRow>, toValues: (row: IndexedRow) => Value[]): Generator<Value[]> {
  for (const row of rows()) yield toValues(row)
}

const textRow = ({ rowid, scope, text: { name, tags, error, reasons, output, prompt } }: IndexedRow): Value[] => [
  rowid,
  scope.tokens.join(' '),
  name,
  tags,
  error,
  reasons,
  output,
  prompt,
]

const vectorRowOf = ({ rowid, scope, text: { name, tags, error, reasons, output, prompt } }: IndexedRow): Value[] =>
  vectorRow(rowid, scope, {
    name: indexTokens(name),
    tags: indexTokens(tags),
    error: indexTokens(error),
    reasons: indexTokens(reasons),
    output: indexTokens(output),
    prompt: indexTokens(prompt),
  })
