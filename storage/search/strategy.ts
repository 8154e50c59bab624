import { constant, mapped } from '../sql.ts'
import type { Dialect, Query } from '../storage.ts'
import { areTooCommon, MAX_RANKED_HITS } from './search-index.ts'
import type { Kind, Words } from './search-index.ts'

/** A window of hits, newest first. `seesAll`: its viewer may see every row of the index. */
type Window = {
  readonly kind: Kind
  readonly words: Words
  readonly rows: readonly number[]
  readonly seesAll: boolean
}

/** How a search uses the index of a storage. */
type SearchStrategy = {
  /**
   * Whether the index reads a term as a beginning by itself. SQLite first collects the rows of all words with that
   * beginning, so a search names the words instead.
   */
  readonly matchesBeginnings: boolean
  /** Whether scores of the index order a window. */
  readonly findIsScored: (window: Window) => Query<boolean>
}

const STRATEGIES: Readonly<Record<Dialect, SearchStrategy>> = {
  sqlite: {
    matchesBeginnings: false,
    // bm25 weighs words by all rows, hidden ones included, and reads every row of every word.
    findIsScored: ({ kind, words, seesAll }) =>
      seesAll ? mapped(areTooCommon(kind, words), (common) => !common) : constant(false),
  },
  postgres: {
    matchesBeginnings: true,
    // A rank depends on no other row, and costs by the rows that are ranked.
    findIsScored: ({ rows }) => constant(rows.length < MAX_RANKED_HITS),
  },
}

export const searchStrategy = (dialect: Dialect): SearchStrategy => STRATEGIES[dialect]
