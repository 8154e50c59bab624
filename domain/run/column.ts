import type { z } from 'zod'

// The form in which the columns of runs (`run-columns.ts`) and of cases (`case-columns.ts`) are described, and what is derived
// from a description. A description is an object of columns, in the order in which responses have them.

/** A column: of a table, of responses, or of both. */
export type Column<Source, Place extends string, Comparison extends string = string> = {
  /** Its type in the table, as queries read it. Without it, no column of the table has this name. */
  readonly stored?: z.ZodType
  /** Its value for a document. Without it, the projection has the value, or responses compute it. */
  readonly from?: (source: Source) => unknown
  /** Makes the value for the table, if the facts have another form of it. JSON is text there. */
  readonly encode?: (fact: never) => Cell
  /** Where the API shows it. */
  readonly shown?: Place
  /** What the API shows in place of the stored value. */
  readonly as?: Conversion
  /** What it is in a comparison of two runs, which reads it then. */
  readonly compared?: Comparison
  /** Its name in the CSV of a list, with the value if that differs from what the API shows. */
  readonly csv?: string | { readonly name: string; readonly value: (row: never) => Scalar }
}

type Conversion = {
  readonly type: z.ZodType
  /** The stored columns that `value` reads, if not the one of the same name. */
  readonly reads?: readonly string[]
  /** The value for a row, or for the facts of a document. Undefined if the response does not have the field. */
  readonly value: (row: never) => unknown
}

type Scalar = string | number | boolean | null
type Cell = Scalar | Buffer

type Columns = Readonly<Record<string, Column<never, string>>>
type Row = object
type Read = (row: Row) => unknown
type Encode = ((fact: unknown) => Cell) | undefined

/** The values that are taken from a document. */
export type FactsOf<C> = {
  readonly [Name in keyof C as C[Name] extends { from: unknown } ? Name : never]: C[Name] extends {
    from: (source: never) => infer Value
  }
    ? Value
    : never
}

type StoredShape<C> = {
  [Name in keyof C as C[Name] extends { stored: unknown } ? Name : never]: C[Name] extends { stored: infer Type }
    ? Type
    : never
}

/** The columns of the table that a document does not have. */
export type OwnCells<C> = Readonly<Record<Exclude<keyof StoredShape<C>, keyof FactsOf<C>>, Cell>>

type ShownShape<C, Place> = {
  [Name in keyof C as C[Name] extends { shown: Place } ? Name : never]: C[Name] extends { as: { type: infer Type } }
    ? Type
    : C[Name] extends { stored: infer Type }
      ? Type
      : never
}

// The casts below are safe: the functions select by the same properties as the types above.

/** Returns a function that takes the facts out of a document. */
export const factsFrom = <Source, C extends Readonly<Record<string, Column<Source, string>>>>(columns: C) => {
  const parts = Object.entries(columns).flatMap(([name, { from }]) => (from ? [{ name, from }] : []))
  // A copy of an object that has all names is three times as fast as adding them one by one: a document can have a million cases.
  const empty = Object.fromEntries(parts.map(({ name }) => [name, null]))
  return (source: Source): FactsOf<C> => {
    const facts: Record<string, unknown> = { ...empty }
    for (const { name, from } of parts) facts[name] = from(source)
    return facts as FactsOf<C>
  }
}

/** The columns of the table, and a function that makes a row in their order. `own` has what the facts do not have. */
export const storedTable = <C extends Columns>(columns: C) => {
  const stored = Object.entries(columns).filter((entry) => entry[1].stored !== undefined)
  const cells = stored.map(([name, { from, encode }]) => ({
    name,
    isOwn: from === undefined,
    encode: encode as Encode,
  }))
  return {
    names: stored.map(([name]) => name),
    row: (facts: FactsOf<C>, own: OwnCells<C>): Cell[] =>
      cells.map(({ name, isOwn, encode }) => {
        const value = memberIn(isOwn ? own : facts, name)
        return encode ? encode(value) : (value as Cell)
      }),
  }
}

