import { z } from 'zod'
import {
  encodeMatrixOrder,
  type MatrixOrder,
  type OrderedRow,
  type TrialMeans,
} from '../../domain/lists/matrix-order.ts'
import { disagrees, MATRIX_VALUES, rowMean, rowRange } from '../../domain/run/matrix-values.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { findMatrixWidth, listMatrixRows, matrixRowOf, type MatrixRow } from './matrix.ts'
import { meansOfTrials, readTrials, type TrialsByKey } from './matrix-trials.ts'

/** Cells that one query should read. How many a row has is not known before it is read. */
const CELLS_PER_QUERY = 20_000
const MAX_ROWS_PER_QUERY = 2_000

type Cells = MatrixRow['cells']

/** The cells of a row with their means replaced. */
export const withMeans = (cells: Cells, means: ReadonlyMap<number, TrialMeans> | undefined): Cells =>
  means ? cells.map(([column, cell]) => [column, { ...cell, ...means.get(column) }] as const) : cells

/**
 * Reads all rows of a matrix, so it must run on a reader thread. Reads only the cells that have cases. Null for an
 * unknown, hidden or deleted run.
 */
export const findMatrixOrder = async (reader: Reader, viewer: Viewer, run_id: string): Promise<MatrixOrder | null> => {
  const { run, width } = await reader.readAll({ run: findRun(viewer, run_id), width: findMatrixWidth(viewer, run_id) })
  if (!run || width === null) return null
  const ranges = MATRIX_VALUES.map((value) => ({ min: 0, max: value === 'score' || value === 'pass' ? 1 : 0 }))
  const found: Array<Omit<OrderedRow, 'by_name'>> = []
  const names: string[] = []
  const means = new Map<number, ReadonlyMap<number, TrialMeans>>()
  let trials: TrialsByKey | null = null
  let rowsPerQuery = Math.max(1, Math.floor(CELLS_PER_QUERY / Math.max(1, width)))
  for (let after = -1; ;) {
    const rows = await reader.read(listMatrixRows(run.run_no, after, rowsPerQuery))
    let cellsRead = 0
    for (const row of rows) {
      const { name, test_id, cells: stored } = matrixRowOf(row)
      cellsRead += stored.length
      // The means of a cell with one case need no other case.
      if (stored.some(([, cell]) => cell.total > 1)) {
        const read = (trials ??= await readTrials(reader, run.run_no))
        const replaced = stored.flatMap(([column, cell]) => {
          const found = cell.total > 1 ? meansOfTrials(cell, read) : null
          return found ? [[column, found] as const] : []
        })
        if (replaced.length > 0) means.set(row.n, new Map(replaced))
      }
      const cells = withMeans(stored, means.get(row.n)).map(([, cell]) => cell)
      const own = MATRIX_VALUES.map((value) => rowRange(cells, value))
      for (const [i, range] of own.entries())
        ranges[i] = {
          min: Math.min(ranges[i]?.min ?? 0, range?.min ?? 0),
          max: Math.max(ranges[i]?.max ?? 0, range?.max ?? 0),
        }
      names.push(name ?? test_id)
      found.push({
        n: row.n,
        disagrees: disagrees(cells),
        means: MATRIX_VALUES.map((value) => rowMean(cells, value)),
        spreads: own.map((range) => range && range.max - range.min),
      })
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerQuery) break
    after = last.n
    // Rows of a sparse matrix have few cells, however many columns it has.
    if (cellsRead * 2 <= CELLS_PER_QUERY) rowsPerQuery = Math.min(MAX_ROWS_PER_QUERY, rowsPerQuery * 2)
    else if (cellsRead > CELLS_PER_QUERY) rowsPerQuery = Math.max(1, Math.floor(rowsPerQuery / 2))
  }
  if ((await reader.read(findRun(viewer, run_id)))?.run_no !== run.run_no) return null
  const { compare } = new Intl.Collator('en', { numeric: true })
  const byName = names.map((_, i) => i).sort((a, b) => compare(names[a] ?? '', names[b] ?? '') || a - b)
  const places = new Map(byName.map((i, place) => [i, place]))
  const rows = found.map((row, i) => ({ ...row, by_name: places.get(i) ?? 0 }))
  return encodeMatrixOrder(ranges, rows, means)
}

export const Range = z.object({ min: z.number(), max: z.number() })
