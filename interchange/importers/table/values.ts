import type { CaseStatus } from '../../../domain/run/document.ts'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import { storedJson } from '../../read/rows/records.ts'
import type { Place } from './map.ts'
import { truthIn } from '../../document/case/verdicts.ts'

/** Why one row cannot be read. The others can. */
export class BadRow extends Error {
  override readonly name = 'BadRow'
}

/** The values of a row by column, and which of them were used. */
export type RowValues = {
  /** The value of a column; null if it is absent. In JSON, `a.b` is the member `b` of the column `a`. */
  readonly get: (column: string) => Json
  /** The same, without using the column. */
  readonly peek: (column: string) => Json
  /** The value of a column as text; null if it is absent or empty. Objects become JSON. */
  readonly text: (column: string) => string | null
  readonly place: (place: Place | undefined) => string | null
  readonly columns: () => readonly string[]
  readonly isUsed: (column: string) => boolean
  /** The columns that were not used. */
  readonly rest: () => Record<string, Json>
}

export const rowValues = (values: Record<string, Json>): RowValues => {
  const used = new Set<string>()
  const peek = (column: string): Json => {
    if (Object.hasOwn(values, column)) return values[column] ?? null
    let value: Json | undefined = values
    for (const key of column.split('.')) {
      if (!isObject(value) || !Object.hasOwn(value, key)) return null
      value = value[key]
    }
    return value ?? null
  }
  const get = (column: string): Json => {
    used.add(column)
    return peek(column)
  }
  const text = (column: string): string | null => asText(get(column))
  return {
    get,
    peek,
    text,
    place: (place) => {
      if (place === undefined) return null
      if ('const' in place) return place.const
      if ('column' in place) return text(place.column)
      return place.columns.map((column) => text(column) ?? '').join(place.join)
    },
    columns: () => Object.keys(values),
    isUsed: (column) => used.has(column),
    rest: () => {
      const left = { ...values }
      for (const column of used) {
        const [top = ''] = column.split('.', 1)
        // What is removed from the inside of a column must not change the row itself.
        if (!Object.hasOwn(left, column) && isObject(left[top])) left[top] = storedJson(JSON.stringify(left[top]))
        removeAt(left, column)
      }
      return left
    },
  }
}

const removeAt = (values: Record<string, Json>, column: string): void => {
  if (Object.hasOwn(values, column)) {
    delete values[column]
    return
  }
  const keys = column.split('.')
  let parent: Json | undefined = values
  for (const key of keys.slice(0, -1)) {
    if (!isObject(parent) || !Object.hasOwn(parent, key)) return
    parent = parent[key]
  }
  if (isObject(parent)) delete parent[keys.at(-1)!]
}

export const asText = (value: Json): string | null => {
  if (value === null || value === '') return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What tables write where they have no number. */
const NO_NUMBER: ReadonlySet<string> = new Set(['', 'nan', 'none', 'null', 'na', 'n/a', '<na>', '-'])
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A value as a number; null if there is none, undefined if it is something else. */
export const asNumber = (value: Json): number | null | undefined => {
  if (value === null) return null
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (isRawNumber(value)) return Number(value.rawJSON)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (NO_NUMBER.has(text.toLowerCase())) return null
  const number = NUMBER.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Reads a number of a column. Throws `BadRow` if it has something else. */
export const columnNumber = (row: RowValues, column: string): number | null => {
  const number = asNumber(row.get(column))
  if (number === undefined) throw new BadRow(`${column}: ${shown(row.get(column))} is no number`)
  return number
}

type Outcomes = Readonly<Partial<Record<'pass' | 'fail' | 'error' | 'skip', readonly string[] | undefined>>> & {
  readonly column: string
}

/**
 * The status of a row by the lists of a map. Without lists, the usual words for yes and no are read. Throws `BadRow` for
 * a value that is in no list.
 */
export const statusAt = (
  row: RowValues,
  outcomes: Outcomes,
): Extract<CaseStatus, 'pass' | 'fail' | 'error' | 'skip'> => {
  const value = row.get(outcomes.column)
  const text = (typeof value === 'string' ? value : asText(value)) ?? ''
  for (const status of ['pass', 'fail', 'error', 'skip'] as const)
    if (outcomes[status]?.includes(text.trim())) return status
  const isYes = outcomes.pass === undefined && outcomes.fail === undefined ? truthIn(value) : null
  if (isYes !== null) return isYes ? 'pass' : 'fail'
  throw new BadRow(`${outcomes.column}: ${shown(value)} is in no list of the map`)
}

const shown = (value: Json): string => (JSON.stringify(value) ?? 'null').slice(0, 60)

/** Whether a column fits a name in which one `*` stands for any text. */
export const fits = (pattern: string, column: string): boolean => {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === column
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)]
  return column.length >= start.length + end.length && column.startsWith(start) && column.endsWith(end)
}
