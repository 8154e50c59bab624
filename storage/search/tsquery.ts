import { beginningQuery, wordQuery } from './tsvector.ts'

// Builds the tsqueries for PostgreSQL's index.

/** The words of a term in order; the last one is searched as a prefix. */
export type Term = readonly string[]

/**
 * Rows with all tokens of `meet` and none of `not`. Their run set must be one of `seen`, unless that is null, and none
 * of `hidden`, unless the set is in `spared`.
 */
export type Scope = {
  readonly meet: readonly string[]
  readonly not: readonly string[]
  readonly seen: readonly string[] | null
  readonly hidden: ReadonlyArray<{ readonly token: string; readonly spared: readonly string[] }>
}

/**
 * Conditions that must all hold, as texts. `words` is a tsquery for the words of a row. The others are arrays, or null
 * if empty: `phrases`, each of which must be in some part of the row, and tokens of run sets that are too many for the
 * index.
 */
export type Wanted = {
  readonly words: string
  readonly phrases: string | null
  readonly seen: string | null
  readonly hidden: string | null
  readonly spared: string
}

/**
 * The maximum number of run set tokens in the index query: the start of such a query costs the square of their number.
 * With more tokens, each row is checked instead.
 */
const MAX_TOKENS = 200

/**
 * The conditions for rows that contain all terms. A phrase is first searched by its words, because only those are in
 * the index.
 */
export const wantedOf = (terms: readonly Term[], { meet, not, seen, hidden }: Scope): Wanted => {
  const isSeenListed = seen !== null && seen.length > MAX_TOKENS
  const isHiddenListed = hidden.reduce((count, { spared }) => count + 1 + spared.length, 0) > MAX_TOKENS
  const words = [
    ...terms.flatMap(wordQueries),
    ...meet.map(wordQuery),
    ...(seen === null || isSeenListed ? [] : [joined(seen.map(wordQuery), '|')]),
    ...[...not.map(wordQuery), ...(isHiddenListed ? [] : hidden.map(hiddenQuery))].map((query) => `!${query}`),
  ]
  return {
    words: joined(words, '&'),
    phrases: arrayText(terms.filter(({ length }) => length > 1).map((term) => wordQueries(term).join(' <-> '))),
    seen: isSeenListed ? arrayText(seen) : null,
    hidden: isHiddenListed ? arrayText(hidden.map(({ token }) => token)) : null,
    spared: (isHiddenListed ? arrayText(hidden.flatMap(({ spared }) => spared)) : null) ?? '{}',
  }
}

const wordQueries = (term: Term): string[] => [
  ...term.slice(0, -1).map(wordQuery),
  ...term.slice(-1).map(beginningQuery),
]

const hiddenQuery = ({ token, spared }: Scope['hidden'][number]): string =>
  spared.length === 0 ? wordQuery(token) : `(${wordQuery(token)} & !${joined(spared.map(wordQuery), '|')})`

// Tokens and queries contain neither double quotes nor backslashes.
const arrayText = (texts: readonly string[]): string | null =>
  texts.length === 0 ? null : `{${texts.map((text) => `"${text}"`).join(',')}}`

/** A query for rows that contain any of the terms, for ranking; phrases count as their words. */
export const anyOf = (terms: readonly Term[]): string => joined(terms.flatMap(wordQueries), '|')

/** Joined as a balanced tree, because the server parses a query by recursion. */
const joined = (queries: readonly string[], operator: '&' | '|'): string => {
  if (queries.length <= 2) return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(` ${operator} `)})`
  const half = Math.ceil(queries.length / 2)
  return `(${joined(queries.slice(0, half), operator)} ${operator} ${joined(queries.slice(half), operator)})`
}
