import { InvalidArgumentError } from 'commander'
import { parseInstant } from '../../domain/instants.ts'
import { parseColumn, type Column } from '../../domain/lists/column.ts'

/** Collects the values of an option that may be repeated. */
export const repeated = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]

/** Returns the parser of a whole number within bounds. */
export const wholeNumber =
  (min: number, max?: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,15}$/.test(text) || value < min || value > (max ?? Infinity))
      throw new InvalidArgumentError(`It must be a whole number from ${min}${max === undefined ? '' : ` to ${max}`}.`)
    return value
  }

/** Parses epoch milliseconds or RFC 3339 into epoch milliseconds. */
export const instant = (text: string): number => {
  const ms = parseInstant(text)
  if (ms === null) throw new InvalidArgumentError('It must be epoch milliseconds or an RFC 3339 instant.')
  return ms
}

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }

/** Parses a number and a unit, such as `30d`, into milliseconds. */
export const timeSpan = (text: string): number => {
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?)([dhms])$/.exec(text) ?? []
  const ms = UNITS_MS[unit]
  if (ms === undefined) throw new InvalidArgumentError('It must be a number with d, h, m or s, for example 30d.')
  return Number(number) * ms
}

/** What an option says about the column that it takes. */
export const COLUMN =
  'PROVIDER, or PROVIDER,PROMPT for one of its prompts; a comma or a percent sign within a name is percent-encoded'

/** Parses a column of a run. */
export const columnOption = (text: string): Column => {
  const column = parseColumn(text)
  if (column === null) throw new InvalidArgumentError(`It must be ${COLUMN}.`)
  return column
}
