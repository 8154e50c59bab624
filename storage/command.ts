import type { Dialect, Head, Queries, Query, Results, Statement } from './storage.ts'

/** The actor of a command, as the log stores it: ids, never names. */
export type Actor = {
  readonly address: string | null
  readonly credential_id: string | null
  readonly kind: 'anonymous' | 'static' | 'session' | 'apikey' | 'cli' | 'system'
  readonly scope: 'review' | 'read' | 'write' | 'admin' | null
  readonly user_id: string | null
}

/** The actor of a record whose body was erased, if its facts were kept: nothing of the actor was. */
export type ErasedActor = {
  readonly address: null
  readonly credential_id: null
  readonly kind: 'erased'
  readonly scope: null
  readonly user_id: null
}

/** An event that a command has decided on, before it is recorded. */
export type NewEvent<Type extends string = string, Data = unknown> = {
  readonly stream: string
  readonly type: Type
  readonly data: Data
  /** Data for projectors that is never stored with the event: the prepared document or the record to which it refers. */
  readonly attached?: unknown
  /** Durable rows that commands own (document frames). They are written or deleted together with its events. */
  readonly statements?: readonly Statement[]
}

/** An event with its position in the log. */
export type Recorded<E extends NewEvent = NewEvent> = Omit<E, 'statements'> & {
  readonly seq: number
  readonly version: number
  readonly recorded_at: number
  readonly actor: Actor | ErasedActor
  readonly request_id: string | null
}

/**
 * A write as data. `prepare` does the heavy work outside of any transaction. `facts` are read under the lock. `decide`
 * is pure: it returns events, none if nothing would change, or throws to reject this command only.
 */
export type Command<Prepared = unknown, Facts extends Queries = Queries, Result = unknown> = {
  readonly actor: Actor
  readonly request_id: string | null
  /** Raw bytes of the uploaded body; they count towards the size of a group. */
  readonly bytes: number
  readonly prepare: (reader: UnlockedReader) => Prepared | Promise<Prepared>
  readonly facts: (prepared: Prepared) => Facts
  /** Durable rows without a history, written with a command that was not rejected. */
  readonly statements?: readonly Statement[]
  readonly decide: (facts: Results<Facts>, prepared: Prepared, numbers: Numbers) => readonly NewEvent[]
  /** Such rows that depend on the facts. Made after `decide` has accepted them. */
  readonly writes?: (facts: Results<Facts>, prepared: Prepared) => readonly Statement[]
  readonly result: (recorded: readonly Recorded[], prepared: Prepared, facts: Results<Facts>) => Result
}

/**
 * A command with any types of facts and result. Only the storage calls its functions, and passes what the command's own
 * `prepare` and `facts` returned.
 */
export type AnyCommand = {
  readonly actor: Actor
  readonly request_id: string | null
  readonly bytes: number
  readonly prepare: (reader: UnlockedReader) => unknown
  readonly facts: (prepared: never) => Queries
  readonly statements?: readonly Statement[]
  readonly decide: (facts: never, prepared: never, numbers: Numbers) => readonly NewEvent[]
  readonly writes?: (facts: never, prepared: never) => readonly Statement[]
  readonly result: (recorded: readonly Recorded[], prepared: never, facts: never) => unknown
}

/** Reads outside of any transaction. Their results may save work, but no decision may depend on them. */
export type UnlockedReader = {
  readonly dialect: Dialect
  readonly read: <T>(query: Query<T>) => T | Promise<T>
  /** The folder of the large parts of evidence, if it is a state directory. */
  readonly partsFolder?: string
  /** The clock, if the documents of new runs are moved into objects afterwards. */
  readonly moves?: { readonly now: () => number } | null
  /** A part that was read before, because its bytes are in a bucket. */
  readonly fetched?: Fetched | undefined
}

/** The bytes of a part that was read from a bucket, or why they could not be read. */
export type Fetched = { readonly part_no: number } & ({ readonly bytes: Buffer } | { readonly error: unknown })

/** A command whose heavy work is done. */
export type Ready = { readonly command: AnyCommand; readonly prepared: unknown }

/** The outcome of one command of a group: its result, or the error that made this command fail. */
export type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

/**
 * The write half of a storage: one write connection, which commits one group of commands at a time in one transaction.
 */
export type Storage = UnlockedReader & {
  readonly commitGroup: (group: readonly Ready[]) => readonly Outcome[] | Promise<readonly Outcome[]>
  readonly head: () => Head
  readonly close: () => void | Promise<void>
}

/** Numbers that only the holder of the lock may allocate. */
export type Numbers = { readonly nextRunNo: () => number }
