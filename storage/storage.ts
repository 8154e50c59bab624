import type { QuerySqlToken } from '@slonik/sql-tag'

/** Which of the two storages: one SQL text serves both wherever it can. */
export type Dialect = 'sqlite' | 'postgres'

/** A text with its values. `postgres` stands in for it there, where the common tongue has no word. */
export type Token = Omit<QuerySqlToken, 'parser'> & { readonly parser: unknown; readonly postgres?: Token }

/**
 * A read as a value: run on a reader, or listed under a command's facts. Without a token the answer is known already.
 */
export type Query<T> = {
  readonly token: Token | null
  readonly shape: (rows: readonly unknown[]) => T
}

export type Queries = Readonly<Record<string, Query<unknown>>>
export type Answers<Q extends Queries> = { readonly [K in keyof Q]: Q[K] extends Query<infer T> ? T : never }

/** One write: a token, or many rows for one table. */
export type Statement = Token | InsertRows
export type InsertRows = {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly Value[]>
  /** The rows as PostgreSQL's table of that name has them, where it differs. */
  readonly postgres?: InsertRows
}

/** What every read path is given. */
export type Reader = {
  readonly dialect: Dialect
  /** One query in a snapshot of its own. */
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Several queries in one snapshot. */
  readonly readAll: <Q extends Queries>(queries: Q) => Promise<Answers<Q>>
}

export type Head = { readonly size: number; readonly root: Buffer; readonly recorded_at: number }

/** What a column takes: booleans as they are, JSON columns as text, bytes as Buffer. */
export type Value = string | number | bigint | boolean | Buffer | null
