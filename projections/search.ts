import type { RunEvent } from '../commands/run/events.ts'
import type { PreparedRun } from '../engine/prepare-run.ts'
import type { SearchText } from '../engine/search-text.ts'
import { clearSearch, deleteSearchRows, rowOf, SEARCH_COLUMNS, scopeTokens } from '../storage/search.ts'
import { insertRows } from '../storage/sql.ts'
import type { Value } from '../storage/sql.ts'
import { documentOf } from './attached.ts'
import { isFullyCached } from './runs.ts'
import { projection } from './projection.ts'

/** The full-text index: one row per run and per case, with the tokens of its run set beside the text. */
export const search = projection<RunEvent>(
  { name: 'search', version: 1, clear: [clearSearch] },
  {
    RunIngested: (recorded) => [insertRows('search', SEARCH_COLUMNS, rows(recorded.data.run_no, documentOf(recorded)))],
    RunDeleted: ({ data: { run_no } }) => [deleteSearchRows(run_no)],
  },
)

function* rows(run_no: number, { run, cases }: PreparedRun): Generator<Value[]> {
  const fully_cached = isFullyCached(run)
  yield row(rowOf(run_no, null), scopeTokens('run', run, fully_cached), run.search)
  const scope = scopeTokens('case', run, fully_cached)
  for (const { n, search: text } of cases) yield row(rowOf(run_no, n), scope, text)
}

const row = (rowid: bigint, scope: string, { name, tags, error, reasons, output, prompt }: SearchText): Value[] => [rowid, scope, name, tags, error, reasons, output, prompt]