/** The row schema of the table, as the shape of an object. */
export const storedShape = <C extends Columns>(columns: C) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, { stored }]) => (stored ? [[name, stored]] : [])),
  ) as StoredShape<C>

/** The row schema of what a comparison reads. */
export const comparedShape = <C extends Columns>(columns: C) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, { compared, stored }]) => (compared && stored ? [[name, stored]] : [])),
  ) as StoredShape<{ [Name in keyof C as C[Name] extends { compared: string } ? Name : never]: C[Name] }>

/** The schema of what the API shows in these places, as the shape of an object. */
export const shownShape = <C extends Columns, Place extends string>(columns: C, ...places: Place[]) =>
  Object.fromEntries(
    shownIn(columns, places).map(([name, { as, stored }]) => [name, as?.type ?? stored]),
  ) as ShownShape<C, Place>

/** The row schema of what is read to show these places: their own columns, and others that conversions read. */
export const readShape = <C extends Columns, Place extends string>(columns: C, ...places: Place[]) => {
  const names = shownIn(columns, places).flatMap(([name, { as }]) => as?.reads ?? [name])
  return Object.fromEntries(names.map((name) => [name, columns[name]?.stored])) as StoredShape<{
    [Name in keyof C as C[Name] extends { shown: Place } ? Name : never]: C[Name]
  }>
}

/** Returns a function that makes the fields of these places from a row or from facts, in order. */
export const shownFields = (columns: Columns, ...places: string[]) => {
  const fields = shownIn(columns, places).map(([name, column]) => [name, readerOf(name, column)] as const)
  return (row: Row): Record<string, unknown> => {
    const shown: Record<string, unknown> = {}
    for (const [name, read] of fields) {
      const value = read(row)
      if (value !== undefined) shown[name] = value
    }
    return shown
  }
}

/**
 * Returns a function that writes the fields of these places as a JSON object; objects would take three times as long. Columns
 * in `texts` are JSON text already. A row always has the first field.
 */
export const shownText = (columns: Columns, places: readonly string[], texts: readonly string[] = []) => {
  const fields = shownIn(columns, places).map(([name, { as }], at) => ({
    name,
    key: `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    convert: as?.value as Read | undefined,
    isText: texts.includes(name),
  }))
  return (row: Row): string => {
    let text = ''
    for (const { name, key, convert, isText } of fields) {
      const value = convert ? convert(row) : memberIn(row, name)
      if (value === undefined) continue
      text += key
      if (value === null) text += 'null'
      else if (typeof value === 'number' || typeof value === 'boolean') text += String(value)
      else text += isText && typeof value === 'string' ? value : JSON.stringify(value)
    }
    return `${text}}`
  }
}

const shownIn = (columns: Columns, places: readonly string[]) =>
  Object.entries(columns).filter(([, { shown }]) => shown !== undefined && places.includes(shown))

const readerOf = (name: string, { as }: Column<never, string>): Read =>
  (as?.value as Read | undefined) ?? memberReader(name)

const memberReader =
  (name: string): Read =>
  (row) =>
    memberIn(row, name)

const memberIn = (row: Row, name: string): unknown => (row as Readonly<Record<string, unknown>>)[name]

/** The columns of a CSV: `first`, then all others. Its rows are stored ones, or as the API shows them. */
export const csvColumns = <C extends Columns>(
  columns: C,
  rows: 'stored' | 'shown',
  first: ReadonlyArray<keyof C & string>,
) => {
  const rest = Object.keys(columns).filter((name) => !first.includes(name))
  return [...first, ...rest].flatMap((name) => {
    const column = columns[name]
    if (column?.csv === undefined) return []
    const read = rows === 'stored' ? readerOf(name, column) : memberReader(name)
    const { header, value } =
      typeof column.csv === 'string'
        ? { header: column.csv, value: read }
        : { header: column.csv.name, value: column.csv.value as Read }
    return [{ header, value: value as (row: Row) => Scalar }]
  })
}
