import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { ftsQuery, tokenize, type Term } from '../../domain/search/tokenizer.ts'
import {
  casesAt,
  FIELD_WEIGHTS,
  findWord,
  listScores,
  searchRowid,
  type Kind,
  type Visibility,
  type Words,
} from '../../storage/search/search-index.ts'
import { searchStrategy } from '../../storage/search/strategy.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { listHidden } from './hidden.ts'
import { columnList } from '../columns.ts'

// How a search uses the full-text index: which words, in which run sets, and in which order.

/** Maximum number of words of the index for one term, and of lookups for all terms of a query. */
const MAX_ENDINGS = 32
const MAX_LOOKUPS = 128

/** The terms of a query as words of the index. */
type Expansion = { readonly words: Words; readonly whole: boolean }

/** The terms unchanged: each matches every word that begins with it. */
export const prefixesOf = (terms: readonly Term[]): Words => ({
  all: ftsQuery(terms),
  each: terms.map((term) => ftsQuery([term])),
  terms,
})

/**
 * Prepares the terms of a query for the index. A term matches every word that begins with it. If a query contained only
 * the beginning, SQLite would first collect the rows of all words with that beginning. So on SQLite these words are
 * looked up and listed in the query, and SQLite then reads rows from the newest on. `whole` is false if there are more
 * words than the maximum. On PostgreSQL the terms remain beginnings: PostgreSQL searches them in as many of the newest
 * rows as needed.
 */
export const readTerms = async (reader: Reader, kind: Kind, terms: readonly Term[]): Promise<Expansion> => {
  if (searchStrategy(reader.dialect).matchesBeginnings) return { words: prefixesOf(terms), whole: true }
  let lookups = 0
  let whole = true
  const read: string[] = []
  for (const term of terms) {
    const beginning = term.at(-1) ?? ''
    const phrases: string[] = []
    for (let from = beginning; ;) {
      if (phrases.length === MAX_ENDINGS || lookups === MAX_LOOKUPS) {
        whole = false
        break
      }
      lookups += 1
      const word = await reader.read(findWord(kind, from))
      if (!word?.startsWith(beginning)) break
      phrases.push(`"${[...term.slice(0, -1), word].join(' ')}"`)
      from = `${word}\x01`
    }
    // A word that is not in the index matches nothing.
    read.push(phrases.length === 0 ? ftsQuery([term]) : `(${phrases.join(' OR ')})`)
  }
  return { words: { all: read.join(' AND '), each: read, terms }, whole }
}

const SetRow = z.object({ project: z.string(), suite: z.string().nullable() })

/** What the viewer may find: a list of hidden scopes or a list of visible run sets, whichever is shorter. */
export const visibilityOf = async (reader: Reader, viewer: Viewer): Promise<Visibility> => {
  const hidden = await reader.read(listHidden(viewer))
  if (hidden.length === 0) return { hidden }
  const sets = await reader.read(
    any(
      sql.type(SetRow)`
        SELECT sets.project, sets.suite FROM sets WHERE ${visible(viewer, 'sets')} LIMIT ${hidden.length}`,
    ),
  )
  return sets.length < hidden.length ? { visible: sets } : { hidden }
}

const Fields = CaseRow.pick({ run_no: true, n: true, name: true, tags: true, error: true })
const FIELDS = columnList('cases', Fields)

const listFields = (rows: readonly number[]): Query<Array<z.infer<typeof Fields>>> =>
  any(
    casesAt(
      rows,
      (places) => sql.type(Fields)`
        SELECT ${FIELDS} FROM ${places} place CROSS JOIN cases
        WHERE cases.run_no = place.run_no AND cases.n = place.n`,
    ),
  )

/** A text that `tokenize` does not fold, so that a word is in it only if the letters of the word are. */
const ASCII = /^[\x01-\x7f]*$/

/**
 * Scores cases by which of their short fields contain words of the query. Used where bm25 is not, for example for
 * common words: bm25 would read every row of each word.
 */
const fieldScores = async (
  reader: Reader,
  rows: readonly number[],
  terms: readonly Term[],
): Promise<Array<{ rowid: number; score: number }>> => {
  const beginnings = terms.map((term) => ` ${term.join(' ')}`)
  const firstWords = terms.map(([word = '']) => word)
  const weight = (field: string | null, counts: number): number => {
    if (field === null || field === '') return 0
    // Most fields have none of the words: then there is nothing to tokenize.
    if (ASCII.test(field)) {
      const lower = field.toLowerCase()
      if (!firstWords.some((word) => lower.includes(word))) return 0
    }
    const words = ` ${tokenize(field).join(' ')}`
    return beginnings.reduce((sum, beginning) => sum + (words.includes(beginning) ? counts : 0), 0)
  }
  return (await reader.read(listFields(rows))).map(({ run_no, n, name, tags, error }) => ({
    rowid: Number(searchRowid(run_no, n)),
    score: -weight(name, FIELD_WEIGHTS.name) - weight(tags, FIELD_WEIGHTS.tags) - weight(error, FIELD_WEIGHTS.error),
  }))
}

/**
 * Rows of a window, which `isFull` if there may be more, best first, newest first among equals. bm25 weighs words by
 * the number of their rows, hidden ones included. Only a viewer who may see `all` gets this order, because it reveals the
 * words of hidden rows. Otherwise, and for common words, cases are ordered by their short fields and runs by their time.
 */
export const rankRows = async (
  reader: Reader,
  kind: Kind,
  { rows, isFull }: { readonly rows: readonly number[]; readonly isFull: boolean },
  words: Words,
  terms: readonly Term[],
  all: boolean,
): Promise<readonly number[]> => {
  if (rows.length <= 1) return rows
  const scores = new Map(rows.map((rowid) => [rowid, 0]))
  const isScored = await reader.read(searchStrategy(reader.dialect).findIsScored({ kind, words, isFull, seesAll: all }))
  const found = isScored
    ? await reader.read(listScores(kind, words, rows))
    : kind === 'case'
      ? await fieldScores(reader, rows, terms)
      : []
  for (const { rowid, score } of found) if (scores.has(rowid)) scores.set(rowid, score)
  return [...scores].sort(([a, x], [b, y]) => x - y || b - a).map(([rowid]) => rowid)
}
