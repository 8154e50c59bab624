import { sql } from '../sql.ts'
import type { InsertRows, Token, Value } from '../storage.ts'

/** The limits of one statement: rows, and the size of its parameters in characters and bytes. */
const MAX_ROWS = 2_000
const MAX_SIZE = 1024 * 1024

/**
 * Types that are sent in the server's binary format, separately from the JSON of the other columns. The number is the
 * type's OID, which an array names.
 */
const BINARY: Readonly<Record<string, number>> = { bytea: 17, tsvector: 3614 }

/**
 * The statements that insert rows, given the types of the table's columns. Many rows are sent as one JSON parameter,
 * plus one array per column of bytes. That costs the server a fraction of one parameter per value. A single row is sent
 * as values.
 */
export function* insertRowsOn(
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
  const plan = columns.map((column, i) => ({ name: sql.identifier([`c${i}`]), place: i, type: typeOf(column) }))
  const plain = plan.filter(({ type }) => !(type in BINARY))
  const binary = plan.filter(({ type }) => type in BINARY)
  const fields = comma(plain.map(({ name, type }) => sql.fragment`${name} ${raw(transported(type))}`))
  const found = comma([...plain, ...binary].map(({ name }) => name))
  const values = comma(
    plan.map(({ name, type }) =>
      transported(type) === type ? sql.fragment`r.${name}` : sql.fragment`CAST(r.${name} AS ${raw(type)})`,
    ),
  )

  const asValues = (row: readonly Value[]): Token => sql.unsafe`${into} VALUES (${comma(row.map(asBound))})`
  const asArrays = (texts: readonly string[], some: ReadonlyArray<readonly Value[]>): Token => {
    const json = sql.fragment`json_to_recordset(CAST(${`[${texts.join(',')}]`} AS json)) AS (${fields})`
    const arrays = binary.map(
      ({ place, type }) =>
        sql.fragment`unnest(CAST(${sql.binary(
          arrayOf(
            BINARY[type] ?? 0,
            some.map((row) => row[place] ?? null),
          ),
        )} AS ${raw(type)}[]))`,
    )
    return sql.unsafe`${into} SELECT ${values} FROM ROWS FROM (${comma([json, ...arrays])}) AS r (${found})`
  }

  let texts: string[] = []
  let taken: Array<readonly Value[]> = []
  let size = 0
  const flush = (): Token[] => {
    const [first] = taken
    const made = first === undefined ? [] : [taken.length === 1 ? asValues(first) : asArrays(texts, taken)]
    texts = []
    taken = []
    size = 0
    return made
  }
  for (const row of rows) {
    const text = textOf(row, plain)
    const more = text.length + bytesIn(row)
    if (taken.length > 0 && (taken.length >= MAX_ROWS || size + more > MAX_SIZE)) yield* flush()
    texts.push(text)
    taken.push(row)
    size += more
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

const textOf = (row: readonly Value[], plain: ReadonlyArray<{ readonly place: number }>): string => {
  let text = '{'
  for (const { place } of plain) {
    const value = row[place] ?? null
    if (value !== null)
      text += `${text === '{' ? '' : ','}"c${place}":${typeof value === 'bigint' ? value.toString() : JSON.stringify(value)}`
  }
  return `${text}}`
}

/**
 * An array in the server's binary format: dimensions, whether it contains a null, type, length, first index; then each
 * item with its length.
 */
const arrayOf = (type: number, values: readonly Value[]): Buffer => {
  const known = values.map((value) => (value instanceof Uint8Array ? value : null))
  const array = Buffer.allocUnsafe(20 + known.reduce((bytes, value) => bytes + 4 + (value?.length ?? 0), 0))
  let at = 0
  for (const head of [1, known.includes(null) ? 1 : 0, type, known.length, 1]) at = array.writeInt32BE(head, at)
  for (const value of known) {
    at = array.writeInt32BE(value?.length ?? -1, at)
    if (value) array.set(value, at)
    at += value?.length ?? 0
  }
  return array
}

/** The type as which JSON carries a column's value: JSON columns are carried as text. */
const transported = (type: string): string => (type === 'json' || type === 'jsonb' ? 'text' : type)

/** A type name from the catalogue, unescaped: never pass anything from a request. */
const raw = (text: string) => ({ ...sql.fragment``, sql: text })
