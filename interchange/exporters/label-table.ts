import { parquetWriteBuffer } from 'hyparquet-writer'
import { csvLine } from '../../domain/csv.ts'

type Column = { readonly name: string; readonly kind: 'text' | 'integer' | 'double' | 'boolean' }
type Table = {
  readonly columns: readonly Column[]
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | boolean | null>>
}

const TYPES = { text: 'STRING', integer: 'INT64', double: 'DOUBLE', boolean: 'BOOLEAN' } as const

/** A table as Apache Parquet, with one row group. */
const tableParquet = ({ columns, rows }: Table): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(({ name, kind }, i) => ({
        name,
        type: TYPES[kind],
        data: rows.map((row) => {
          const value = row[i] ?? null
          if (typeof value === 'string') return value.toWellFormed()
          return kind === 'integer' && typeof value === 'number'
            ? BigInt(value)
            : kind === 'text' && value !== null
              ? String(value)
              : value
        }),
      })),
    }),
  )

/** A table as CSV. A text that a spreadsheet would run has an apostrophe before it. */
const tableCsv = ({ columns, rows }: Table): string =>
  [columns.map(({ name }) => name), ...rows].map((row) => csvLine(row)).join('')

/** A table as JSON Lines, with an object a row. */
const tableJsonl = ({ columns, rows }: Table): string =>
  rows.map((row) => `${JSON.stringify(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))}\n`).join('')

/** The writers of labels, by format. */
export const LABEL_WRITERS = { csv: tableCsv, jsonl: tableJsonl, parquet: tableParquet } as const
