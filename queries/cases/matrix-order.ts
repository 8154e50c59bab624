import { z } from 'zod'
import { disagrees, MATRIX_VALUES, rowMean, rowRange } from '../../domain/run/matrix-values.ts'
import type { MatrixValue } from '../../domain/run/matrix-values.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { findMatrixWidth, listMatrixRows, matrixRowOf } from './matrix.ts'
import type { MatrixRow } from './matrix.ts'
import { meansOfTrials, readTrials } from './matrix-trials.ts'
import type { TrialMeans, Trials } from './matrix-trials.ts'

/** The orders of the rows of a matrix. */
export const MATRIX_SORTS = ['document', 'worst', 'best', 'spread', 'name'] as const
export type MatrixSort = (typeof MATRIX_SORTS)[number]

/**
 * What the orders of a matrix need of its rows. It depends on nothing but the run, which never changes, so it is found
 * once for all orders, values and pages. As numbers, so that threads pass it on in shared memory: the range of each
 * value over all cells and the number of rows, then for each row its number, whether its columns disagree, its place by
 * name, and the mean and the spread of each value. Last are the cells whose means leave out some of their cases: the
 * number of the row, the column, and the means of score and latency. NaN stands for null.
 */
export type MatrixOrder = Float64Array
const RANGES = MATRIX_VALUES.length * 2
const HEAD = RANGES + 1
const WIDTH = 3 + MATRIX_VALUES.length * 2
const [NUMBER, DISAGREES, BY_NAME, MEANS] = [0, 1, 2, 3]
const SPREADS = MEANS + MATRIX_VALUES.length
const TRIALS_WIDTH = 4

/** Cells that one query reads; one row may have more. */
const CELLS_PER_QUERY = 20_000

type Cells = MatrixRow['cells']

/** The means that replace those of cells, by row number and column. */
export type MeansOfCells = ReadonlyMap<number, ReadonlyMap<number, TrialMeans>>

/** The cells of a row with their means replaced. */
export const withMeans = (cells: Cells, means: ReadonlyMap<number, TrialMeans> | undefined): Cells =>
  means ? cells.map((cell, column) => cell && { ...cell, ...means.get(column) }) : cells

/** Reads all rows of a matrix, so it must run on a reader thread. Null for an unknown, hidden or deleted run. */
export const findMatrixOrder = async (reader: Reader, viewer: Viewer, run_id: string): Promise<MatrixOrder | null> => {
  const { run, width } = await reader.readAll({ run: findRun(viewer, run_id), width: findMatrixWidth(viewer, run_id) })
  if (!run || width === null) return null
  const ranges = MATRIX_VALUES.map((value) => ({ min: 0, max: value === 'score' || value === 'pass' ? 1 : 0 }))
  const found: number[][] = []
  const names: string[] = []
  const means = new Map<number, ReadonlyMap<number, TrialMeans>>()
  let trials: Trials | null = null
  const rowsPerQuery = Math.max(1, Math.floor(CELLS_PER_QUERY / Math.max(1, width)))
  for (let after = -1; ;) {
    const rows = await reader.read(listMatrixRows(run.run_no, after, rowsPerQuery))
    for (const row of rows) {
      const { name, test_id, cells: stored } = matrixRowOf(row, width)
      // The means of a cell with one case need no other case.
      if (stored.some((cell) => cell && cell.total > 1)) {
        const read = (trials ??= await readTrials(reader, run.run_no))
        const replaced = stored.flatMap((cell, column) => {
          const found = cell && cell.total > 1 ? meansOfTrials(cell, read) : null
          return found ? [[column, found] as const] : []
        })
        if (replaced.length > 0) means.set(row.n, new Map(replaced))
      }
      const cells = withMeans(stored, means.get(row.n))
      const own = MATRIX_VALUES.map((value) => rowRange(cells, value))
      for (const [i, range] of own.entries())
        ranges[i] = {
          min: Math.min(ranges[i]?.min ?? 0, range?.min ?? 0),
          max: Math.max(ranges[i]?.max ?? 0, range?.max ?? 0),
        }
      names.push(name ?? test_id)
      found.push([
        row.n,
        disagrees(cells) ? 1 : 0,
        0,
        ...MATRIX_VALUES.map((value) => rowMean(cells, value) ?? NaN),
        ...own.map((range) => (range ? range.max - range.min : NaN)),
      ])
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerQuery) break
    after = last.n
  }
  if ((await reader.read(findRun(viewer, run_id)))?.run_no !== run.run_no) return null
  const { compare } = new Intl.Collator('en', { numeric: true })
  const byName = names.map((_, i) => i).sort((a, b) => compare(names[a] ?? '', names[b] ?? '') || a - b)
  for (const [place, i] of byName.entries()) if (found[i]) found[i][BY_NAME] = place
  const replaced = [...means].flatMap(([n, of]) =>
    [...of].map(([column, { score_mean, latency_ms_mean }]) => [n, column, score_mean ?? NaN, latency_ms_mean ?? NaN]),
  )
  const end = HEAD + found.length * WIDTH
  const order = new Float64Array(end + replaced.length * TRIALS_WIDTH)
  order.set([...ranges.flatMap(({ min, max }) => [min, max]), found.length])
  for (const [i, row] of found.entries()) order.set(row, HEAD + i * WIDTH)
  for (const [i, cell] of replaced.entries()) order.set(cell, end + i * TRIALS_WIDTH)
  return order
}

