import type { RunEvent } from '../commands/run/events.ts'
import type { PreparedRun } from '../engine/prepare-run.ts'
import type { SearchText } from '../engine/search-text.ts'
import { deleteSearchRows, rowOf, SEARCH_COLUMNS, SEARCH_TABLES, scopeTokens } from '../storage/search.ts'
import { insertRows } from '../storage/sql.ts'
import type { Value } from '../storage/sql.ts'
import { documentOf } from './attached.ts'
import { isFullyCached } from './runs.ts'
import { projection } from './projection.ts'

/** The full-text indexes: a row per run in one and per case in the other, with the tokens of its run set beside the text. */
export const search = projection<RunEvent>(
  { name: 'search', version: 2, tables: Object.values(SEARCH_TABLES) },
  {
    RunIngested: (recorded) => {
      const { run } = documentOf(recorded)
      const { run_no } = recorded.data
      return [
        insertRows(SEARCH_TABLES.run, SEARCH_COLUMNS, [row(rowOf(run_no, null), scopeTokens(run, isFullyCached(run)), run.search)]),
        insertRows(SEARCH_TABLES.case, SEARCH_COLUMNS, caseRows(run_no, documentOf(recorded))),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => deleteSearchRows(run_no),
  },
)

function* caseRows(run_no: number, { run, cases }: PreparedRun): Generator<Value[]> {
  const scope = scopeTokens(run, isFullyCached(run))
  for (const { n, search: text } of cases) yield row(rowOf(run_no, n), scope, text)
}

const row = (rowid: bigint, scope: string, { name, tags, error, reasons, output, prompt }: SearchText): Value[] => [rowid, scope, name, tags, error, reasons, output, prompt]
