import { beginningQuery, wordQuery } from './tsvector.ts'

// What is asked of PostgreSQL's index, as tsqueries.

/** The words of a term in order; the last one is looked for by its beginning. */
export type Term = readonly string[]

/**
 * Rows that hold all tokens of `meet` and none of `not`; of run sets one of `seen` where it is not null, and none of
 * `hidden`, unless the set is `spared` from it.
 */
export type Scope = {
  readonly meet: readonly string[]
  readonly not: readonly string[]
  readonly seen: readonly string[] | null
  readonly hidden: ReadonlyArray<{ readonly token: string; readonly spared: readonly string[] }>
}

/**
 * Conditions that all hold, as texts: a tsquery for the words of a row; and arrays, null for none: `phrases`, each in
 * some stretch of it, and the tokens of run sets where these are too many for the index.
 */
export type Wanted = {
  readonly words: string
  readonly phrases: string | null
  readonly seen: string | null
  readonly hidden: string | null
  readonly spared: string
}

/**
 * Tokens of run sets that the index is asked for: how it begins to look costs by the square of their number. Beyond,
 * each row is looked at.
 */
const MAX_TOKENS = 200

/**
 * The conditions for rows that hold all terms, of which a phrase is told by its words first: that is what the index
 * answers by itself.
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

// Tokens and queries hold neither double quotes nor backslashes.
const arrayText = (texts: readonly string[]): string | null =>
  texts.length === 0 ? null : `{${texts.map((text) => `"${text}"`).join(',')}}`

/** Rows that hold any of the terms, for their rank: phrases count as their words. */
export const anyOf = (terms: readonly Term[]): string => joined(terms.flatMap(wordQueries), '|')

/** Joined as a tree of little depth: the server reads a query by recursion. */
const joined = (queries: readonly string[], operator: '&' | '|'): string => {
  if (queries.length <= 2) return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(` ${operator} `)})`
  const half = Math.ceil(queries.length / 2)
  return `(${joined(queries.slice(0, half), operator)} ${operator} ${joined(queries.slice(half), operator)})`
}
