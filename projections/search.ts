import type { RunEvent } from '../commands/run/events.ts'
import type { PreparedRun } from '../engine/prepare-run.ts'
import type { SearchText } from '../engine/search-text.ts'
import { firstRow, lastRow, rowOf, SEARCH_COLUMNS, scopeTokens } from '../storage/search.ts'
import { insertRows, sql, statement } from '../storage/sql.ts'
import type { Value } from '../storage/sql.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

/** The full-text index: one row per run and per case, with the tokens of its run set beside the text. */
export const search = projection<RunEvent>(
  // Contentless: emptied by its own command.
  { name: 'search', version: 1, clear: [sql.unsafe`INSERT INTO search (search) VALUES ('delete-all')`] },
  {
    RunIngested: (recorded) => [insertRows('search', SEARCH_COLUMNS, rows(recorded.data.run_no, documentOf(recorded)))],
    RunDeleted: ({ data: { run_no } }) => [statement`DELETE FROM search WHERE rowid >= ${firstRow(run_no)} AND rowid <= ${lastRow(run_no)}`],
  },
)

function* rows(run_no: number, { run, cases }: PreparedRun): Generator<Value[]> {
  yield row(rowOf(run_no, null), scopeTokens('run', run), run.search)
  const scope = scopeTokens('case', run)
  for (const { n, search: text } of cases) yield row(rowOf(run_no, n), scope, text)
}

const row = (rowid: bigint, scope: string, { name, tags, error, reasons, output, prompt }: SearchText): Value[] => [rowid, scope, name, tags, error, reasons, output, prompt]
