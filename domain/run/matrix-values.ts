/** The numbers that a cell of a matrix can show. */
export const MATRIX_VALUES = ['score', 'pass', 'latency', 'cost', 'outputs'] as const
export type MatrixValue = (typeof MATRIX_VALUES)[number]

/** What the numbers of a cell are found from. */
export type ValuedCell = {
  readonly total: number
  readonly skipped: number
  readonly score_mean: number | null
  readonly pass_fraction: number
  readonly distinct_outputs: number
  readonly latency_ms_mean: number | null
  /** The sum over its cases. */
  readonly cost_usd: number | null
  /** Over the cases that ran and recorded a cost, if that is not the sum over all cases by their number. */
  readonly cost_usd_mean?: number | null | undefined
}

/**
 * The number that a cell shows, or null. If all its cases were skipped, it has no score, no latency and no cost. A
 * latency of 0 means that none was measured. The cost is that of one case, in dollars.
 */
export const cellValue = (cell: ValuedCell, value: MatrixValue): number | null => {
  if (value === 'pass') return cell.pass_fraction
  if (value === 'outputs') return cell.distinct_outputs
  if (cell.skipped === cell.total) return null
  if (value === 'score') return cell.score_mean
  if (value === 'cost') return cell.cost_usd_mean === undefined ? meanCost(cell) : cell.cost_usd_mean
  return cell.latency_ms_mean || null
}

const meanCost = ({ cost_usd, total }: ValuedCell): number | null => (cost_usd === null ? null : cost_usd / total)

type Cells = ReadonlyArray<ValuedCell | null>

const cellNumbers = (cells: Cells, value: MatrixValue): number[] =>
  cells.flatMap((cell) => (cell ? (cellValue(cell, value) ?? []) : []))

/** The mean of a row over the columns that have a number for it; null if none has. */
export const rowMean = (cells: Cells, value: MatrixValue): number | null => {
  const numbers = cellNumbers(cells, value)
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

/** The lowest and the highest number of a row; null if it has none. */
export const rowRange = (cells: Cells, value: MatrixValue): { readonly min: number; readonly max: number } | null => {
  const numbers = cellNumbers(cells, value)
  if (numbers.length === 0) return null
  let [min, max] = [Infinity, -Infinity]
  for (const number of numbers) [min, max] = [Math.min(min, number), Math.max(max, number)]
  return { min, max }
}

/** Whether the columns disagree on a test: its share of passed cases differs between the columns that have it. */
export const disagrees = (cells: Cells): boolean => {
  const fractions = cells.flatMap((cell) => (cell && cell.skipped < cell.total ? [cell.pass_fraction] : []))
  return fractions.some((fraction) => fraction !== fractions[0])
}
