import { z } from 'zod'
import { any, insertRows, constant, mapped, one, sql, statement } from '../sql.ts'
import type { Fragment } from '../sql.ts'
import type { Dialect, Query, Statement } from '../storage.ts'
import { wordLexeme } from '../search/tsvector.ts'

// Which entries have which words. The words are given as the one tokenizer makes them: of letters and digits alone, in
// lower case.

export type EntryWords = { readonly entry_no: number; readonly text: string }

const COLUMNS = ['rowid', 'words']

/** Adds entries that the index does not hold yet. */
export const addWords = (entries: readonly EntryWords[]): Statement => ({
  ...insertRows(
    'cache_search',
    COLUMNS,
    entries.map(({ entry_no, text }) => [BigInt(entry_no), text]),
  ),
  postgres: insertRows(
    'cache_search',
    COLUMNS,
    each(entries, ({ entry_no, text }) => [entry_no, arrayOf(wordsIn(text))]),
  ),
})

/** Splits as SQLite's index does by itself, whose tokenizer knows ASCII alone. */
const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9\x80-\uffff]+/g) ?? []

/** Made as they are asked for: the other storage asks for none. */
function* each<A, B>(all: readonly A[], make: (one: A) => B): Generator<B> {
  for (const one of all) yield make(one)
}

/**
 * The text of an array of words, each once. A word may be longer than an index takes: it stands there as what tells it
 * from all others.
 */
const arrayOf = (words: readonly string[]): string =>
  `{${Array.from(new Set(words), (word) => `"${wordLexeme(word)}"`).join(',')}}`

/** Takes entries out of the index. */
export const removeWords = (entry_nos: readonly number[]): Statement =>
  statement`DELETE FROM cache_search WHERE rowid IN (${sql.join(entry_nos.map(BigInt), sql.fragment`, `)})`

/** The numbers of all entries that have every one of the words; of no words none. */
export const entriesWith = (dialect: Dialect, words: readonly string[]): Fragment =>
  sql.fragment`SELECT rowid AS entry_no FROM cache_search WHERE ${hold(dialect, words)}`

const hold = (dialect: Dialect, words: readonly string[]): Fragment => {
  if (words.length === 0) return sql.fragment`FALSE`
  if (dialect === 'postgres') return sql.fragment`words @> CAST(${arrayOf(words)} AS text[])`
  return sql.fragment`cache_search MATCH ${words.map((word) => `"${word}"`).join(' AND ')}`
}

/**
 * Whether an entry has every one of the words, as a condition on each; null where that takes long, and many are asked
 * for at once instead. PostgreSQL finds the row of an entry at once; it is no EXISTS, for which it might put together
 * first all that have the words.
 */
export const hasWords = (dialect: Dialect, words: readonly string[], entry_no: Fragment): Fragment | null =>
  dialect === 'sqlite'
    ? null
    : sql.fragment`(SELECT ${hold(dialect, words)} FROM cache_search WHERE cache_search.rowid = ${entry_no})`

/** How many entries are looked at to tell how many of all have some words. */
const SAMPLED = 400

const Share = z.object({ n: z.number(), of: z.number() })

/**
 * About which share of all entries has the words, told from some of them. Null where counting is as quick: PostgreSQL
 * may put all together first, however few are counted.
 */
export const findShare = (dialect: Dialect, words: readonly string[]): Query<number | null> => {
  if (dialect === 'sqlite') return constant(null)
  const sample = sql.fragment`
    SELECT least + (most - least) * step / ${SAMPLED} FROM (SELECT min(rowid) AS least, max(rowid) AS most FROM cache_search) ends, generate_series(0, ${SAMPLED}) AS step`
  const counted = sql.type(
    Share,
  )`SELECT count(*) FILTER (WHERE ${hold(dialect, words)}) AS n, count(*) AS of FROM cache_search WHERE rowid = ANY (ARRAY(${sample}))`
  return mapped(one(counted), ({ n, of }) => (of === 0 ? null : n / of))
}

/** SQLite reads about so many entries of a word in a row in the time in which it finds a single one among them. */
const READ_IN_A_ROW = 500

const Found = z.object({ entry_no: z.number() })

/**
 * The numbers of those of some entries that have every one of the words, on SQLite. `share` is how many of all entries
 * have them, about: it decides how they are looked for, not what is found.
 */
export const listWith = (words: readonly string[], entry_nos: readonly number[], share: number): Query<number[]> => {
  if (entry_nos.length === 0) return constant([])
  const holds = hold('sqlite', words)
  const these = sql.fragment`SELECT value FROM json_each(${JSON.stringify(entry_nos)})`
  const [least, most] = entry_nos.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Infinity, 0],
  )
  const isNear = (most - least) * share <= entry_nos.length * READ_IN_A_ROW
  const found = isNear
    ? // The sign keeps the list from being looked up one by one. Bounds that are no integers are passed over by FTS5.
      sql.type(
        Found,
      )`SELECT rowid AS entry_no FROM cache_search WHERE ${holds} AND rowid >= ${BigInt(least)} AND rowid <= ${BigInt(most)} AND +rowid IN (${these})`
    : sql.type(
        Found,
      )`SELECT these.value AS entry_no FROM (${these}) these WHERE EXISTS (SELECT 1 FROM cache_search WHERE ${holds} AND rowid = these.value)`
  return mapped(any(found), (rows) => rows.map(({ entry_no }) => entry_no))
}

/**
 * Entries with some words that are worth collecting first. If more entries have the words, each entry on the way is
 * checked instead. PostgreSQL reads a row for each collected entry.
 */
const WORD_LIMITS = { sqlite: 20_000, postgres: 8_000 } as const satisfies Record<Dialect, number>

export const wordLimit = (dialect: Dialect): number => WORD_LIMITS[dialect]
