// The column `rules` of a cache entry holds the index version that last read its body. An entry with a lower version
// than the current one is read again.

/** The body has not been read yet: the entry has no fields and no words. */
export const UNINDEXED = 0

/**
 * The body was read, but must be read again: a process ended before it wrote the entry's words, or a migration asked for
 * it. Below any real version.
 */
export const OUTDATED = 1

/** The index version of this build. Raise it when another field is read, or when more bodies can be read. */
export const CURRENT_INDEX_VERSION = 3

/** The body can never be read, so no later version tries again. Above any real version. */
export const FINAL = 1_000_000
