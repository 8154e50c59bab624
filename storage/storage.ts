import type { QuerySqlToken } from '@slonik/sql-tag'
import type { Value } from './sql.ts'

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

/** Who acted, as the log keeps it: ids, never names. */
export type Actor = {
  readonly address: string | null
  readonly credential_id: string | null
  readonly kind: 'anonymous' | 'static' | 'session' | 'apikey' | 'cli' | 'system'
  readonly scope: 'read' | 'write' | 'admin' | null
  readonly user_id: string | null
}

/** An event that a command decided on, not yet recorded. */
export type NewEvent<Type extends string = string, Data = unknown> = {
  readonly stream: string
  readonly type: Type
  readonly data: Data
  /** What the event names and the projectors need besides: the prepared document. Never stored with the event. */
  readonly attached?: unknown
  /** Durable rows that commands own (document frames), written or deleted in the same savepoint. */
  readonly alongside?: readonly Statement[]
}

/** An event with its place in the log. */
export type Recorded<E extends NewEvent = NewEvent> = Omit<E, 'alongside'> & {
  readonly seq: number
  readonly version: number
  readonly recorded_at: number
  readonly actor: Actor
  readonly request_id: string | null
}

/**
 * A write as data. `prepare` does the heavy work outside any transaction; `facts` are read under the lock; `decide` is
 * pure and answers events (none when a wish to set is already true) or throws, which refuses this command alone.
 */
export type Command<Prepared = unknown, Facts extends Queries = Queries, Result = unknown> = {
  readonly actor: Actor
  readonly request_id: string | null
  /** Raw bytes that the command brings; they bound a group. */
  readonly bytes: number
  readonly prepare: (source: Source) => Prepared | Promise<Prepared>
  readonly facts: (prepared: Prepared) => Facts
  /** Durable rows that no history is kept of, written in the savepoint of a command that was not refused. */
  readonly alongside?: readonly Statement[]
  readonly decide: (facts: Answers<Facts>, prepared: Prepared, numbers: Numbers) => readonly NewEvent[]
  readonly answer: (recorded: readonly Recorded[], prepared: Prepared, facts: Answers<Facts>) => Result
}

/**
 * A command of any facts and result: only the storage calls its parts, with what its own `prepare` and `facts` gave.
 */
export type AnyCommand = {
  readonly actor: Actor
  readonly request_id: string | null
  readonly bytes: number
  readonly prepare: (source: Source) => unknown
  readonly facts: (prepared: never) => Queries
  readonly alongside?: readonly Statement[]
  readonly decide: (facts: never, prepared: never, numbers: Numbers) => readonly NewEvent[]
  readonly answer: (recorded: readonly Recorded[], prepared: never, facts: never) => unknown
}

/** Reads outside any transaction, for work that only saves work. */
export type Source = { readonly read: <T>(query: Query<T>) => T | Promise<T> }

/** A command with its heavy work done. */
export type Ready = { readonly command: AnyCommand; readonly prepared: unknown }

/** What became of one command of a group: its result, or the error that lost it and nobody else. */
export type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

/** The write half of a storage: one connection that may write, one group of commands at a time in one transaction. */
export type Storage = Source & {
  readonly commitGroup: (group: readonly Ready[]) => readonly Outcome[] | Promise<readonly Outcome[]>
  readonly head: () => Head
  readonly close: () => void | Promise<void>
}

/** Numbers that only the holder of the lock may give out. */
export type Numbers = { readonly nextRunNo: () => number }

/** What every read path is given. */
export type Reader = {
  readonly dialect: Dialect
  /** One query in a snapshot of its own. */
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Several queries in one snapshot. */
  readonly readAll: <Q extends Queries>(queries: Q) => Promise<Answers<Q>>
}

export type Head = { readonly size: number; readonly root: Buffer; readonly recorded_at: number }

/** The store is full, busy or unreachable: the caller may try again. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/**
 * Unavailable with nothing wrong: clients ask for more than there is room for, or the service is not ready yet. No
 * error for the log.
 */
export class Busy extends Unavailable {}

/** What was prepared no longer holds: prepare again, then commit again. Thrown by `decide`. */
export class Stale extends Error {
  override readonly name = 'Stale'
}
