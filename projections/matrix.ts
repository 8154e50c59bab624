import type { RunEvent } from '../commands/run/events.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

/** The matrix of each run, made once: a page of it is a few rows, whose empty cells only the answer writes out. */
export const matrix = projection<RunEvent>(
  { name: 'matrix', version: 2, clear: [statement`DELETE FROM matrices`, statement`DELETE FROM matrix_rows`] },
  {
    RunIngested: (recorded) => {
      const { matrix: made } = documentOf(recorded)
      const { run_no } = recorded.data
      return [
        insertRows('matrices', ['run_no', 'columns', 'provider_costs'], [[run_no, JSON.stringify(made.columns), JSON.stringify(made.provider_costs)]]),
        insertRows('matrix_rows', ['run_no', 'n', 'body'], made.rows.map(({ n, ...body }) => [run_no, n, JSON.stringify(body)])),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [statement`DELETE FROM matrices WHERE run_no = ${run_no}`, statement`DELETE FROM matrix_rows WHERE run_no = ${run_no}`],
  },
)
