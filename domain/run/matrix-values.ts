/** The numbers that a cell of a matrix can show. */
export const MATRIX_VALUES = ['score', 'pass', 'latency', 'outputs'] as const
export type MatrixValue = (typeof MATRIX_VALUES)[number]

/** What the numbers of a cell are found from. */
export type ValuedCell = {
  readonly total: number
  readonly skipped: number
  readonly score_mean: number | null
  readonly pass_fraction: number
  readonly distinct_outputs: number
  readonly latency_ms_mean: number | null
}

/**
 * The number that a cell shows, or null. If all its cases were skipped, it has no score and no latency. A latency of 0
 * means that none was measured.
 */
export const cellValue = (cell: ValuedCell, value: MatrixValue): number | null => {
  if (value === 'pass') return cell.pass_fraction
  if (value === 'outputs') return cell.distinct_outputs
  if (cell.skipped === cell.total) return null
  if (value === 'score') return cell.score_mean
  return cell.latency_ms_mean || null
}

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
