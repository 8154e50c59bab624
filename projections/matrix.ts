import type { MatrixFacts } from '../domain/run/matrix.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = ['run_no', 'column_count', 'columns', 'provider_costs']
const ROW_COLUMNS = ['run_no', 'n', 'is_full', 'body']

/**
 * The matrix of each run. It is computed once, so that a page of it is only a few stored rows. Empty cells are not
 * stored; they are added in the response.
 */
export const matrix = projection(
  { name: 'matrix', version: 3, tables: ['matrices', 'matrix_rows'] },
  {
    RunIngested: (recorded) => {
      const { columns, provider_costs, rows } = attachedDocument(recorded).matrix
      const { run_no } = recorded.data
      return [
        insertRows('matrices', COLUMNS, [
          [run_no, columns.length, JSON.stringify(columns), JSON.stringify(provider_costs)],
        ]),
        insertRows(
          'matrix_rows',
          ROW_COLUMNS,
          rows.map((row) => [run_no, row.n, ...storedRow(row, columns.length)]),
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
  columnCount: number,
): [is_full: boolean, body: string] => {
  if (cells.length < columnCount) return [false, JSON.stringify({ ...row, cells })]
  const sortedCells = cells.toSorted(([a], [b]) => a - b).map(([, cell]) => cell)
  return [true, JSON.stringify({ ...row, cells: sortedCells })]
}