const endOfRows = (order: MatrixOrder): number => HEAD + (order[RANGES] ?? 0) * WIDTH
const orNull = (number: number | undefined): number | null =>
  number === undefined || Number.isNaN(number) ? null : number

/** The means that replace those of the cells of some rows. */
export const meansIn = (order: MatrixOrder, rows: ReadonlySet<number>): MeansOfCells => {
  const found = new Map<number, Map<number, TrialMeans>>()
  for (let at = endOfRows(order); at < order.length; at += TRIALS_WIDTH) {
    const [n = -1, column = -1, score, latency] = order.subarray(at, at + TRIALS_WIDTH)
    if (!rows.has(n)) continue
    const cells = found.get(n) ?? new Map<number, TrialMeans>()
    found.set(n, cells.set(column, { score_mean: orNull(score), latency_ms_mean: orNull(latency) }))
  }
  return found
}

export const Range = z.object({ min: z.number(), max: z.number() })

/** The range of a value over all cells: scores and rates from 0 to 1 at least, others from 0. */
export const rangeIn = (order: MatrixOrder, value: MatrixValue): z.infer<typeof Range> => {
  const at = MATRIX_VALUES.indexOf(value) * 2
  return { min: order[at] ?? 0, max: order[at + 1] ?? 0 }
}

type Listed = { readonly value: MatrixValue; readonly sort: MatrixSort; readonly only?: 'disagree' | undefined }

/**
 * The numbers of the listed rows in their order; rows without a number are last, and equal rows stay in the order of the
 * document. For latencies and distinct outputs, the worst mean is the largest.
 */
export const rowsIn = (order: MatrixOrder, { value, sort, only }: Listed): number[] => {
  const of = MATRIX_VALUES.indexOf(value)
  const isAscending = sort !== 'spread' && (sort === 'worst') === (value === 'score' || value === 'pass')
  const field = sort === 'name' ? BY_NAME : (sort === 'spread' ? SPREADS : MEANS) + of
  const rows: Array<{ n: number; key: number }> = []
  for (let at = HEAD, end = endOfRows(order); at < end; at += WIDTH) {
    if (only === 'disagree' && order[at + DISAGREES] !== 1) continue
    const number = order[at + field] ?? NaN
    const key = Number.isNaN(number) ? Infinity : sort === 'name' || isAscending ? number : -number
    rows.push({ n: order[at + NUMBER] ?? 0, key })
  }
  if (sort !== 'document') rows.sort((a, b) => (a.key === b.key ? a.n - b.n : a.key - b.key))
  return rows.map(({ n }) => n)
}
