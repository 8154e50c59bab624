import type { z } from 'zod'
import type { Distribution } from '../../../../queries/cases/distribution.ts'
import type { Matrix, MatrixCell } from '../../../../queries/cases/matrix.ts'
import { formatDuration, formatScore } from '../../../text/format.ts'

export type Cell = z.infer<typeof MatrixCell>
export type MatrixPage = z.infer<typeof Matrix>
export type MatrixRow = MatrixPage['rows'][number]
export type Column = Distribution['columns'][number]

/** What a cell may tell. */
export const VALUES = ['score', 'pass', 'latency', 'outputs'] as const
export type Value = (typeof VALUES)[number]
export const VALUE_WORDS: Readonly<Record<Value, string>> = {
  score: 'Score',
  pass: 'Pass rate',
  latency: 'Latency',
  outputs: 'Distinct outputs',
}
export const ORDERS = ['best', 'document'] as const
export type Order = (typeof ORDERS)[number]

/** A cell's number; null where it has none. A latency of 0 was not measured. */
export const cellValue = (cell: Cell, value: Value): number | null => {
  if (value === 'score') return cell.score_mean
  if (value === 'pass') return cell.pass_fraction
  if (value === 'outputs') return cell.distinct_outputs
  return cell.latency_ms_mean || null
}

/** The mean of a column, each test counting once; null where the server tells none. */
export const columnMean = (column: Column, value: Value): number | null => {
  if (value === 'score') return column.score_mean
  if (value === 'pass') return column.pass_fraction
  return value === 'latency' ? column.latency_ms_mean || null : null
}

/** A number as short as a cell is wide: `.07`, `1.0`, `2.1s`, `18m`. */
export const tellValue = (number: number, value: Value): string => {
  if (value === 'outputs') return String(Math.round(number))
  if (value !== 'latency') return formatScore(number)
  if (number < 1_000) return `${Math.round(number)}`
  if (number < 9_950) return `${(number / 1_000).toFixed(1)}s`
  if (number < 99_500) return `${Math.round(number / 1_000)}s`
  return number < 5_970_000 ? `${Math.round(number / 60_000)}m` : `${Math.round(number / 3_600_000)}h`
}

/** A number as one says it. */
export const sayValue = (number: number, value: Value): string =>
  value === 'latency' ? formatDuration(number) : value === 'outputs' ? String(Math.round(number)) : number.toFixed(2)

/** The step of the ramp, 0 to 8, for a number between `least` and `most`. */
export const rampStep = (number: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  most <= least ? (number > 0 ? 8 : 0) : Math.round(Math.min(1, Math.max(0, (number - least) / (most - least))) * 8)

/**
 * Between which numbers the ramp runs: scores and rates from 0 to 1 (scores further where they go further), what else
 * there is from 0 to the most.
 */
export const rampOf = (rows: readonly MatrixRow[], value: Value): { readonly least: number; readonly most: number } => {
  if (value === 'pass') return { least: 0, most: 1 }
  let [least, most] = [0, value === 'score' ? 1 : 0]
  for (const { cells } of rows) {
    for (const cell of cells) {
      const number = cell && cellValue(cell, value)
      if (number === null) continue
      least = Math.min(least, number)
      most = Math.max(most, number)
    }
  }
  return { least, most }
}

/**
 * Places of columns in the order they are shown in: as the document has them, or the best first (of latencies the
 * shortest; unknown ones last).
 */
export const columnOrder = (columns: readonly Column[], order: Order, value: Value): number[] => {
  const places = columns.map((_, n) => n)
  if (order === 'document') return places
  const by = value === 'outputs' ? 'score' : value
  const sign = value === 'latency' ? 1 : -1
  const keyOf = (n: number): number => {
    const mean = columns[n] ? columnMean(columns[n], by) : null
    return mean === null ? Infinity : sign * mean
  }
  return places.sort((a, b) => (keyOf(a) === keyOf(b) ? a - b : keyOf(a) - keyOf(b)))
}

/** The name of a column among others: what differs. */
export const columnName = (
  column: Pick<Column, 'provider_id' | 'prompt_id'>,
  columns: ReadonlyArray<Pick<Column, 'provider_id' | 'prompt_id'>>,
): string => {
  const { provider_id, prompt_id } = column
  if (prompt_id === null || new Set(columns.map((each) => each.prompt_id)).size === 1) return provider_id
  return new Set(columns.map((each) => each.provider_id)).size === 1 ? prompt_id : `${provider_id} · ${prompt_id}`
}

/**
 * How wide the names of tests and the cells are, in pixels: what room `width` leaves beside `others` goes to both,
 * within bounds.
 */
export const gridWidths = (
  width: number,
  columns: number,
  others: number,
): { readonly head: number; readonly cell: number } => {
  const within = (least: number, wanted: number, most: number): number =>
    Math.floor(Math.max(least, Math.min(most, wanted)))
  const room = width - others
  const head = within(268, room - columns * 40, 360)
  const cell = within(40, (room - head) / Math.max(1, columns), 72)
  return { cell, head: within(head, room - columns * cell, 560) }
}

/** Whether a number reads as nothing in its cell. */
export const isNothing = (number: number, value: Value): boolean =>
  number === 0 || ((value === 'score' || value === 'pass') && formatScore(number) === '.00')

/** The mean of a row over the columns that ran it. */
export const rowMean = ({ cells }: MatrixRow, value: Value): number | null => {
  const numbers = cells.map((cell) => cell && cellValue(cell, value)).filter((number) => number !== null)
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
