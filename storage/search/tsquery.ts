import { prefixQuery, wordQuery } from './tsvector.ts'

// Builds the tsqueries for PostgreSQL's index.

/** The words of a term in order; the last one is searched as a prefix. */
export type Term = readonly string[]

/** What a row must have: a term, or one of several. */
export type Wanted = Term | { readonly anyOf: readonly Term[] }

const alternatives = (wanted: Wanted): readonly Term[] => ('anyOf' in wanted ? wanted.anyOf : [wanted])

/**
 * Selects the rows with all tokens of `required` and none of `excluded`. If `seen` is not null, a row must also have
 * one of its tokens. A row with the token of an entry of `hidden` is left out, unless it also has a token of the
 * entry's `exempt`. The tokens of `seen`, `hidden` and `exempt` are those of run sets.
 */
export type Scope = {
  readonly required: readonly string[]
  readonly excluded: readonly string[]
  readonly seen: readonly string[] | null
  readonly hidden: ReadonlyArray<{ readonly token: string; readonly exempt: readonly string[] }>
}

/**
 * Conditions that must all be true, as texts. `words` is a tsquery for the words of a row. It is also given in its parts
 * if it has several terms: `terms` is an array of tsqueries, and `scope` the rest, or null. The others are arrays:
 * `phrases`, each of which must be in some part of the row, and the tokens of run sets if there are too many for the
 * index query. Except for `exempt`, an empty array is null.
 */
export type Conditions = {
  readonly words: string
  readonly terms: string | null
  readonly scope: string | null
  readonly phrases: string | null
  readonly seen: string | null
  readonly hidden: string | null
  readonly exempt: string
}

/**
 * The maximum number of run set tokens in the index query: the cost to start the query grows with the square of their
 * number. With more tokens, each row is checked instead.
 */
const MAX_TOKENS = 200

/**
 * The conditions for rows that contain all terms. A phrase is first searched by its words, because only those are in
 * the index.
 */
export const conditionsOf = (terms: readonly Wanted[], { required, excluded, seen, hidden }: Scope): Conditions => {
  const isSeenListed = seen !== null && seen.length > MAX_TOKENS
  const isHiddenListed = hidden.reduce((count, { exempt }) => count + 1 + exempt.length, 0) > MAX_TOKENS
  const termWords = terms.flatMap((wanted) =>
    'anyOf' in wanted
      ? [
          joinQueries(
            wanted.anyOf.map((term) => joinQueries(wordQueries(term), '&')),
            '|',
          ),
        ]
      : wordQueries(wanted),
  )
  const scopeWords = [
    ...required.map(wordQuery),
    ...(seen === null || isSeenListed ? [] : [joinQueries(seen.map(wordQuery), '|')]),
    ...[...excluded.map(wordQuery), ...(isHiddenListed ? [] : hidden.map(hiddenQuery))].map((query) => `!${query}`),
  ]
  return {
    words: joinQueries([...termWords, ...scopeWords], '&'),
    terms: termWords.length > 1 ? arrayTextOf(termWords) : null,
    scope: termWords.length > 1 && scopeWords.length > 0 ? joinQueries(scopeWords, '&') : null,
    phrases: arrayTextOf(
      terms
        .map(alternatives)
        .filter((terms) => terms.some(({ length }) => length > 1))
        .map(phraseQuery),
    ),
    seen: isSeenListed ? arrayTextOf(seen) : null,
    hidden: isHiddenListed ? arrayTextOf(hidden.map(({ token }) => token)) : null,
    exempt: (isHiddenListed ? arrayTextOf(hidden.flatMap(({ exempt }) => exempt)) : null) ?? '{}',
  }
}

const wordQueries = (term: Term): string[] => [...term.slice(0, -1).map(wordQuery), ...term.slice(-1).map(prefixQuery)]

const phraseQuery = ([term = [], ...others]: readonly Term[]): string => {
  const phrase = (words: Term): string => wordQueries(words).join(' <-> ')
  return others.length === 0
    ? phrase(term)
    : joinQueries(
        [term, ...others].map((each) => `(${phrase(each)})`),
        '|',
      )
}

const hiddenQuery = ({ token, exempt }: Scope['hidden'][number]): string =>
  exempt.length === 0 ? wordQuery(token) : `(${wordQuery(token)} & !${joinQueries(exempt.map(wordQuery), '|')})`

// Tokens and queries contain neither double quotes nor backslashes.
const arrayTextOf = (texts: readonly string[]): string | null =>
  texts.length === 0 ? null : `{${texts.map((text) => `"${text}"`).join(',')}}`

/** A query for rows that contain any of the terms, for ranking; phrases count as their words. */
export const anyTermQuery = (terms: readonly Wanted[]): string =>
  joinQueries(terms.flatMap(alternatives).flatMap(wordQueries), '|')

/** Joined as a balanced tree, because the server parses a query by recursion. */
const joinQueries = (queries: readonly string[], operator: '&' | '|'): string => {
  if (queries.length <= 2) return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(` ${operator} `)})`
  const half = Math.ceil(queries.length / 2)
  return `(${joinQueries(queries.slice(0, half), operator)} ${operator} ${joinQueries(queries.slice(half), operator)})`
}
