import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { exporterOf, type CaseText, type ExportStep } from '../../domain/report/exporter.ts'
import { caseOf, SMALL_BATCH } from './case-batch.ts'
import {
  caseValues,
  collectColumns,
  HIDDEN_BY,
  hiddenBy,
  NO_COLUMNS,
  OTHER_SCORES,
  runValues,
  scoresOf,
  sortedColumns,
  VARS,
  type FoundColumns,
  type RunValues,
} from './columns.ts'

type RowGroups = ParquetWriter['row_groups']

/** The values of a case in the order of the columns. */
type Row = readonly unknown[]

type State = {
  readonly run: RunValues
  /** Whether the file has the column of hidden cases. */
  readonly hasHidden: boolean
  /** Columns that the first pass found; null during the second. */
  readonly found: FoundColumns | null
  readonly columns: readonly string[]
  /** The rows of the next row group, and the bytes of their cases. */
  readonly open: { readonly rows: readonly Row[]; readonly bytes: number }
  /** What the footer says of the row groups that are written. */
  readonly offset: number
  readonly rows: bigint
  readonly groups: RowGroups
}

type Kind = 'text' | 'integer' | 'double' | 'time' | 'list'

type Column = readonly [name: string, kind: Kind, required: boolean]

/** The fixed columns, with their types in Parquet, and whether every row has a value. */
const COLUMNS: readonly Column[] = [
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

const scoreColumn = (name: string): Column => [name, name === OTHER_SCORES ? 'text' : 'double', false]

const fixedColumns = ({ hasHidden }: Pick<State, 'hasHidden'>): readonly Column[] =>
  hasHidden ? [...COLUMNS, [HIDDEN_BY, 'integer', false]] : COLUMNS

const schemaOf = (state: State): SchemaElement[] => {
  const all = [...fixedColumns(state), ...state.columns.map(scoreColumn)]
  return [{ name: 'case', num_children: all.length }, ...all.flatMap((column) => element(...column))]
}

/** A writer that continues after the row groups of a state. It writes to a buffer that begins where the file was cut. */
const resumed = (state: State) => {
  const { offset, rows, groups } = state
  const bytes = new ByteWriter()
  // The constructor writes the magic number, which the file has already.
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(state),
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

/** A row group ends with the batch that reaches one of these limits. */
const MAX_GROUP_ROWS = 10_000
const MAX_GROUP_BYTES = 4 * 1024 * 1024

const EMPTY_GROUP: State['open'] = { rows: [], bytes: 0 }

/** Writes the open rows as a row group, which is made in memory. */
const closeGroup = (state: State): ExportStep<State> => {
  const { rows } = state.open
  if (rows.length === 0) return { output: [], state }
  const { writer, bytes } = resumed(state)
  const columnData = columnNames(state).map((name, index) => ({
    name,
    data: rows.map((row) => row[index]),
    offsetIndex: false,
  }))
  void writer.write({ columnData, rowGroupSize: rows.length })
  return {
    output: [written(bytes)],
    state: { ...state, open: EMPTY_GROUP, offset: bytes.offset, rows: writer.num_rows, groups: writer.row_groups },
  }
}

/**
 * Apache Parquet. The first pass collects the names of the assertions, since every row group has every column. Cases are
 * read in small batches and only their values are collected for a row group, so that their texts can be freed early.
 */
export const parquet = exporterOf<State>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: (head) => ({
    output: [new Uint8Array(MAGIC)],
    state: {
      run: runValues(head),
      hasHidden: head.hidden_cases > 0,
      found: NO_COLUMNS,
      columns: [],
      open: EMPTY_GROUP,
      offset: MAGIC.length,
      rows: 0n,
      groups: [],
    },
  }),
  add: (state, cases) => {
    if (state.found) return { output: [], state: { ...state, found: collectColumns(state.found, cases) } }
    const open = {
      rows: [...state.open.rows, ...rowsOf(state, cases)],
      bytes: cases.reduce((sum, { bytes }) => sum + bytes.length, state.open.bytes),
    }
    return open.rows.length >= MAX_GROUP_ROWS || open.bytes >= MAX_GROUP_BYTES
      ? closeGroup({ ...state, open })
      : { output: [], state: { ...state, open }, isOpen: true }
  },
  end: (state) => {
    if (state.found)
      return { output: [], state: { ...state, found: null, columns: sortedColumns(state.found) }, again: true }
    const last = closeGroup(state)
    const { writer, bytes } = resumed(last.state)
    void writer.finish()
    return { output: [...last.output, written(bytes)], state: last.state, again: false }
  },
})

const integer = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

const columnNames = (state: State): string[] => [...fixedColumns(state).map(([name]) => name), ...state.columns]

const rowsOf = ({ run, hasHidden, columns }: State, cases: readonly CaseText[]): Row[] => {
  const known = new Set(columns)
  const created_at = new Date(run.created_at)
  return cases.map((text) => {
    const item = caseOf(text)
    const values = caseValues(item)
    const scores = scoresOf(item.asserts, known)
    return [
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
      ...(hasHidden ? [integer(hiddenBy(text))] : []),
      ...columns.map((column) => scores.get(column) ?? null),
    ]
  })
}
