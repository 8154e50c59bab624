import { sql } from '../sql.ts'
import type { InsertRows, Token, Value } from '../storage.ts'

/** The limits of one statement: rows, and the size of its parameters in characters and bytes. */
const MAX_ROWS = 2_000
const MAX_SIZE = 1024 * 1024

/**
 * Types that are sent in the server's binary format, separately from the JSON of the other columns. The number is the
 * type's OID, which a binary array contains.
 */
const BINARY: Readonly<Record<string, number>> = { bytea: 17, tsvector: 3614 }

/**
 * The statements that insert rows, given the types of the table's columns. Many rows are sent as one JSON parameter,
 * plus one array per column of bytes. That costs the server a fraction of what one parameter per value would cost. A
 * single row is sent as values.
 */
export function* insertStatements(
  { table, columns, rows }: InsertRows,
  types: ReadonlyMap<string, string>,
): Generator<Token> {
  const typeOf = (column: string): string => {
    const type = types.get(column)
    if (type === undefined) throw new Error(`table ${table} has no column ${column}`)
    return type
  }
  const names = columns.map((column) => sql.identifier([column]))
  const into = sql.fragment`INSERT INTO ${sql.identifier([table])} (${comma(names)})`
  const plan = columns.map((column, i) => ({ name: sql.identifier([`c${i}`]), index: i, type: typeOf(column) }))
  const jsonColumns = plan.filter(({ type }) => !(type in BINARY))
  const binaryColumns = plan.filter(({ type }) => type in BINARY)
  const fields = comma(jsonColumns.map(({ name, type }) => sql.fragment`${name} ${raw(jsonType(type))}`))
  const aliases = comma([...jsonColumns, ...binaryColumns].map(({ name }) => name))
  const values = comma(
    plan.map(({ name, type }) =>
      jsonType(type) === type ? sql.fragment`r.${name}` : sql.fragment`CAST(r.${name} AS ${raw(type)})`,
    ),
  )

  const asValues = (row: readonly Value[]): Token => sql.unsafe`${into} VALUES (${comma(row.map(asBound))})`
  const asJsonAndArrays = (batchTexts: readonly string[], batchRows: ReadonlyArray<readonly Value[]>): Token => {
    const json = sql.fragment`json_to_recordset(CAST(${`[${batchTexts.join(',')}]`} AS json)) AS (${fields})`
    const arrays = binaryColumns.map(
      ({ index, type }) =>
        sql.fragment`unnest(CAST(${sql.binary(
          binaryArray(
            BINARY[type] ?? 0,
            batchRows.map((row) => row[index] ?? null),
          ),
        )} AS ${raw(type)}[]))`,
    )
    return sql.unsafe`${into} SELECT ${values} FROM ROWS FROM (${comma([json, ...arrays])}) AS r (${aliases})`
  }

  let batchTexts: string[] = []
  let batchRows: Array<readonly Value[]> = []
  let size = 0
  const flush = (): Token[] => {
    const [first] = batchRows
    const statements =
      first === undefined ? [] : [batchRows.length === 1 ? asValues(first) : asJsonAndArrays(batchTexts, batchRows)]
    batchTexts = []
    batchRows = []
    size = 0
    return statements
  }
  for (const row of rows) {
    const text = rowText(row, jsonColumns)
    const rowSize = text.length + bytesIn(row)
    if (batchRows.length > 0 && (batchRows.length >= MAX_ROWS || size + rowSize > MAX_SIZE)) yield* flush()
    batchTexts.push(text)
    batchRows.push(row)
    size += rowSize
  }
  yield* flush()
}

const comma = (parts: Parameters<typeof sql.join>[0]) => sql.join(parts, sql.fragment`, `)

const bytesIn = (row: readonly Value[]): number => {
  let bytes = 0
  for (const value of row) if (value instanceof Uint8Array) bytes += value.length
  return bytes
}

// Bytes that another thread sent are a Uint8Array and no longer a Buffer.
const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const asBound = (value: Value) => (value instanceof Uint8Array ? sql.binary(asBuffer(value)) : sql.fragment`${value}`)

const rowText = (row: readonly Value[], jsonColumns: ReadonlyArray<{ readonly index: number }>): string => {
  let text = '{'
  for (const { index } of jsonColumns) {
    const value = row[index] ?? null
    if (value !== null)
      text += `${text === '{' ? '' : ','}"c${index}":${typeof value === 'bigint' ? value.toString() : JSON.stringify(value)}`
  }
  return `${text}}`
}

/**
 * An array in the server's binary format: dimensions, whether it contains a null, type, length, first index; then each
 * item with its length.
 */
const binaryArray = (type: number, values: readonly Value[]): Buffer => {
  const items = values.map((value) => (value instanceof Uint8Array ? value : null))
  const array = Buffer.allocUnsafe(20 + items.reduce((bytes, value) => bytes + 4 + (value?.length ?? 0), 0))
  let offset = 0
  for (const word of [1, items.includes(null) ? 1 : 0, type, items.length, 1]) offset = array.writeInt32BE(word, offset)
  for (const value of items) {
    offset = array.writeInt32BE(value?.length ?? -1, offset)
    if (value) array.set(value, offset)
    offset += value?.length ?? 0
  }
  return array
}

/** The type of a column in the JSON parameter: JSON columns are sent as text. */
const jsonType = (type: string): string => (type === 'json' || type === 'jsonb' ? 'text' : type)

/** A type name from the catalogue, unescaped: never pass anything from a request. */
const raw = (text: string) => ({ ...sql.fragment``, sql: text })
