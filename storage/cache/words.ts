import { z } from 'zod'
import { any, insertRows, constant, mapped, one, sql, statement, type Fragment } from '../sql.ts'
import type { Dialect, Query, Statement } from '../storage.ts'
import { wordLexeme } from '../search/tsvector.ts'

// Which entries contain which words. Callers pass words as the tokenizer of queries returns them: letters and digits
// only, in lower case.

export type EntryWords = { readonly entry_no: number; readonly text: string }

const COLUMNS = ['rowid', 'words']

/** Adds entries that are not in the index yet. */
export const addWords = (entries: readonly EntryWords[]): Statement => ({
  ...insertRows(
    'cache_search',
    COLUMNS,
    entries.map(({ entry_no, text }) => [BigInt(entry_no), text]),
  ),
  postgres: insertRows(
    'cache_search',
    COLUMNS,
    mapLazily(entries, ({ entry_no, text }) => [entry_no, wordArray(wordsIn(text))]),
  ),
})

/** Splits text in the same way as SQLite's index does, whose tokenizer only knows ASCII. */
const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9\x80-\uffff]+/g) ?? []

/** Maps items on demand: SQLite ignores the PostgreSQL statement, so it maps none. */
function* mapLazily<A, B>(items: readonly A[], map: (item: A) => B): Generator<B> {
  for (const item of items) yield map(item)
}

/**
 * The text of a PostgreSQL array of the words, without duplicates. A word may be longer than an index allows:
 * `wordLexeme` then shortens it to a text that still identifies it.
 */
const wordArray = (words: readonly string[]): string =>
  `{${Array.from(new Set(words), (word) => `"${wordLexeme(word)}"`).join(',')}}`

/** Removes entries from the index. */
export const removeWords = (entry_nos: readonly number[]): Statement =>
  statement`DELETE FROM cache_search WHERE rowid IN (${sql.join(entry_nos.map(BigInt), sql.fragment`, `)})`

/** The numbers of all entries that contain every word; none if there are no words. */
export const entriesWith = (dialect: Dialect, words: readonly string[]): Fragment =>
  sql.fragment`SELECT rowid AS entry_no FROM cache_search WHERE ${containsAll(dialect, words)}`

const containsAll = (dialect: Dialect, words: readonly string[]): Fragment => {
  if (words.length === 0) return sql.fragment`FALSE`
  if (dialect === 'postgres') return sql.fragment`words @> CAST(${wordArray(words)} AS text[])`
  return sql.fragment`cache_search MATCH ${words.map((word) => `"${word}"`).join(' AND ')}`
}

/**
 * A condition on one entry: whether it contains every word. Null on SQLite, where that is slow and `listEntriesWith`
 * tests many entries at once. PostgreSQL finds the row of an entry directly. The condition is not an EXISTS, because
 * PostgreSQL might then collect all entries with the words first.
 */
export const hasWords = (dialect: Dialect, words: readonly string[], entry_no: Fragment): Fragment | null =>
  dialect === 'sqlite'
    ? null
    : sql.fragment`(SELECT ${containsAll(dialect, words)} FROM cache_search WHERE cache_search.rowid = ${entry_no})`

/** The size of the sample that estimates the share of entries with certain words. */
const SAMPLE_SIZE = 400

const Share = z.object({ n: z.number(), total: z.number() })

/**
 * Estimates from a sample which share of all entries contains the words. Null on SQLite, where counting the matches
 * is as fast as an estimate. PostgreSQL may collect all matches before it counts, even if the count stops after a few.
 */
export const estimateShare = (dialect: Dialect, words: readonly string[]): Query<number | null> => {
  if (dialect === 'sqlite') return constant(null)
  const sample = sql.fragment`
    SELECT lowest + (highest - lowest) * step / ${SAMPLE_SIZE}
    FROM (SELECT min(rowid) AS lowest, max(rowid) AS highest FROM cache_search) ends, generate_series(0, ${SAMPLE_SIZE}) AS step`
  const counted = sql.type(Share)`
    SELECT count(*) FILTER (WHERE ${containsAll(dialect, words)}) AS n, count(*) AS total
    FROM cache_search
    WHERE rowid = ANY (ARRAY(${sample}))`
  return mapped(one(counted), ({ n, total }) => (total === 0 ? null : n / total))
}

/** Looking up one entry of a word takes SQLite as long as reading about this many consecutive entries of it. */
const ROWS_PER_LOOKUP = 500

const Found = z.object({ entry_no: z.number() })

/**
 * On SQLite: the numbers of those of the given entries that contain every word. `share` is the approximate share of all
 * entries that contain them. It decides how the query searches, not what it finds.
 */
export const listEntriesWith = (
  words: readonly string[],
  entry_nos: readonly number[],
  share: number,
): Query<number[]> => {
  if (entry_nos.length === 0) return constant([])
  const matches = containsAll('sqlite', words)
  const listed = sql.fragment`SELECT value FROM json_each(${JSON.stringify(entry_nos)})`
  const [lowest, highest] = entry_nos.reduce(
    ([low, high], entry_no) => [Math.min(low, entry_no), Math.max(high, entry_no)],
    [Infinity, 0],
  )
  const isDense = (highest - lowest) * share <= entry_nos.length * ROWS_PER_LOOKUP
  const found = isDense
    ? // The `+` prevents one lookup per listed entry. The bounds are BigInt: FTS5 ignores other types.
      sql.type(Found)`
        SELECT rowid AS entry_no FROM cache_search
        WHERE ${matches} AND rowid >= ${BigInt(lowest)} AND rowid <= ${BigInt(highest)}
          AND +rowid IN (${listed})`
    : sql.type(Found)`
      SELECT listed.value AS entry_no FROM (${listed}) listed
      WHERE EXISTS (SELECT 1 FROM cache_search WHERE ${matches} AND rowid = listed.value)`
  return mapped(any(found), (rows) => rows.map(({ entry_no }) => entry_no))
}

/**
 * Up to this many entries that contain the words are collected first. If there are more, each entry of the list is
 * checked for the words instead. The limit is lower on PostgreSQL, which reads a row for each collected entry.
 */
const WORD_LIMITS = { sqlite: 20_000, postgres: 8_000 } as const satisfies Record<Dialect, number>

export const wordLimit = (dialect: Dialect): number => WORD_LIMITS[dialect]
