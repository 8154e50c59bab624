import { insertRows, sql, statement } from './sql.ts'
import type { Fragment } from './sql.ts'
import type { Dialect, Statement } from './storage.ts'
import { wordLexeme } from './tsvector.ts'

// Which entries have which words. The words are given as the one tokenizer makes them: of letters and digits alone, in lower case.

export type EntryWords = { readonly entry_no: number; readonly text: string }

const COLUMNS = ['rowid', 'words']

/** Adds entries that the index does not hold yet. */
export const addWords = (entries: readonly EntryWords[]): Statement => ({
  ...insertRows('cache_search', COLUMNS, entries.map(({ entry_no, text }) => [BigInt(entry_no), text])),
  postgres: insertRows('cache_search', COLUMNS, each(entries, ({ entry_no, text }) => [entry_no, arrayOf(wordsIn(text))])),
})

/** Splits as SQLite's index does by itself, whose tokenizer knows ASCII alone. */
const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9\x80-\uffff]+/g) ?? []

/** Made as they are asked for: the other storage asks for none. */
function* each<A, B>(all: readonly A[], make: (one: A) => B): Generator<B> {
  for (const one of all) yield make(one)
}

/** The text of an array of words, each once. A word may be longer than an index takes: it stands there as what tells it from all others. */
const arrayOf = (words: readonly string[]): string => `{${Array.from(new Set(words), (word) => `"${wordLexeme(word)}"`).join(',')}}`

/** Takes entries out of the index. */
export const removeWords = (entry_nos: readonly number[]): Statement => statement`DELETE FROM cache_search WHERE rowid IN (${sql.join(entry_nos.map(BigInt), sql.fragment`, `)})`

/** The numbers of all entries that have every one of the words; of no words none. */
export const entriesWith = (dialect: Dialect, words: readonly string[]): Fragment => sql.fragment`SELECT rowid AS entry_no FROM cache_search WHERE ${hold(dialect, words)}`

const hold = (dialect: Dialect, words: readonly string[]): Fragment => {
  if (words.length === 0) return sql.fragment`FALSE`
  if (dialect === 'postgres') return sql.fragment`words @> CAST(${arrayOf(words)} AS text[])`
  return sql.fragment`cache_search MATCH ${words.map((word) => `"${word}"`).join(' AND ')}`
}

/** Whether one entry has every one of the words. */
export const hasWords = (dialect: Dialect, words: readonly string[], entry_no: Fragment): Fragment =>
  sql.fragment`EXISTS (SELECT 1 FROM (${entriesWith(dialect, words)}) found WHERE found.entry_no = ${entry_no})`
