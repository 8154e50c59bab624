import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { exporterOf, type CaseText, type ExportStep } from '../../domain/report/exporter.ts'
import { parsedCase, SMALL_BATCH } from './case-batch.ts'
import {
  ADDED_COLUMNS,
  CASE_COLUMNS,
  collectColumns,
  COMMENTS,
  commentsOf,
  commentsOfCases,
  HIDDEN_BY,
  hiddenBy,
  NO_COLUMNS,
  OTHER_SCORES,
  RUN_COLUMNS,
  scoreColumns,
  sortedColumns,
  VARS_COLUMN,
  type CaseComments,
  type ColumnKind,
  type FoundColumns,
  type Value,
} from './columns.ts'

type RowGroups = ParquetWriter['row_groups']

/** The values of a case in the order of the columns. */
type Row = readonly unknown[]

type State = {
  /** The cells of the run, which every row begins with. */
  readonly run: Row
  /** The cells of what was added to the run; empty if nothing was. */
  readonly added: Row
  /** The comments on its cases; null if there are none, and the file has no column for them. */
  readonly comments: CaseComments | null
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

/** The columns of a case whose values a row group has. */
const OF_CASE = [...CASE_COLUMNS, VARS_COLUMN]

const element = ({ name, kind, isRequired }: SchemaColumn): SchemaElement[] => {
  const repetition_type = isRequired ? 'REQUIRED' : 'OPTIONAL'
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

type SchemaColumn = { readonly name: string; readonly kind: ColumnKind; readonly isRequired: boolean }

/** All columns of a file: the fixed ones, that of hidden cases, and those of assertions. */
const parquetColumns = ({ added, comments, hasHidden, columns }: State): readonly SchemaColumn[] => [
  ...RUN_COLUMNS,
  ...OF_CASE,
  ...(hasHidden ? [{ name: HIDDEN_BY, kind: 'integer' as const, isRequired: false }] : []),
  ...(added.length > 0 ? ADDED_COLUMNS : []),
  ...(comments ? [COMMENTS] : []),
  ...columns.map((name) => ({
    name,
    kind: name === OTHER_SCORES ? ('text' as const) : ('double' as const),
    isRequired: false,
  })),
]

const schemaOf = (state: State): SchemaElement[] => {
  const all = parquetColumns(state)
  return [{ name: 'case', num_children: all.length }, ...all.flatMap(element)]
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
  const columnData = parquetColumns(state).map(({ name }, index) => ({
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
      run: RUN_COLUMNS.map(({ kind, value }) => cell(kind, value(head))),
      added: head.added ? ADDED_COLUMNS.map(({ kind, value }) => cell(kind, value(head))) : [],
      comments: commentsOfCases(head),
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
      rows: [...state.open.rows, ...parquetRows(state, cases)],
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

/** A value as the writer takes it. */
const cell = (kind: ColumnKind, value: Value): unknown => {
  if (value === null) return null
  if (typeof value === 'string') return value.toWellFormed()
  return kind === 'integer' ? BigInt(value as number) : kind === 'time' ? new Date(value as number) : value
}

const parquetRows = ({ run, added, comments, hasHidden, columns }: State, cases: readonly CaseText[]): Row[] => {
  const known = new Set(columns)
  return cases.map((text) => {
    const item = parsedCase(text)
    const scores = scoreColumns(item.asserts, known)
    return [
      ...run,
      ...OF_CASE.map(({ kind, value }) => cell(kind, value(item))),
      ...(hasHidden ? [cell('integer', hiddenBy(text))] : []),
      ...added,
      ...(comments ? [cell(COMMENTS.kind, commentsOf(comments, item, text))] : []),
      ...columns.map((column) => scores.get(column) ?? null),
    ]
  })
}
