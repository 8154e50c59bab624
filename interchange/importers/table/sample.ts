import { parse } from 'csv-parse/sync'
import type { Json } from '../../../domain/run/readers.ts'
import { columnNames, MAX_COLUMNS, type CsvField } from '../../read/rows/csv.ts'
import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { TableSample } from './presets.ts'

/** Reads the beginning of a table: the names of its columns, and its first row. Null if it is no table. */
export const sampleOf = (look: Look): TableSample | null => {
  if (look.kind === 'lines') return { formats: ['jsonl'], first: look.lines[0] ?? {} }
  if (look.kind === 'json') return jsonSample(look)
  if (look.kind !== 'text') return null
  const delimiter = delimiterOf(look.text)
  const [header, first] = firstRecords(look.text, delimiter)
  if (header === undefined || header.length < 2 || header.length > MAX_COLUMNS) return null
  const names = columnNames(header)
  return {
    formats: [delimiter === '\t' ? 'tsv' : 'csv'],
    first: Object.fromEntries(names.map((name, index) => [name, first?.[index] ?? null])),
  }
}

const jsonSample = ({ head, lines }: Look): TableSample | null => {
  if (Array.isArray(head)) return isObject(head[0]) ? { formats: ['json'], first: head[0] } : null
  if (!isObject(head)) return null
  // A table whose rows are lists: its columns are named once.
  const { columns, data } = head
  if (Array.isArray(columns) && Array.isArray(data) && columns.length <= MAX_COLUMNS) {
    const first: Json = (data as Json[])[0] ?? null
    const names = columnNames(columns.map((name: Json) => (typeof name === 'string' ? name : JSON.stringify(name))))
    return {
      formats: ['json'],
      first: Object.fromEntries(
        names.map((name, at) => [name, Array.isArray(first) ? ((first as Json[])[at] ?? null) : null]),
      ),
    }
  }
  // An object on one line is a file of one line as well, unless it has a list of rows.
  const hasRows = Object.values(head).some((value: Json) => Array.isArray(value) && isObject((value as Json[])[0]))
  return { formats: lines.length === 1 && !hasRows ? ['jsonl', 'json'] : ['json'], first: head }
}

const DELIMITERS = [',', '\t', ';', '|']

/** The character that is most often in the first line. */
export const delimiterOf = (text: string): string => {
  const line = text.split(/\r?\n|\r/, 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** The header and the first record; fewer if they are longer than the beginning of the file. */
const firstRecords = (text: string, delimiter: string): readonly (readonly CsvField[])[] => {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      to: 2,
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_error: true,
    })
  } catch {
    // No table, or one whose first records are longer than 64 KiB.
    return []
  }
}
