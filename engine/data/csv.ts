import { CsvError, parse } from 'csv-parse/sync'
import { parseExact } from '../../domain/run/canonical-json.ts'
import type { Json } from '../json.ts'
import { isFileText } from '../suite/file-reference.ts'
import { SuiteError } from '../suite/issues.ts'
import type { SuiteIssue } from '../suite/suite.ts'
import { isList } from '../suite/values.ts'

/** A row as a test, not yet checked. `line` is where it starts in the file, as an editor counts. */
export type CsvTest = { readonly test: Json; readonly line: number }

type Row = { readonly cells: readonly string[]; readonly line: number }

type Cell = { readonly text: string; readonly fail: (message: string) => never }
/** What a column of this name adds to a test. Undefined: nothing. */
type Column = (cell: Cell) => Json | undefined

const asWritten: Column = ({ text }) => text

const jsonOf = ({ text, fail }: Cell): Json => {
  try {
    return parseExact(text) as Json
  } catch (error) {
    return fail(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

/** Columns with a meaning, by name. Every other column is a var. */
const COLUMNS: Readonly<Record<string, readonly [field: string, column: Column]>> = {
  id: ['id', asWritten],
  description: ['description', asWritten],
  cache_salt: ['cache_salt', asWritten],
  tags: [
    'tags',
    ({ text }) =>
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
  ],
  threshold: ['threshold', ({ text }) => (NUMBER.test(text) ? Number(text) : undefined)],
  expect_fail: [
    'expect_fail',
    ({ text }) => {
      if (text === '') return undefined
      const lower = text.toLowerCase()
      return lower === 'true' ? true : lower === 'false' ? false : text
    },
  ],
  __assert: [
    'assert',
    (cell) => {
      if (cell.text === '') return undefined
      const value = jsonOf(cell)
      return isList(value) ? value : cell.fail('is not a JSON array of assertions')
    },
  ],
  __history: [
    'history',
    (cell) => {
      if (cell.text === '') return undefined
      if (cell.text.startsWith('[')) return jsonOf(cell)
      return isFileText(cell.text) ? cell.text : cell.fail('is neither a JSON array of turns nor a `file://` reference')
    },
  ],
}

const countLines = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

/** Returns the rows of a CSV text that are not blank, the header first. Throws `SuiteError`. */
const rowsOf = (file: string, text: string, delimiter: string): Row[] => {
  const bytes = Buffer.from(text)
  const ends: number[] = []
  try {
    const records = parse(bytes, {
      bom: true,
      delimiter,
      skip_empty_lines: true,
      relax_quotes: true,
      on_record: (record: string[], { bytes: end }) => {
        ends.push(end)
        return record
      },
    })
    // The parser knows the last line of a row alone, and counts the line ends of Windows inside of quotes twice.
    let line = 1
    return records.map((cells, index) => {
      const written = bytes.toString('latin1', ends[index - 1] ?? 0, ends[index])
      const start = line + countLines(/^[\r\n]*/.exec(written)![0])
      line += countLines(written)
      return { cells, line: start }
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SuiteError([{ severity: 'error', file, path: '', message: error.message }], { cause: error })
  }
}

/**
 * Returns the tests of a CSV text: one per row below the header. A column without a name is left out; of two columns
 * with one name the last counts, with a warning. Throws `SuiteError` for quotes that do not match, rows of another
 * length than the header, and cells that cannot be read.
 */
export const readCsv = (file: string, text: string, delimiter: string, warnings: SuiteIssue[]): CsvTest[] => {
  const [header, ...rows] = rowsOf(file, text, delimiter)
  if (header === undefined) return []
  const failAt = (place: string, message: string): never => {
    throw new SuiteError([{ severity: 'error', file, path: place, message }])
  }
  const inHeader = `line ${header.line}`
  const columns = new Map<string, number>()
  for (const [index, name] of header.cells.entries()) {
    if (name.trim() === '') continue
    if (name === '__proto__') failAt(inHeader, 'the column name `__proto__` is not accepted')
    const first = columns.get(name)
    if (first !== undefined) {
      const message = `the column \`${name}\` occurs twice; column ${index + 1} counts, column ${first + 1} is ignored`
      warnings.push({ severity: 'warning', file, path: inHeader, message })
    }
    columns.set(name, index)
  }
  return rows.map(({ cells, line }) => {
    const test: Record<string, Json> = {}
    const vars: Record<string, Json> = {}
    for (const [name, column] of columns) {
      const cell = cells[column]!
      const known = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined
      if (known === undefined) {
        vars[name] = cell
        continue
      }
      const [field, read] = known
      const value = read({ text: cell, fail: (message) => failAt(`line ${line}, column ${name}`, message) })
      if (value !== undefined) test[field] = value
    }
    return { test: { ...test, vars }, line }
  })
}
