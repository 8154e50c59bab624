import { MATRIX_VALUES, type MatrixValue } from '../run/matrix-values.ts'

/** The orders of the rows of a matrix. */
export const MATRIX_SORTS = ['document', 'worst', 'best', 'spread', 'name'] as const
export type MatrixSort = (typeof MATRIX_SORTS)[number]

/**
 * What the orders of a matrix need of its rows. It depends on nothing but the run, which never changes, so it is found
 * once for all orders, values and pages. As numbers, so that threads pass it on in shared memory: the range of each
 * value over all cells and the number of rows, then for each row its number, whether its columns disagree, its place by
 * name, and the mean and the spread of each value. Last are the cells whose means leave out some of their cases: the
 * number of the row, the column, and the means of score, latency and cost. NaN stands for null.
 */
export type MatrixOrder = Float64Array
const RANGES = MATRIX_VALUES.length * 2
const HEAD = RANGES + 1
const WIDTH = 3 + MATRIX_VALUES.length * 2
const [NUMBER, DISAGREES, BY_NAME, MEANS] = [0, 1, 2, 3]
const SPREADS = MEANS + MATRIX_VALUES.length
const TRIALS_WIDTH = 5

/** The means of a cell over its cases that ran and recorded the value. */
export type TrialMeans = {
  readonly score_mean: number | null
  readonly latency_ms_mean: number | null
  readonly cost_usd_mean: number | null
}

/** The means that replace those of cells, by row number and column. */
export type MeansOfCells = ReadonlyMap<number, ReadonlyMap<number, TrialMeans>>

/** A row of a matrix, as its orders need it. A value is null if the row has none. */
export type OrderedRow = {
  readonly n: number
  readonly disagrees: boolean
  /** Its place by name. */
  readonly by_name: number
  /** By value, as in `MATRIX_VALUES`. */
  readonly means: ReadonlyArray<number | null>
  readonly spreads: ReadonlyArray<number | null>
}

/** Writes the rows and the ranges of the values as numbers. */
export const encodeMatrixOrder = (
  ranges: ReadonlyArray<{ readonly min: number; readonly max: number }>,
  rows: readonly OrderedRow[],
  replaced: MeansOfCells,
): MatrixOrder => {
  const cells = [...replaced].flatMap(([n, of]) =>
    [...of].map(([column, means]) => [
      ...[n, column],
      ...[means.score_mean, means.latency_ms_mean, means.cost_usd_mean].map((mean) => mean ?? NaN),
    ]),
  )
  const end = HEAD + rows.length * WIDTH
  const order = new Float64Array(end + cells.length * TRIALS_WIDTH)
  order.set([...ranges.flatMap(({ min, max }) => [min, max]), rows.length])
  for (const [i, { n, disagrees, by_name, means, spreads }] of rows.entries())
    order.set([n, disagrees ? 1 : 0, by_name, ...[...means, ...spreads].map((value) => value ?? NaN)], HEAD + i * WIDTH)
  for (const [i, cell] of cells.entries()) order.set(cell, end + i * TRIALS_WIDTH)
  return order
}

const endOfRows = (order: MatrixOrder): number => HEAD + (order[RANGES] ?? 0) * WIDTH
const orNull = (number: number | undefined): number | null =>
  number === undefined || Number.isNaN(number) ? null : number

/** The means that replace those of the cells of some rows. */
export const meansIn = (order: MatrixOrder, rows: ReadonlySet<number>): MeansOfCells => {
  const found = new Map<number, Map<number, TrialMeans>>()
  for (let at = endOfRows(order); at < order.length; at += TRIALS_WIDTH) {
    const [n = -1, column = -1, score, latency, cost] = order.subarray(at, at + TRIALS_WIDTH)
    if (!rows.has(n)) continue
    const cells = found.get(n) ?? new Map<number, TrialMeans>()
    found.set(
      n,
      cells.set(column, { score_mean: orNull(score), latency_ms_mean: orNull(latency), cost_usd_mean: orNull(cost) }),
    )
  }
  return found
}

/** The range of a value over all cells: scores and rates from 0 to 1 at least, others from 0. */
export const rangeIn = (order: MatrixOrder, value: MatrixValue): { readonly min: number; readonly max: number } => {
  const at = MATRIX_VALUES.indexOf(value) * 2
  return { min: order[at] ?? 0, max: order[at + 1] ?? 0 }
}

type Listed = { readonly value: MatrixValue; readonly sort: MatrixSort; readonly only?: 'disagree' | undefined }

/**
 * The numbers of the listed rows in their order; rows without a number are last, and equal rows stay in the order of the
 * document. For latencies, costs and distinct outputs, the worst mean is the largest.
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
