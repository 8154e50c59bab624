import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { type Losses, NO_LOSSES } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { columnNames, csvRecords } from '../../read/rows/csv.ts'
import { jsonElements, jsonSkeleton, MAX_ELEMENT_BYTES, type JsonShape } from '../../read/json/json-elements.ts'
import { splitLines } from '../../read/lines.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { TableMap } from './map.ts'

/** A row of a table. `number` counts from 1; the header of a CSV file is row 1, as a spreadsheet shows it. */
export type TableRow = { readonly number: number; readonly values: Record<string, Json> }

/** How a file holds the rows of a table. */
export type Layout = Pick<TableMap, 'format'> & Partial<Pick<TableMap, 'delimiter' | 'rows' | 'header'>>

/**
 * Reads the rows of a table one by one. A row that cannot be read is left out, and recorded with its number; a file that
 * ends inside of its last row is recorded as cut. Throws `SourceRefused` if the file is not of the layout.
 */
export const tableRows = (file: SourceFile, layout: Layout, losses: Losses): AsyncIterable<TableRow> => {
  if (layout.format === 'jsonl') return lineRows(file, losses)
  if (layout.format === 'json') return jsonRows(file, layout, losses)
  return csvRows(file, layout.delimiter ?? (layout.format === 'tsv' ? '\t' : ','), losses)
}

/** Records that a row is not in the document. */
export const leaveOut = (losses: Losses, number: number, value: unknown, reason: string): void =>
  losses.add('left_out', `row ${number}`, value, reason)

const csvRows = async function* (file: SourceFile, delimiter: string, losses: Losses): AsyncGenerator<TableRow> {
  let columns: readonly string[] | null = null
  let count = 0
  for await (const batch of csvRecords(file.bytes(), { delimiter }))
    for (const record of batch) {
      if ('bad' in record) {
        if (record.isCut)
          losses.addBytes(
            'cut',
            '(file)',
            0,
            `cut off after ${counted(count, 'row')}: ${record.bad} in row ${record.row}`,
          )
        else leaveOut(losses, record.row, '', record.bad)
        continue
      }
      const { row, fields } = record
      if (columns === null) {
        columns = columnNames(fields)
        continue
      }
      if (fields.length !== columns.length) {
        leaveOut(losses, row, fields, `has ${counted(fields.length, 'field')}, and the header ${columns.length}`)
        continue
      }
      count += 1
      const values: Record<string, Json> = {}
      for (let index = 0; index < columns.length; index++) {
        const field = fields[index]
        if (field !== null && field !== undefined) define(values, columns[index]!, field)
      }
      yield { number: row, values }
    }
}

/** Sets a member whose name may be `__proto__`. */
const define = (values: Record<string, Json>, name: string, value: Json) => {
  if (name === '__proto__')
    Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
  else values[name] = value
}

const lineRows = async function* (file: SourceFile, losses: Losses): AsyncGenerator<TableRow> {
  let torn: { readonly number: number; readonly text: string; readonly reason: string } | null = null
  let count = 0
  for await (const { line, bytes } of splitLines(file.bytes(), MAX_ELEMENT_BYTES)) {
    if (torn) leaveOut(losses, torn.number, torn.text, torn.reason)
    torn = null
    if (bytes === null) {
      leaveOut(losses, line, '', `longer than ${MAX_ELEMENT_BYTES} bytes`)
      continue
    }
    try {
      const values = parseJson(bytes, losses, `row ${line}`)
      if (isObject(values)) {
        count += 1
        yield { number: line, values }
      } else leaveOut(losses, line, values, 'not an object')
    } catch (error) {
      if (!(error instanceof SourceRefused)) throw error
      torn = { number: line, text: Buffer.from(bytes).toString('utf8'), reason: error.message }
    }
  }
  // The last line is torn if the file was cut off.
  if (torn) losses.add('cut', '(file)', torn.text, `cut off after ${counted(count, 'row')}`)
}

const pathSteps = (path: string | undefined): readonly string[] => (path === undefined ? [] : path.split('.'))

const shapeOf = ({ rows }: Layout): JsonShape => ({ arrays: [pathSteps(rows)] })

const jsonRows = async function* (file: SourceFile, layout: Layout, losses: Losses): AsyncGenerator<TableRow> {
  const columns = await headerOf(file, layout)
  for await (const { index, value } of jsonElements(file.bytes(), shapeOf(layout), losses)) {
    if (columns !== null) {
      if (!Array.isArray(value) || value.length !== columns.length)
        leaveOut(losses, index + 1, value, `is not a list of ${columns.length} values, as the header is`)
      else {
        const values: Record<string, Json> = {}
        for (const [at, name] of columns.entries()) define(values, name, value[at] as Json)
        yield { number: index + 1, values }
      }
    } else if (isObject(value)) yield { number: index + 1, values: value }
    else leaveOut(losses, index + 1, value, 'not an object')
  }
}

/** The names of the columns of a table whose rows are lists; null for rows that are objects. */
const headerOf = async (file: SourceFile, layout: Layout): Promise<readonly string[] | null> => {
  if (layout.header === undefined) return null
  const path = pathSteps(layout.header)
  const names = pathSteps(layout.header).reduce<Json | undefined>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    // The header is read as part of all that is no row.
    await jsonSkeleton(file.bytes(), shapeOf(layout), NO_LOSSES),
  )
  if (!Array.isArray(names)) throw new SourceRefused(`has no list of columns at ${path.join('.')}`)
  return columnNames(names.map((name: Json) => (typeof name === 'string' ? name : JSON.stringify(name))))
}

/** What a JSON file has around its rows; null for other files. */
export const aroundRows = async (file: SourceFile, layout: Layout): Promise<Json> => {
  if (layout.format !== 'json') return null
  const around = await jsonSkeleton(file.bytes(), shapeOf(layout), NO_LOSSES)
  return isObject(around) ? around : null
}
