import type { z } from 'zod'
import type { Distribution } from '../../../../queries/cases/distribution.ts'
import type { Matrix, MatrixCell } from '../../../../queries/cases/matrix.ts'
import { formatDuration, formatScore } from '../../../text/format.ts'

export type Cell = z.infer<typeof MatrixCell>
export type MatrixPage = z.infer<typeof Matrix>
export type MatrixRow = MatrixPage['rows'][number]
export type Column = Distribution['columns'][number]

/** The values that the cells can show. */
export const VALUES = ['score', 'pass', 'latency', 'outputs'] as const
export type Value = (typeof VALUES)[number]
export const VALUE_WORDS: Readonly<Record<Value, string>> = {
  score: 'Score',
  pass: 'Pass rate',
  latency: 'Latency',
  outputs: 'Distinct outputs',
}
/** The range of numbers that the colour ramp covers. */
export type Ramp = { readonly min: number; readonly max: number }
export const ORDERS = ['best', 'document'] as const
export type Order = (typeof ORDERS)[number]

/** The orders of the rows. */
export const SORTS = ['document', 'worst', 'best', 'spread', 'name'] as const
export type Sort = (typeof SORTS)[number]
export const SORT_WORDS: Readonly<Record<Sort, string>> = {
  document: 'document order',
  worst: 'worst mean first',
  best: 'best mean first',
  spread: 'widest spread first',
  name: 'by name',
}

/** The number that a cell shows, or null. A latency of 0 means that none was measured. */
export const cellValue = (cell: Cell, value: Value): number | null => {
  if (value === 'score') return cell.score_mean
  if (value === 'pass') return cell.pass_fraction
  if (value === 'outputs') return cell.distinct_outputs
  return cell.latency_ms_mean || null
}

/** The mean of a column, in which each test counts once; null if the server returns none. */
export const columnMean = (column: Column, value: Value): number | null => {
  if (value === 'score') return column.score_mean
  if (value === 'pass') return column.pass_fraction
  return value === 'latency' ? column.latency_ms_mean || null : null
}

/** A number that is short enough for a cell: `.07`, `1.0`, `2.1s`, `18m`. */
export const shortValue = (number: number, value: Value): string => {
  if (value === 'outputs') return String(Math.round(number))
  if (value !== 'latency') return formatScore(number)
  if (number < 1_000) return `${Math.round(number)}`
  if (number < 9_950) return `${(number / 1_000).toFixed(1)}s`
  if (number < 99_500) return `${Math.round(number / 1_000)}s`
  return number < 5_970_000 ? `${Math.round(number / 60_000)}m` : `${Math.round(number / 3_600_000)}h`
}

/** A number with its unit, where space does not matter. */
export const fullValue = (number: number, value: Value): string =>
  value === 'latency' ? formatDuration(number) : value === 'outputs' ? String(Math.round(number)) : number.toFixed(2)

/** The step of the ramp, 0 to 8, for a number between `min` and `max`. */
export const rampStep = (number: number, { min, max }: Ramp): number =>
  max <= min ? (number > 0 ? 8 : 0) : Math.round(Math.min(1, Math.max(0, (number - min) / (max - min))) * 8)

/**
 * The range of the ramp: 0 to 1 for scores and rates (wider if scores go beyond that), and 0 to the maximum for other
 * values.
 */
export const rampOf = (rows: readonly MatrixRow[], value: Value): Ramp => {
  if (value === 'pass') return { min: 0, max: 1 }
  let [min, max] = [0, value === 'score' ? 1 : 0]
  for (const { cells } of rows) {
    for (const cell of cells) {
      const number = cell && cellValue(cell, value)
      if (number === null) continue
      min = Math.min(min, number)
      max = Math.max(max, number)
    }
  }
  return { min, max }
}

/**
 * The indexes of the columns in the order in which they are shown: as in the document, or the best first (for latencies
 * the shortest; columns without a mean last).
 */
export const columnOrder = (columns: readonly Column[], order: Order, value: Value): number[] => {
  const indexes = columns.map((_, n) => n)
  if (order === 'document') return indexes
  const sortValue = value === 'outputs' ? 'score' : value
  const sign = value === 'latency' ? 1 : -1
  const keyOf = (n: number): number => {
    const mean = columns[n] ? columnMean(columns[n], sortValue) : null
    return mean === null ? Infinity : sign * mean
  }
  return indexes.sort((a, b) => (keyOf(a) === keyOf(b) ? a - b : keyOf(a) - keyOf(b)))
}

/** The name of a column: the provider, the prompt, or both, depending on what differs between the columns. */
export const columnName = (
  column: Pick<Column, 'provider_id' | 'prompt_id'>,
  columns: ReadonlyArray<Pick<Column, 'provider_id' | 'prompt_id'>>,
): string => {
  const { provider_id, prompt_id } = column
  if (prompt_id === null || new Set(columns.map((each) => each.prompt_id)).size === 1) return provider_id
  return new Set(columns.map((each) => each.provider_id)).size === 1 ? prompt_id : `${provider_id} · ${prompt_id}`
}

/** The widths of the test names and of the cells, in pixels. They share `width` minus `otherWidth`, within bounds. */
export const gridWidths = (
  width: number,
  columns: number,
  otherWidth: number,
): { readonly head: number; readonly cell: number } => {
  const clamp = (min: number, wanted: number, max: number): number => Math.floor(Math.max(min, Math.min(max, wanted)))
  const available = width - otherWidth
  const head = clamp(268, available - columns * 40, 360)
  const cell = clamp(40, (available - head) / Math.max(1, columns), 72)
  return { cell, head: clamp(head, available - columns * cell, 560) }
}

/** Whether the cell shows this number as zero. */
export const readsAsZero = (number: number, value: Value): boolean =>
  number === 0 || ((value === 'score' || value === 'pass') && formatScore(number) === '.00')

/** The mean of a row over the columns that have a number for it; null if none has. */
export const rowMean = ({ cells }: MatrixRow, value: Value): number | null => {
  const numbers = cells.map((cell) => cell && cellValue(cell, value)).filter((number) => number !== null)
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

/** Whether the columns disagree on a test: its share of passed cases differs between the columns that have it. */
export const disagrees = ({ cells }: MatrixRow): boolean => {
  const fractions = cells.flatMap((cell) => (cell && cell.skipped < cell.total ? [cell.pass_fraction] : []))
  return fractions.some((fraction) => fraction !== fractions[0])
}

const spread = ({ cells }: MatrixRow, value: Value): number | null => {
  const numbers = cells.flatMap((cell) => (cell ? (cellValue(cell, value) ?? []) : []))
  return numbers.length === 0 ? null : Math.max(...numbers) - Math.min(...numbers)
}

/**
 * The rows in an order; rows without a number are last, and equal rows stay in their order. For latencies, the worst mean
 * is the longest.
 */
export const rowOrder = (rows: readonly MatrixRow[], sort: Sort, value: Value): readonly MatrixRow[] => {
  if (sort === 'document') return rows
  if (sort === 'name') {
    const { compare } = new Intl.Collator('en', { numeric: true })
    return rows.toSorted((a, b) => compare(a.name ?? a.test_id, b.name ?? b.test_id))
  }
  const isAscending = sort !== 'spread' && (sort === 'worst') === (value !== 'latency' && value !== 'outputs')
  const keyed = rows.map((row) => {
    const number = sort === 'spread' ? spread(row, value) : rowMean(row, value)
    return { row, key: number === null ? Infinity : isAscending ? number : -number }
  })
  return keyed.toSorted((a, b) => (a.key === b.key ? 0 : a.key - b.key)).map(({ row }) => row)
}
