import { constant, mapped } from '../sql.ts'
import type { Dialect, Query } from '../storage.ts'
import { areTooCommon, type Kind, type Words } from './search-index.ts'

/**
 * A window of hits. `isFull` means that there may be more hits, `isAll` that no other row contains the words, `seesAll` that the
 * viewer may see every row of the index.
 */
type Window = {
  readonly kind: Kind
  readonly words: Words
  readonly isFull: boolean
  readonly isAll: boolean
  readonly seesAll: boolean
}

/** How a search uses the index of a storage. */
type SearchStrategy = {
  /**
   * Whether a query of the index may contain the beginning of a word. For such a query, SQLite would first collect the
   * rows of all words with that beginning, so a search looks up the words and lists them instead.
   */
  readonly matchesBeginnings: boolean
  /** Whether the hits of a window are ordered by scores that the index computes. */
  readonly findIsScored: (window: Window) => Query<boolean>
}

const STRATEGIES: Readonly<Record<Dialect, SearchStrategy>> = {
  sqlite: {
    matchesBeginnings: false,
    // bm25 weighs words by all rows, hidden ones included, and reads every row of every word.
    findIsScored: ({ kind, words, isAll, seesAll }) => {
      if (!seesAll) return constant(false)
      // All rows of a single term fit into a window, so they are few.
      return isAll && words.each.length === 1 ? constant(true) : mapped(areTooCommon(kind, words), (common) => !common)
    },
  },
  postgres: {
    matchesBeginnings: true,
    // The rank of a row does not depend on other rows, and the cost grows with the number of ranked rows.
    findIsScored: ({ isFull }) => constant(!isFull),
  },
}

export const searchStrategy = (dialect: Dialect): SearchStrategy => STRATEGIES[dialect]
