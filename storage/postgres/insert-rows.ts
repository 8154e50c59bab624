import { sql } from '../sql.ts'
import type { InsertRows, Token, Value } from '../storage.ts'

/** Rows of one statement at most, and characters and bytes of its parameters. */
const MAX_ROWS = 2_000
const MAX_SIZE = 1024 * 1024

/**
 * Types that travel as the server itself holds them, beside the JSON of the other columns, by the number that an array
 * of them names.
 */
const BINARY: Readonly<Record<string, number>> = { bytea: 17, tsvector: 3614 }

/**
 * The statements that insert rows, given the types of the table's columns: many rows go as one JSON parameter, and an
 * array for each column of bytes, which costs the server a fraction of as many parameters; one row goes as values.
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

// What came from another thread is no Buffer any more.
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
 * An array as the server sends and takes it: its dimensions, whether a null is in it, the type, how many, from which
 * index on; then each by its length.
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

/** As which type a column's value is read from JSON: JSON columns are given as text. */
const transported = (type: string): string => (type === 'json' || type === 'jsonb' ? 'text' : type)

/** A type's name from the catalogue, as it is: never anything that a request brought. */
const raw = (text: string) => ({ ...sql.fragment``, sql: text })
