import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { rowOf, type Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { tableRows } from '../table/rows.ts'

const ANNOTATION =
  /^annotation_(.+)_(label|score|explanation|metadata|annotator_kind|trace_id|error|start_time|end_time)$/
const NUMBERS = ['repetition_number', 'latency_ms', 'prompt_token_count', 'completion_token_count'] as const
const JSON_COLUMNS = ['input', 'reference_output', 'output', 'metadata'] as const

/** Reads the rows of a CSV download in the shape that the JSON download has. */
export const csvRows = async function* (file: SourceFile, losses: Losses): AsyncGenerator<Row> {
  for await (const { values } of tableRows(file, { format: 'csv' }, losses)) {
    const row: Record<string, Json> = {}
    const annotations = new Map<string, Record<string, Json>>()
    for (const [column, value] of Object.entries(values)) {
      const [, name, field] = ANNOTATION.exec(column) ?? []
      if (name === undefined || field === undefined) row[column] = value
      else {
        const annotation = annotations.get(name) ?? { name }
        annotation[field] = field === 'score' ? numberIn(value) : field === 'metadata' ? jsonIn(value) : value
        annotations.set(name, annotation)
      }
    }
    for (const column of NUMBERS) if (Object.hasOwn(row, column)) row[column] = numberIn(row[column]!)
    for (const column of JSON_COLUMNS) if (Object.hasOwn(row, column)) row[column] = jsonIn(row[column]!)
    row['annotations'] = [...annotations.values()]
    yield rowOf(row, '*')
  }
}

/** A number, or the text that is none. */
const numberIn = (value: Json): Json => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : value
}

/** The object or list that a text is as JSON, else the text. */
const jsonIn = (value: Json): Json => {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  return jsonOrText(value)
}
