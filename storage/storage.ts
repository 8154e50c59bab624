import type { QuerySqlToken } from '@slonik/sql-tag'

/** The two storages. One SQL text serves both wherever possible. */
export type Dialect = 'sqlite' | 'postgres'

/** An SQL text with its values. If no single text runs on both storages, `postgres` is the one for PostgreSQL. */
export type Token = Omit<QuerySqlToken, 'parser'> & { readonly parser: unknown; readonly postgres?: Token }

/**
 * A read as a value: a reader runs it, or a command lists it among its facts. If the token is null, the result is
 * constant.
 */
export type Query<T> = {
  readonly token: Token | null
  readonly shape: (rows: readonly unknown[]) => T
  /** Whether PostgreSQL prepares the statement once on each connection. See `prepared`. */
  readonly isPrepared?: true
}

export type Queries = Readonly<Record<string, Query<unknown>>>
export type Results<Q extends Queries> = { readonly [K in keyof Q]: Q[K] extends Query<infer T> ? T : never }

/** One write: a token, or many rows for one table. */
export type Statement = Token | InsertRows
export type InsertRows = {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly Value[]>
  /** The rows for PostgreSQL, if its table of that name has a different shape. */
  readonly postgres?: InsertRows
}

/** The interface of every read path. */
export type Reader = {
  readonly dialect: Dialect
  /** Runs one query in its own snapshot. */
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Runs several queries in one snapshot. */
  readonly readAll: <Q extends Queries>(queries: Q) => Promise<Results<Q>>
}

export type Head = { readonly size: number; readonly root: Buffer; readonly recorded_at: number }

/** The values of a column: booleans as they are, JSON columns as text, bytes as Buffer. */
export type Value = string | number | bigint | boolean | Buffer | null
