import { z } from 'zod'
import { meansIn, rangeIn, rowsIn, type MatrixOrder, type MatrixSort } from '../../domain/lists/matrix-order.ts'
import { cellValue, MATRIX_VALUES, rowMean, type MatrixValue } from '../../domain/run/matrix-values.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { findMatrixWidth, listNumberedRows, matrixLimit, matrixRowOf } from './matrix.ts'
import { Range, withMeans } from './matrix-order.ts'

const count = z.number().int()

/** A page of a matrix in one of its orders, with one value a cell. */
export const MatrixRows = z
  .object({
    run_id: z.string(),
    value: z.enum(MATRIX_VALUES),
    /** The rows of all pages. */
    row_count: count,
    /** Over all cells of the matrix: scores and rates from 0 to 1 at least, other values from 0. */
    range: Range,
    rows: z.array(
      z.object({
        test_id: z.string(),
        name: z.string().nullable(),
        /** Over the columns that have the value. */
        mean: z.number().nullable(),
        /** In the order of the columns of the matrix; null where a test did not run. */
        cells: z.array(
          z
            .object({
              value: z.number().nullable(),
              passed: count,
              /** Cases that failed or ended with an error. */
              failed: count,
              total: count,
              /** Null if the cell has several cases. */
              case_key: z.string().nullable(),
            })
            .nullable(),
        ),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'MatrixRows' })
export type MatrixRows = z.infer<typeof MatrixRows>
type ListedCell = MatrixRows['rows'][number]['cells'][number]

/** `order` is that of the run with this number. */
type Asked = {
  readonly run_id: string
  readonly run_no: number
  readonly order: MatrixOrder
  readonly value: MatrixValue
  readonly sort: MatrixSort
  readonly only?: 'disagree' | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * A page of a matrix; null for a run that is unknown, hidden, deleted or replaced. Reads the rows of the page alone. A
 * cursor is a position in the list, which never changes.
 */
export const listMatrixPage = async (
  reader: Reader,
  viewer: Viewer,
  { order, ...asked }: Asked,
): Promise<MatrixRows | null> => {
  const width = await reader.read(findMatrixWidth(viewer, asked.run_id))
  if (width === null) return null
  const numbers = rowsIn(order, asked)
  const start = /^\d{1,7}$/.test(asked.cursor ?? '') ? Number(asked.cursor) : 0
  const end = start + matrixLimit(asked.limit, width)
  const listed = numbers.slice(start, end)
  const { run, rows } = await reader.readAll({
    run: findRun(viewer, asked.run_id),
    rows: listNumberedRows(asked.run_no, listed),
  })
  if (run?.run_no !== asked.run_no) return null
  const means = meansIn(order, new Set(listed))
  const rowsByNumber = new Map(rows.map((row) => [row.n, row]))
  return {
    run_id: run.id,
    value: asked.value,
    row_count: numbers.length,
    range: rangeIn(order, asked.value),
    rows: listed.flatMap((n) => {
      const row = rowsByNumber.get(n)
      if (!row) return []
      const { test_id, name, cells: stored } = matrixRowOf(row)
      const found = withMeans(stored, means.get(n))
      const cells = new Array<ListedCell>(width).fill(null)
      for (const [column, cell] of found)
        cells[column] = {
          value: cellValue(cell, asked.value),
          passed: cell.passed,
          failed: cell.failed + cell.errored,
          total: cell.total,
          case_key: cell.case_keys.length === 1 ? (cell.case_keys[0] ?? null) : null,
        }
      const mean = rowMean(
        found.map(([, cell]) => cell),
        asked.value,
      )
      return [{ test_id, name, mean, cells }]
    }),
    next_cursor: end < numbers.length ? String(end) : null,
  }
}
