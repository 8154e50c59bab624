import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { SchemaElement } from 'hyparquet-writer'
import { exporterOf } from '../../domain/report/exporter.ts'
import type { CaseText } from '../../domain/report/exporter.ts'
import { caseOf } from './case-batch.ts'
import {
  caseValues,
  collectColumns,
  NO_COLUMNS,
  OTHER_SCORES,
  runValues,
  scoresOf,
  sortedColumns,
  VARS,
} from './columns.ts'
import type { FoundColumns, RunValues } from './columns.ts'

type RowGroups = ParquetWriter['row_groups']

type State = {
  readonly run: RunValues
  /** Columns that the first pass found; null during the second. */
  readonly found: FoundColumns | null
  readonly columns: readonly string[]
  /** What the footer says of the row groups that are written. */
  readonly offset: number
  readonly rows: bigint
  readonly groups: RowGroups
}

type Kind = 'text' | 'integer' | 'double' | 'time' | 'list'

/** The fixed columns, with their types in Parquet, and whether every row has a value. */
const COLUMNS: ReadonlyArray<readonly [name: string, kind: Kind, required: boolean]> = [
  ['run_id', 'text', true],
  ['project', 'text', false],
  ['suite', 'text', false],
  ['created_at', 'time', true],
  ['case_key', 'text', true],
  ['provider', 'text', true],
  ['prompt', 'text', false],
  ['test', 'text', true],
  ['repeat', 'integer', true],
  ['name', 'text', false],
  ['status', 'text', true],
  ['score', 'double', true],
  ['cost_usd', 'double', false],
  ['latency_ms', 'integer', false],
  ['input_tokens', 'integer', false],
  ['output_tokens', 'integer', false],
  ['error_class', 'text', false],
  ['error', 'text', false],
  ['tags', 'list', true],
  ['output', 'text', false],
  [VARS, 'text', false],
]

const element = (name: string, kind: Kind, required: boolean): SchemaElement[] => {
  const repetition_type = required ? 'REQUIRED' : 'OPTIONAL'
  switch (kind) {
    case 'text':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type }]
    case 'integer':
      return [{ name, type: 'INT64', repetition_type }]
    case 'double':
      return [{ name, type: 'DOUBLE', repetition_type }]
    case 'time':
      return [
        {
          name,
          type: 'INT64',
          converted_type: 'TIMESTAMP_MILLIS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
          repetition_type,
        },
      ]
    case 'list':
      return [
        { name, converted_type: 'LIST', repetition_type, num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      ]
  }
}

const scoreColumn = (name: string): readonly [name: string, kind: Kind, required: boolean] => [
  name,
  name === OTHER_SCORES ? 'text' : 'double',
  false,
]

const schemaOf = (columns: readonly string[]): SchemaElement[] => {
  const all = [...COLUMNS, ...columns.map(scoreColumn)]
  return [{ name: 'case', num_children: all.length }, ...all.flatMap((column) => element(...column))]
}

/** A writer that continues after the row groups of a state. It writes to a buffer that begins where the file was cut. */
const resumed = ({ columns, offset, rows, groups }: State) => {
  const bytes = new ByteWriter()
  // The constructor writes the magic number, which the file has already.
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: 'SNAPPY',
    createdBy: 'evaluation-results-service',
  })
  bytes.index = 0
  bytes.offset = offset
  writer.row_groups = [...groups]
  writer.num_rows = rows
  return { writer, bytes }
}

const written = (bytes: ByteWriter): Uint8Array => bytes.getBytes()

/** The four bytes at the beginning of every Parquet file. */
const MAGIC = Buffer.from('PAR1', 'latin1')

/**
 * Apache Parquet, a row group for each batch. The first pass collects the names of the assertions, since every row group
 * has every column. A row group is made in memory, so it has at most 10,000 cases and ends after four mebibytes of
 * the document.
 */
export const parquet = exporterOf<State>({
  order: 'document',
  batch: { maxCases: 10_000, maxBytes: 4 * 1024 * 1024 },
  begin: (head) => ({
    output: [new Uint8Array(MAGIC)],
    state: { run: runValues(head), found: NO_COLUMNS, columns: [], offset: MAGIC.length, rows: 0n, groups: [] },
  }),
  add: (state, cases) => {
    if (state.found) return { output: [], state: { ...state, found: collectColumns(state.found, cases) } }
    const { writer, bytes } = resumed(state)
    const columnData = columnsOf(state, cases)
    void writer.write({ columnData, rowGroupSize: Math.max(1, cases.length) })
    return {
      output: [written(bytes)],
      state: { ...state, offset: bytes.offset, rows: writer.num_rows, groups: writer.row_groups },
    }
  },
  end: (state) => {
    if (state.found)
      return { output: [], state: { ...state, found: null, columns: sortedColumns(state.found) }, again: true }
    const { writer, bytes } = resumed(state)
    void writer.finish()
    return { output: [written(bytes)], state, again: false }
  },
})

const integer = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

/** The values of each column. */
const columnsOf = ({ run, columns }: State, cases: readonly CaseText[]) => {
  const columnData = [...COLUMNS.map(([name]) => name), ...columns].map((name) => ({
    name,
    data: new Array<unknown>(cases.length).fill(null),
    offsetIndex: false,
  }))
  const known = new Set(columns)
  const created_at = new Date(run.created_at)
  for (const [n, text] of cases.entries()) {
    const item = caseOf(text)
    const values = caseValues(item)
    const row = [
      run.run_id,
      run.project,
      run.suite,
      created_at,
      values.case_key,
      values.provider,
      values.prompt,
      values.test,
      integer(values.repeat),
      values.name?.toWellFormed() ?? null,
      values.status,
      values.score,
      values.cost_usd,
      integer(values.latency_ms),
      integer(values.input_tokens),
      integer(values.output_tokens),
      values.error_class,
      values.error?.toWellFormed() ?? null,
      values.tags,
      values.output?.toWellFormed() ?? null,
      item.vars === undefined ? null : JSON.stringify(item.vars),
    ]
    const scores = scoresOf(item.asserts, known)
    for (const [index, { name, data }] of columnData.entries())
      data[n] = index < row.length ? row[index] : (scores.get(name) ?? null)
  }
  return columnData
}
