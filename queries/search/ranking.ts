import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { foldSearched } from '../../domain/search/fold.ts'
import { idTerm } from '../../domain/search/parts.ts'
import { alternatives, readQuery, type SearchQuery, type Wanted } from '../../domain/search/query.ts'
import { ftsQuery, tokenize, type Term } from '../../domain/search/tokenizer.ts'
import {
  casesAt,
  FIELD_WEIGHTS,
  findWord,
  listNewest,
  listScores,
  SEARCH_VERSION,
  searchRowid,
  type Kind,
  type Match,
  type Visibility,
  type Words,
} from '../../storage/search/search-index.ts'
import { searchStrategy } from '../../storage/search/strategy.ts'
import { any, mapped, maybeOne, prepared, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { listHidden } from './hidden.ts'
import { columnList } from '../columns.ts'

// How a search uses the full-text index: which words, in which run sets, and in which order.

/** Maximum number of words of the index for one term, and of lookups for all terms of a query. */
const MAX_ENDINGS = 32
const MAX_LOOKUPS = 128

const Version = z.object({ version: z.number() })

/**
 * Whether all rows of the index have grams and ids. A store of an earlier version gets them in the background, and a row
 * of a new run has them at once.
 */
const findHasParts: Query<boolean> = prepared(
  mapped(
    maybeOne(sql.type(Version)`SELECT version FROM projections WHERE name = 'search'`),
    (stored) => (stored?.version ?? 0) >= SEARCH_VERSION,
  ),
)

/** Reads a user's text for the index as it is. */
export const readSearch = async (reader: Reader, q: string): Promise<SearchQuery> => {
  const query = readQuery(q)
  return query.marked === null || (await reader.read(findHasParts)) ? query : readQuery(q, false)
}

/** The whole id of a query as words of the index; null if it cannot be an id. */
export const idWords = ({ id }: SearchQuery): Words | null => (id === null ? null : prefixesOf([idTerm(id, true)]))

/**
 * A window of hits, newest first. `newest` are the newest rows below a row. `rows` are all that are read: in the first window also
 * older ones with the whole id of the query. `withId` are up to `MAX_RANKED_HITS` rows with that id; only the first window shows them.
 */
export type Window = {
  readonly newest: readonly number[]
  readonly rows: readonly number[]
  readonly withId: ReadonlySet<number>
}

/** Reads the window below a row; null is the first. */
export const readWindow = async (
  reader: Reader,
  kind: Kind,
  query: SearchQuery,
  match: Match,
  below: number | null,
): Promise<Window> => {
  const newest = await reader.read(listNewest(kind, match, below))
  const words = idWords(query)
  // What has the id has the words too.
  if (words === null || newest.length === 0) return { newest, rows: newest, withId: new Set() }
  const exact = await reader.read(listNewest(kind, { words, scope: match.scope }, null))
  const isNewest = new Set(newest)
  const older = below === null ? exact.filter((row) => !isNewest.has(row)) : []
  return { newest, rows: [...newest, ...older], withId: new Set(exact) }
}

/** Ranked rows as a window shows them: those with the id are first in the first window, and not in others. */
export const idsFirst = ({ withId }: Window, ranked: readonly number[], below: number | null): readonly number[] => {
  if (withId.size === 0) return ranked
  const others = ranked.filter((row) => !withId.has(row))
  return below === null ? [...ranked.filter((row) => withId.has(row)), ...others] : others
}

/** The terms of a query as words of the index. */
type Expansion = { readonly words: Words; readonly whole: boolean }

/** The terms unchanged: each matches every word that begins with it. */
export const prefixesOf = (terms: readonly Wanted[]): Words => {
  const each = terms.map((wanted) => anyExpression(alternatives(wanted).map((term) => ftsQuery([term]))))
  return { all: each.join(' AND '), each, terms }
}

const anyExpression = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `(${[first, ...others].join(' OR ')})`

/**
 * Prepares the terms of a query for the index. A term matches every word that begins with it. If a query contained only
 * the beginning, SQLite would first collect the rows of all words with that beginning. So on SQLite these words are
 * looked up and listed in the query, and SQLite then reads rows from the newest on. `whole` is false if there are more
 * words than the maximum. On PostgreSQL the terms remain beginnings: PostgreSQL searches them in as many of the newest
 * rows as needed.
 */
export const readTerms = async (reader: Reader, kind: Kind, terms: readonly Wanted[]): Promise<Expansion> => {
  if (searchStrategy(reader.dialect).matchesBeginnings) return { words: prefixesOf(terms), whole: true }
  let lookups = 0
  let whole = true
  const read: string[] = []
  /** A term with the words of the index that end it. A word that is not in the index matches nothing. */
  const listPhrases = async (term: Term): Promise<string[]> => {
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
    return phrases
  }
  // Each word of a query may be replaced by the same id.
  const listed = new Map<string, readonly string[]>()
  for (const wanted of terms) {
    const phrases: string[] = []
    const any = alternatives(wanted)
    for (const term of any) {
      const key = term.join(' ')
      const known = listed.get(key) ?? (await listPhrases(term))
      listed.set(key, known)
      phrases.push(...known)
    }
    read.push(phrases.length === 0 ? ftsQuery(any.slice(0, 1)) : `(${phrases.join(' OR ')})`)
  }
  return { words: { all: read.join(' AND '), each: read, terms }, whole }
}

const SetRow = z.object({ project: z.string(), suite: z.string().nullable() })

/** What the viewer may find: a list of hidden scopes or a list of visible run sets, whichever is shorter. */
export const visibilityOf = async (reader: Reader, viewer: Viewer): Promise<Visibility> => {
  const { limit = null } = viewer
  const hidden = await reader.read(listHidden(viewer))
  if (hidden.length === 0) return { hidden, limit }
  const sets = await reader.read(
    any(
      sql.type(SetRow)`
        SELECT sets.project, sets.suite FROM sets WHERE ${visible(viewer, 'sets')} LIMIT ${hidden.length}`,
    ),
  )
  return sets.length < hidden.length ? { visible: sets, limit } : { hidden, limit }
}

const Fields = CaseRow.pick({ run_no: true, n: true, name: true, tags: true, error: true })
const FIELDS = columnList('cases', Fields)

const listFields = (rows: readonly number[]): Query<Array<z.infer<typeof Fields>>> =>
  prepared(
    any(
      casesAt(
        rows,
        (places) => sql.type(Fields)`
        SELECT ${FIELDS} FROM ${places} place CROSS JOIN cases
        WHERE cases.run_no = place.run_no AND cases.n = place.n`,
      ),
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
  { terms, marked }: SearchQuery,
): Promise<Array<{ rowid: number; score: number }>> => {
  const beginnings = terms.map((term) => ` ${term.join(' ')}`)
  const firstWords = terms.map(([word = '']) => word)
  const parts = (marked ?? []).flatMap(({ text, isAnywhere }) => (isAnywhere ? [text] : []))
  const weight = (field: string | null, counts: number): number => {
    if (field === null || field === '') return 0
    return (wordCount(field) + partCount(field)) * counts
  }
  const partCount = (field: string): number => {
    if (parts.length === 0) return 0
    const folded = foldSearched(field)
    return parts.filter((part) => folded.includes(part)).length
  }
  const wordCount = (field: string): number => {
    // Most fields have none of the words: then there is nothing to tokenize.
    if (ASCII.test(field)) {
      const lower = field.toLowerCase()
      if (!firstWords.some((word) => lower.includes(word))) return 0
    }
    const words = ` ${tokenize(field).join(' ')}`
    return beginnings.filter((beginning) => words.includes(beginning)).length
  }
  return (await reader.read(listFields(rows))).map(({ run_no, n, name, tags, error }) => ({
    rowid: Number(searchRowid(run_no, n)),
    score: -weight(name, FIELD_WEIGHTS.name) - weight(tags, FIELD_WEIGHTS.tags) - weight(error, FIELD_WEIGHTS.error),
  }))
}

/**
 * Rows of a window, best first, newest first among equals. The window `isFull` if there may be more rows, and `isAll` if no
 * other row contains the words. bm25 weighs words by the number of their rows, hidden ones included. Only a viewer who may
 * see `all` gets this order, because it reveals the words of hidden rows. Otherwise, and for common words, cases are ordered
 * by their short fields and runs by their time.
 */
export const rankRows = async (
  reader: Reader,
  kind: Kind,
  { rows, isFull, isAll }: { readonly rows: readonly number[]; readonly isFull: boolean; readonly isAll: boolean },
  words: Words,
  query: SearchQuery,
  all: boolean,
): Promise<readonly number[]> => {
  if (rows.length <= 1) return rows
  const scores = new Map(rows.map((rowid) => [rowid, 0]))
  const isScored = await reader.read(
    searchStrategy(reader.dialect).findIsScored({ kind, words, isFull, isAll, seesAll: all }),
  )
  const found = isScored
    ? await reader.read(listScores(kind, words, rows))
    : kind === 'case'
      ? await fieldScores(reader, rows, query)
      : []
  for (const { rowid, score } of found) if (scores.has(rowid)) scores.set(rowid, score)
  return [...scores].sort(([a, x], [b, y]) => x - y || b - a).map(([rowid]) => rowid)
}
