import type { LocationQuery } from 'vue-router'
import type { Distribution } from '../../../../queries/cases/distribution.ts'
import type { MatrixRows } from '../../../../queries/cases/matrix-rows.ts'
import type { MatrixSort } from '../../../../domain/lists/matrix-order.ts'
import { formatCost, formatDuration, formatScore, plural } from '../../../text/format.ts'

export type MatrixRow = MatrixRows['rows'][number]
export type Cell = NonNullable<MatrixRow['cells'][number]>
export type Column = Distribution['columns'][number]

/** The values that the cells can show. */
export type Value = MatrixRows['value']
export const VALUES = ['score', 'pass', 'latency', 'cost', 'outputs'] as const satisfies readonly Value[]
export const VALUE_WORDS: Readonly<Record<Value, string>> = {
  score: 'Score',
  pass: 'Pass rate',
  latency: 'Latency',
  cost: 'Cost',
  outputs: 'Distinct outputs',
}
/** The range of numbers that the colour ramp covers. */
export type Ramp = MatrixRows['range']
export const ORDERS = ['best', 'document'] as const
export type Order = (typeof ORDERS)[number]

/** Which rows are listed, and in which order. */
export type Listed = { readonly value: Value; readonly sort: MatrixSort; readonly only: 'disagree' | null }

/** The orders of the rows. */
export type Sort = MatrixSort
export const SORTS = ['document', 'worst', 'best', 'spread', 'name'] as const satisfies readonly Sort[]
export const SORT_WORDS: Readonly<Record<Sort, string>> = {
  document: 'document order',
  worst: 'worst mean first',
  best: 'best mean first',
  spread: 'widest spread first',
  name: 'by name',
}

/** What a column has over its cases. An answer of an earlier version of the service has only its means over tests. */
const overCases = ({ over_cases, ...column }: Column): Column['over_cases'] =>
  over_cases ?? {
    cost_cases: 0,
    cost_usd_mean: null,
    cases: column.tests,
    pass_fraction: column.pass_fraction,
    score_cases: column.score_tests,
    score_mean: column.score_mean,
    latency_cases: column.latency_tests,
    latency_ms_mean: column.latency_ms_mean,
  }

/** The mean over the cases in the cells of a column; null if the server returns none. */
export const columnMean = (column: Column, value: Value): number | null => {
  const all = overCases(column)
  if (value === 'score') return all.score_mean
  if (value === 'pass') return all.pass_fraction
  if (value === 'cost') return all.cost_usd_mean ?? null
  return value === 'latency' ? all.latency_ms_mean || null : null
}

/** The number of cases that the mean of a column is over. */
const columnCases = (column: Column, value: Value): number => {
  const all = overCases(column)
  if (value === 'cost') return all.cost_cases
  return value === 'score' ? all.score_cases : value === 'latency' ? all.latency_cases : all.cases
}

/** The mean of all columns: over their cases, so that a column of two counts less than one of a hundred. Null if there is none. */
export const overallMean = (columns: readonly Column[], value: Value): number | null => {
  let [sum, cases] = [0, 0]
  for (const column of columns) {
    const mean = columnMean(column, value)
    if (mean === null) continue
    sum += mean * columnCases(column, value)
    cases += columnCases(column, value)
  }
  return cases === 0 ? null : sum / cases
}

/** What the means of the columns are over: `mean of 24 cases`, or without a number if the columns differ. */
export const meansHead = (columns: readonly Column[], value: Value): string => {
  const [cases, ...others] = new Set(columns.map((column) => columnCases(column, value)))
  return cases === undefined || others.length > 0 ? 'Mean of the cases' : `Mean of ${plural(cases, 'case')}`
}

/** What a mean of a column is over: `mean of 3 cases`. */
export const meanWords = (column: Column, value: Value): string | undefined =>
  columnMean(column, value) === null ? undefined : `mean of ${plural(columnCases(column, value), 'case')}`

