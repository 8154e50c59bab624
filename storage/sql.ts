import { createSqlTag, type FragmentSqlToken, type QuerySqlToken } from '@slonik/sql-tag'
import type { InsertRows, Query, Statement, Value } from './storage.ts'

/** Slonik's tags. The same text runs on both storages as long as it only uses the SQL that both understand. */
export const sql = createSqlTag()

export type Fragment = FragmentSqlToken | ReturnType<typeof sql.and>

export type Schema = { readonly '~standard': { readonly types?: { readonly output: unknown } | undefined } }
type OutputOf<S> = S extends { readonly '~standard': { readonly types?: { readonly output: infer O } | undefined } }
  ? O
  : never

/** A token with the type of its row schema. */
export type Typed<S extends Schema> = Omit<QuerySqlToken, 'parser'> & {
  readonly parser: S
  readonly postgres?: Typed<S>
}

/** A token with a different text for PostgreSQL and the same row schema. */
export const perDialect = <S extends Schema>(sqlite: Typed<S>, postgres: Typed<S>): Typed<S> => ({
  ...sqlite,
  postgres,
})

/** All rows. */
export const any = <S extends Schema>(token: Typed<S>): Query<Array<OutputOf<S>>> => ({
  token,
  shape: (rows) => rows as Array<OutputOf<S>>,
})

/** The only row, or null. More than one row is a bug in the query. */
export const maybeOne = <S extends Schema>(token: Typed<S>): Query<OutputOf<S> | null> => ({
  token,
  shape: (rows) => {
    if (rows.length > 1) throw new Error(`expected one row at most, got ${rows.length}: ${token.sql}`)
    return (rows[0] ?? null) as OutputOf<S> | null
  },
})

/** Exactly one row. */
export const one = <S extends Schema>(token: Typed<S>): Query<OutputOf<S>> => ({
  token,
  shape: (rows) => {
    if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}: ${token.sql}`)
    return rows[0] as OutputOf<S>
  },
})

/** A query with a constant result, which needs no database. */
export const constant = <T>(value: T): Query<T> => ({ token: null, shape: () => value })

/** A query whose result is passed through a pure function. */
export const mapped = <A, B>(query: Query<A>, change: (result: A) => B): Query<B> => ({
  token: query.token,
  shape: (rows) => change(query.shape(rows)),
})

/**
 * A query whose plan on PostgreSQL need not depend on its values. Its text is from a small fixed set. To parse and plan a small
 * statement takes longer than to run it.
 */
export const prepared = <T>(query: Query<T>): Query<T> => ({ ...query, isPrepared: true })

/** A write without a result: what projectors return. */
export const statement = (
  template: TemplateStringsArray,
  ...values: Parameters<typeof sql.unsafe> extends [unknown, ...infer V] ? V : never
): Statement => sql.unsafe(template, ...values)

/** A statement with other values. One that every write needs is built once: to build it takes longer than to run it. */
export const withValues = (token: QuerySqlToken, ...values: readonly Value[]): Statement => ({
  ...token,
  values,
})

/**
 * Inserts many rows into one table: the only bulk statement of the seam. Rows are arrays in the order of the columns.
 */
export const insertRows = (
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Value[]>,
): InsertRows => ({ table, columns, rows })

/** The lengths of padded lists. They are few, because each length is another SQL text, which is parsed and prepared separately. */
const LENGTHS = [1, 8, 64, 512]
const LONGEST = 512

/** The number that fills a list up. No index of a case and no number of an entry is negative. */
const ABSENT = -1

/** Numbers for `IN (…)`. The list is padded to one of few lengths, so that queries with lists share their SQL texts. */
export const numberList = (numbers: readonly number[]): Fragment => {
  const length = LENGTHS.find((each) => each >= numbers.length) ?? Math.ceil(numbers.length / LONGEST) * LONGEST
  return sql.fragment`${sql.join(
    Array.from({ length }, (_, i) => numbers[i] ?? ABSENT),
    sql.fragment`, `,
  )}`
}

/** Builds a query over the merged rows of several parts. `orderedUnion` returns such a function. */
export type OrderedUnion = <S extends Schema>(query: (rows: Fragment) => Typed<S>) => Typed<S>

/**
 * Merges parts whose indexes have the same order into rows in that order. The query reads at most `limit` of these
 * rows. SQLite merges the parts while it reads. PostgreSQL sorts all rows of all parts, unless each part has its own
 * limit.
 */
export const orderedUnion =
  (
    parts: readonly Fragment[],
    order: Fragment,
    limit: number,
    operator: Fragment = sql.fragment`UNION ALL`,
  ): OrderedUnion =>
  (query) => {
    const rowsOf = (each: readonly Fragment[]): Fragment =>
      sql.fragment`${sql.join(each, sql.fragment` ${operator} `)} ORDER BY ${order}`
    if (parts.length < 2) return query(rowsOf(parts))
    // Built only when it is read, because SQLite does not need the second text.
    let limited: ReturnType<typeof query> | undefined
    return {
      ...query(rowsOf(parts)),
      get postgres() {
        const each = parts.map((part) => sql.fragment`SELECT * FROM (${part} ORDER BY ${order} LIMIT ${limit}) range`)
        return (limited ??= query(rowsOf(each)))
      },
    }
  }
