import type { EntryWords } from './words.ts'
import type { Answers, Dialect, Queries, Reader, Statement } from '../storage.ts'

/**
 * What a change of the cache comes to once its facts are known: statements for the same transaction, and what is
 * answered. Words of new entries may be written later, many at once, where that is cheaper: `settle` waits for them.
 */
export type CacheDecision<Result> = {
  readonly statements: Iterable<Statement>
  readonly result: Result
  readonly words?: readonly EntryWords[]
}

/**
 * A change of the cache as data: facts are read under the lock that all changes take, `decide` is pure. Nothing of it
 * is in the record of what happened: entries can be asked for again, and have no history.
 */
export type CacheChange<Facts extends Queries = Queries, Result = unknown> = {
  readonly facts: Facts
  /**
   * Told the storage only for what it takes fewer statements for: where each crosses a network, everyone who writes
   * waits meanwhile.
   */
  readonly decide: (facts: Answers<Facts>, dialect: Dialect) => CacheDecision<Result>
}

/** Everything that touches the cache's tables goes through here. All of it may answer later. */
export type CacheStore = Reader & {
  /** One change in one transaction; settles once every read sees it. */
  readonly change: <Facts extends Queries, Result>(change: CacheChange<Facts, Result>) => Promise<Result>
  /** Settles once every read finds the entries of before by their words. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}
