import type { EntryWords } from './words.ts'
import type { Dialect, Queries, Reader, Results, Statement } from '../storage.ts'

/**
 * The outcome of a cache change: statements for the same transaction, words that are written after them, and the result for
 * the caller.
 */
export type CacheDecision<Result> = {
  readonly statements: Iterable<Statement>
  readonly result: Result
  readonly words?: readonly EntryWords[]
}

/**
 * A change of the cache as data: facts are read under the lock that all changes take, and `decide` is pure. The event
 * log records none of it: clients can request entries again, and entries have no history.
 */
export type CacheChange<Facts extends Queries = Queries, Result = unknown> = {
  readonly facts: Facts
  /**
   * `dialect` only serves to choose fewer statements for PostgreSQL: each one crosses the network, while every other
   * writer waits.
   */
  readonly decide: (facts: Results<Facts>, dialect: Dialect) => CacheDecision<Result>
}

/** The only access to the cache's tables. Every operation may be asynchronous. */
export type CacheStore = Reader & {
  /** Runs one change in one transaction; settles once every read sees it. */
  readonly change: <Facts extends Queries, Result>(change: CacheChange<Facts, Result>) => Promise<Result>
  readonly close: () => Promise<void>
}
