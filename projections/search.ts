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
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'
import { isFullyCached } from './runs.ts'

/**
 * The full-text indexes: a row per run in one and per case in the other, with the tokens of its run set beside the
 * text.
 */
export const search = projection<RunEvent>(
  { name: 'search', version: 2, tables: Object.values(SEARCH_TABLES) },
  {
    RunIngested: (recorded) => {
      const prepared = documentOf(recorded)
      const { run_no } = recorded.data
      return [inserted('run', () => runRow(run_no, prepared)), inserted('case', () => caseRows(run_no, prepared))]
    },
    RunDeleted: ({ data: { run_no } }) => deleteSearchRows(run_no),
  },
)

type Indexed = { readonly rowid: bigint; readonly scope: RowScope; readonly text: SearchText }

function* runRow(run_no: number, { run }: PreparedRun): Generator<Indexed> {
  yield { rowid: rowOf(run_no, null), scope: scopeOf(run, isFullyCached(run)), text: run.search }
}

function* caseRows(run_no: number, { run, cases }: PreparedRun): Generator<Indexed> {
  const scope = scopeOf(run, isFullyCached(run))
  for (const { n, search: text } of cases) yield { rowid: rowOf(run_no, n), scope, text }
}

/** The rows as each storage has them. They are made one by one as they are written, and for that storage alone. */
const inserted = (kind: Kind, rows: () => Iterable<Indexed>): Statement => ({
  ...insertRows(SEARCH_TABLES[kind], SEARCH_COLUMNS, made(rows, textRow)),
  postgres: insertRows(SEARCH_TABLES[kind], VECTOR_COLUMNS, made(rows, wordsRow)),
})

function* made(rows: () => Iterable<Indexed>, as: (row: Indexed) => Value[]): Generator<Value[]> {
  for (const row of rows()) yield as(row)
}

const textRow = ({ rowid, scope, text: { name, tags, error, reasons, output, prompt } }: Indexed): Value[] => [
  rowid,
  scope.tokens.join(' '),
  name,
  tags,
  error,
  reasons,
  output,
  prompt,
]

const wordsRow = ({ rowid, scope, text: { name, tags, error, reasons, output, prompt } }: Indexed): Value[] =>
  vectorRow(rowid, scope, {
    name: indexTokens(name),
    tags: indexTokens(tags),
    error: indexTokens(error),
    reasons: indexTokens(reasons),
    output: indexTokens(output),
    prompt: indexTokens(prompt),
  })
