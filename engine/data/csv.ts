import { CsvError, parse } from 'csv-parse/sync'
import { messageOf } from '../../domain/plain/message-of.ts'
import { parseExact } from '../../domain/run/canonical-json.ts'
import type { Json } from '../json.ts'
import { didYouMean } from '../../domain/text/nearest.ts'
import { isFileText } from '../suite/file-reference.ts'
import { SuiteError } from '../suite/issues.ts'
import type { SuiteIssue } from '../suite/suite.ts'
import { isList } from '../suite/values.ts'

/** A row as a test, not yet checked. `line` is where it starts in the file, as an editor counts. */
export type CsvTest = { readonly test: Json; readonly line: number }

type Row = { readonly cells: readonly string[]; readonly line: number }

type Cell = {
  readonly text: string
  readonly fail: (message: string) => never
  readonly warn: (message: string) => void
}
/** What a column of this name adds to a test. Undefined: nothing. */
type Column = (cell: Cell) => Json | undefined

const asWritten: Column = ({ text }) => text

const parseCell = ({ text, fail }: Cell): Json => {
  try {
    return parseExact(text) as Json
  } catch (error) {
    return fail(`is not JSON: ${messageOf(error)}`)
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
  threshold: [
    'threshold',
    ({ text, warn }) => {
      if (NUMBER.test(text)) return Number(text)
      if (text !== '') warn(`is not a number, so the test has no threshold: ${JSON.stringify(text)}`)
      return undefined
    },
  ],
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
      const value = parseCell(cell)
      return isList(value) ? value : cell.fail('is not a JSON array of assertions')
    },
  ],
  __history: [
    'history',
    (cell) => {
      if (cell.text === '') return undefined
      if (cell.text.startsWith('[')) return parseCell(cell)
      return isFileText(cell.text) ? cell.text : cell.fail('is neither a JSON array of turns nor a `file://` reference')
    },
  ],
}

const countLines = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

/**
 * Columns that decide about a test: of another tool, or in a spelling that we do not know, as when the delimiter of the header
 * is unknown. As vars they would be lost without a trace.
 */
const CHECKS = /(?<![\p{L}\p{N}_])__(?:assert|expected\d*|threshold|config:.+)(?![\p{L}\p{N}_])/iu

/** Columns whose name, or two underscores before it, says that they are more than a var. */
const LOOKS_LIKE_MEANING = /^(?:__.*|assert)$/i

/** What is wrong with the name of a column that is a var; null: nothing. */
const columnFault = (name: string): Pick<SuiteIssue, 'severity' | 'message'> | null => {
  const trimmed = name.trim()
  if (CHECKS.test(trimmed))
    return {
      severity: 'error',
      message: `the column \`${trimmed}\` is not known, and what it checks would be lost: write assertions as a JSON array into a column \`__assert\`, such as [{"type": "contains", "value": "Paris"}], and a threshold into a column \`threshold\``,
    }
  if (!LOOKS_LIKE_MEANING.test(trimmed)) return null
  const hint = didYouMean(trimmed, Object.keys(COLUMNS)) || '; assertions are in a column `__assert`'
  return { severity: 'warning', message: `the column \`${trimmed}\` has no meaning, so it is a var${hint}` }
}

const headerFaults = (file: string, { cells, line }: Row): SuiteIssue[] =>
  cells.flatMap((name) => {
    const fault = Object.hasOwn(COLUMNS, name) ? null : columnFault(name)
    return fault === null ? [] : [{ file, path: `line ${line}`, ...fault }]
  })

/** What separates the columns of files with this extension, the usual one first. */
const DELIMITERS: Readonly<Record<CsvExtension, readonly string[]>> = { '.csv': [',', ';', '\t'], '.tsv': ['\t'] }
export type CsvExtension = '.csv' | '.tsv'

/** The delimiter that is most frequent in the header, outside of quotes: spreadsheets of many countries write `;`. */
const findDelimiter = (text: string, extension: CsvExtension): string => {
  const header = /[^\r\n]+/.exec(text)?.[0].replaceAll(/"[^"]*"/g, '') ?? ''
  const count = (delimiter: string): number => header.split(delimiter).length
  return DELIMITERS[extension].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

/** Returns the faults of the header of a CSV text. Throws `SuiteError` for a header that cannot be read. */
export const csvHeaderFaults = (file: string, text: string, extension: CsvExtension): readonly SuiteIssue[] => {
  const [header] = parseRows(file, text, findDelimiter(text, extension), { to: 1 })
  return header === undefined ? [] : headerFaults(file, header)
}

/** Returns the rows of a CSV text that are not blank, the header first. Throws `SuiteError`. */
const parseRows = (file: string, text: string, delimiter: string, limit: { readonly to?: number } = {}): Row[] => {
  const bytes = Buffer.from(text)
  const ends: number[] = []
  try {
    const records = parse(bytes, {
      bom: true,
      ...limit,
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
 * length than the header, columns whose checks would be lost, and cells that cannot be read.
 */
export const readCsv = (file: string, text: string, extension: CsvExtension, warnings: SuiteIssue[]): CsvTest[] => {
  const [header, ...rows] = parseRows(file, text, findDelimiter(text, extension))
  if (header === undefined) return []
  const faults = headerFaults(file, header)
  if (faults.some(({ severity }) => severity === 'error')) throw new SuiteError(faults)
  warnings.push(...faults)
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
      const path = `line ${line}, column ${name}`
      const value = read({
        text: cell,
        fail: (message) => failAt(path, message),
        warn: (message) => void warnings.push({ severity: 'warning', file, path, message }),
      })
      if (value !== undefined) test[field] = value
    }
    return { test: { ...test, vars }, line }
  })
}
