import { sql } from './sql.ts'
import type { Value } from './sql.ts'
import type { InsertRows, Token } from './storage.ts'

/** Rows of one statement at most, and characters of its one parameter. */
const MOST_ROWS = 2_000
const MOST_TEXT = 8 * 1024 * 1024

/** Bytes beyond which a value is no longer worth its hexadecimal text: it goes as it is, in a statement of few rows. */
const LARGE_BYTES = 2048
const MOST_LARGE_ROWS = 16
const MOST_LARGE_BYTES = 2 * 1024 * 1024

/**
 * The statements that insert rows, given the types of the table's columns: many rows go as one JSON parameter, which
 * costs the server a fraction of as many parameters; one row, and rows with large values, go as values.
 */
export function* insertOn({ table, columns, rows }: InsertRows, types: ReadonlyMap<string, string>): Generator<Token> {
  const names = columns.map((column) => sql.identifier([column]))
  const into = sql.fragment`INSERT INTO ${sql.identifier([table])} (${sql.join(names, sql.fragment`, `)})`
  const typeOf = (column: string): string => {
    const type = types.get(column)
    if (type === undefined) throw new Error(`table ${table} has no column ${column}`)
    return type
  }
  const asValues = (some: ReadonlyArray<readonly Value[]>): Token =>
    sql.unsafe`${into} VALUES ${sql.join(some.map((row) => sql.fragment`(${sql.join(row.map(asBound), sql.fragment`, `)})`), sql.fragment`, `)}`
  const plan = columns.map((column) => transported(typeOf(column)))
  const fields = columns.map((_, i) => sql.fragment`${sql.identifier([`c${i}`])} ${raw(plan[i]?.as ?? 'text')}`)
  const values = columns.map((_, i) => (plan[i]?.read ?? plainly)(`c${i}`))
  const many = (texts: readonly string[]): Token =>
    sql.unsafe`${into} SELECT ${sql.join(values, sql.fragment`, `)} FROM json_to_recordset(CAST(${`[${texts.join(',')}]`} AS json)) AS r(${sql.join(fields, sql.fragment`, `)})`

  let texts: string[] = []
  let first: readonly Value[] | null = null
  let length = 0
  const flush = (): Token[] => {
    const made = texts.length === 0 ? [] : texts.length === 1 && first ? [asValues([first])] : [many(texts)]
    texts = []
    first = null
    length = 0
    return made
  }
  let large: Array<readonly Value[]> = []
  let largeBytes = 0
  const flushLarge = (): Token[] => {
    const made = large.length === 0 ? [] : [asValues(large)]
    large = []
    largeBytes = 0
    return made
  }
  for (const row of rows) {
    const bytes = bytesIn(row)
    if (bytes > LARGE_BYTES) {
      if (large.length >= MOST_LARGE_ROWS || largeBytes + bytes > MOST_LARGE_BYTES) yield* flushLarge()
      large.push(row)
      largeBytes += bytes
      continue
    }
    const text = rowText(row)
    if (texts.length > 0 && (texts.length >= MOST_ROWS || length + text.length > MOST_TEXT)) yield* flush()
    first ??= row
    texts.push(text)
    length += text.length
  }
  yield* flush()
  yield* flushLarge()
}

const bytesIn = (row: readonly Value[]): number => {
  let bytes = 0
  for (const value of row) if (value instanceof Uint8Array) bytes += value.length
  return bytes
}

// What came from another thread is no Buffer any more.
const asBuffer = (bytes: Uint8Array): Buffer => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

const asBound = (value: Value) => (value instanceof Uint8Array ? sql.binary(asBuffer(value)) : sql.fragment`${value}`)

const rowText = (row: readonly Value[]): string => {
  let text = '{'
  for (let i = 0; i < row.length; i++) {
    const value = row[i] ?? null
    if (value !== null) text += `${text === '{' ? '' : ','}"c${i}":${valueText(value)}`
  }
  return `${text}}`
}

const valueText = (value: Exclude<Value, null>): string => {
  if (typeof value === 'bigint') return value.toString()
  return JSON.stringify(value instanceof Uint8Array ? asBuffer(value).toString('hex') : value)
}

const plainly = (name: string) => sql.fragment`r.${sql.identifier([name])}`

/** How a column's value travels within JSON: as which type it is read, and what is made of it. */
const transported = (type: string): { readonly as: string; readonly read: (name: string) => ReturnType<typeof plainly> } => {
  if (type === 'bytea') return { as: 'text', read: (name) => sql.fragment`decode(${plainly(name)}, 'hex')` }
  // JSON columns are given as text.
  if (type === 'json' || type === 'jsonb') return { as: 'text', read: (name) => sql.fragment`CAST(${plainly(name)} AS ${raw(type)})` }
  return { as: type, read: plainly }
}

/** A type's name from the catalogue, as it is: never anything that a request brought. */
const raw = (text: string) => ({ ...sql.fragment``, sql: text })
