import type { RunEvent } from '../commands/run/events.ts'
import type { MatrixFacts } from '../domain/run/matrix.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

/**
 * The matrix of each run, made once: a page of it is a few finished rows. Empty cells are written out by the answer
 * alone.
 */
export const matrix = projection<RunEvent>(
  { name: 'matrix', version: 2, tables: ['matrices', 'matrix_rows'] },
  {
    RunIngested: (recorded) => {
      const { matrix: made } = documentOf(recorded)
      const { run_no } = recorded.data
      return [
        insertRows(
          'matrices',
          ['run_no', 'column_count', 'columns', 'provider_costs'],
          [[run_no, made.columns.length, JSON.stringify(made.columns), JSON.stringify(made.provider_costs)]],
        ),
        insertRows(
          'matrix_rows',
          ['run_no', 'n', 'is_full', 'body'],
          made.rows.map((row) => [run_no, row.n, ...storedRow(row, made.columns.length)]),
        ),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM matrices WHERE run_no = ${run_no}`,
      statement`DELETE FROM matrix_rows WHERE run_no = ${run_no}`,
    ],
  },
)

const storedRow = (
  { n: _, cells, ...row }: MatrixFacts['rows'][number],
  columns: number,
): [is_full: boolean, body: string] => {
  if (cells.length < columns) return [false, JSON.stringify({ ...row, cells })]
  const inOrder = cells.toSorted(([a], [b]) => a - b).map(([, cell]) => cell)
  return [true, JSON.stringify({ ...row, cells: inOrder })]
}
