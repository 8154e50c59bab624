import type { Answers, Head, Queries, Query, Statement } from './storage.ts'

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