/** `0.0042`: two digits that count. */
const twoDigits = (usd: number): string => usd.toFixed(Math.max(0, 1 - Math.floor(Math.log10(usd))))
/** `$12`, `$.42`, `$.0042` */
const shortCost = (usd: number): string => `$${usd === 0 ? '0' : twoDigits(usd).replace(/^0/, '')}`

/** A number that is short enough for a cell: `.07`, `1.0`, `2.1s`, `18m`, `$.42`. */
export const shortValue = (number: number, value: Value): string => {
  if (value === 'outputs') return String(Math.round(number))
  if (value === 'cost') return shortCost(number)
  if (value !== 'latency') return formatScore(number)
  if (number < 1_000) return `${Math.round(number)}`
  if (number < 9_950) return `${(number / 1_000).toFixed(1)}s`
  if (number < 99_500) return `${Math.round(number / 1_000)}s`
  return number < 5_970_000 ? `${Math.round(number / 60_000)}m` : `${Math.round(number / 3_600_000)}h`
}

/** A number with its unit, where space does not matter. */
export const fullValue = (number: number, value: Value): string => {
  if (value === 'cost') return number > 0 && number < 0.001 ? `$${twoDigits(number)}` : formatCost(number)
  if (value === 'latency') return formatDuration(number)
  return value === 'outputs' ? String(Math.round(number)) : number.toFixed(2)
}

/** The step of the ramp, 0 to 8, for a number between `min` and `max`. */
export const rampStep = (number: number, { min, max }: Ramp): number =>
  max <= min ? (number > 0 ? 8 : 0) : Math.round(Math.min(1, Math.max(0, (number - min) / (max - min))) * 8)

/**
 * The indexes of the columns in the order in which they are shown: as in the document, or the best first (for latencies
 * and costs the lowest; columns without a mean last).
 */
export const columnOrder = (columns: readonly Column[], order: Order, value: Value): number[] => {
  const indexes = columns.map((_, n) => n)
  if (order === 'document') return indexes
  const sortValue = value === 'outputs' ? 'score' : value
  const sign = value === 'latency' || value === 'cost' ? 1 : -1
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

/** With more columns, their names are written vertically. */
const MAX_HORIZONTAL = 12
export const isHorizontal = (columns: number): boolean => columns <= MAX_HORIZONTAL

/**
 * The widths of the test names and of the cells, in pixels. They share `width` minus `otherWidth`, within bounds: a
 * horizontal name of a column needs more room.
 */
export const gridWidths = (
  width: number,
  columns: number,
  otherWidth: number,
): { readonly head: number; readonly cell: number } => {
  const clamp = (min: number, wanted: number, max: number): number => Math.floor(Math.max(min, Math.min(max, wanted)))
  const [least, most] = isHorizontal(columns) ? [84, 120] : [40, 72]
  const available = width - otherWidth
  const head = clamp(268, available - columns * least, 360)
  const cell = clamp(least, (available - head) / Math.max(1, columns), most)
  return { cell, head: clamp(head, available - columns * cell, 560) }
}

/** Whether the cell shows this number as zero. */
export const readsAsZero = (number: number, value: Value): boolean =>
  number === 0 || ((value === 'score' || value === 'pass') && formatScore(number) === '.00')

/** The order of the rows that an address names. */
export const listedIn = (query: LocationQuery): Listed => ({
  value: VALUES.find((each) => each === query['value']) ?? 'score',
  sort: SORTS.find((each) => each === query['rows']) ?? 'document',
  only: query['only'] === 'disagree' ? 'disagree' : null,
})

/** The parts of an address that name an order of the rows. */
export const orderQuery = ({ value, sort, only }: Listed): Record<string, string> => ({
  ...(value === 'score' ? {} : { value }),
  ...(sort === 'document' ? {} : { rows: sort }),
  ...(only === null ? {} : { only }),
})

/** How many cases of a cell failed, in words; nothing for a cell without any. */
export const failedWords = ({ failed, total }: Cell): string =>
  failed === 0 ? '' : total === 1 ? ', failed' : `, ${failed} of ${total} failed`
