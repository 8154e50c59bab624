import { foldSearched } from './fold.ts'
import { foldId, formTerm, gramTerm, idTerm, isPartOfId, MAX_ID_UNITS, queryPieces, searchedPart } from './parts.ts'
import { queryTerms, tokenize, type Term } from './tokenizer.ts'

/** One of several terms, each of which is enough. */
export type AnyOf = { readonly anyOf: readonly Term[] }

/** What a row must have: a term, or one of several. */
export type Wanted = Term | AnyOf

/** A text to mark in what was found, folded. A word counts only from its beginning. */
export type MarkedText = { readonly text: string; readonly isAnywhere: boolean }

/** What a user's text asks for. All of `wanted` must be in a row. */
export type SearchQuery = {
  readonly wanted: readonly Wanted[]
  /** The words, as `snippet` marks them. */
  readonly terms: readonly Term[]
  /** All that is marked, if there is anything but words; else null. */
  readonly marked: readonly MarkedText[] | null
  /** The whole text, if it may be an id: folded. */
  readonly id: string | null
  /** Whether all rows of the index have what it asks for, if they are of a text that has it. */
  readonly isComplete: boolean
}

/** Maximum number of words of a query. */
const MAX_WANTED = 32

/** Shorter ids are found only as a whole. */
const MIN_ID_BEGINNING = 4

/** What letters alone, with spaces, are: words, and no id. */
const WORDS = /^[\p{L}\p{M}\s]*$/u

/** A part with the words that it has, in a row. */
const wordOf = (text: string): Term | undefined => queryTerms(text.replaceAll(/\s+/g, '-'))[0]

/** Adds the forms in which a single word may be in the index. */
const withForms = (term: Term): Wanted => {
  const [word, ...more] = term
  if (word === undefined || more.length > 0) return term
  const folded = foldSearched(word)
  const others = [
    ...(folded === word ? [] : [[folded]]),
    ...(folded.includes('ss') ? [formTerm(folded)] : []),
    ...(isPartOfId(word) ? [gramTerm(word)] : []),
  ]
  return others.length === 0 ? term : { anyOf: [term, ...others] }
}

/**
 * Reads a user's text. Words are literal beginnings; see `queryTerms`. What the index has grams of is found from any part:
 * text of scripts without spaces, symbols, words that end with + or #, and parts of ids. `isComplete` is false
 * while rows of the index have no grams yet: such text is then also searched as words.
 */
export const readQuery = (q: string, isComplete = true): SearchQuery => {
  const words: string[] = []
  const special = new Map<string, { readonly wanted: Wanted; readonly marked: MarkedText }>()
  for (const [typed] of q.matchAll(/\S+/g)) {
    if (special.size === MAX_WANTED) break
    const word = typed.replaceAll('"', '')
    const pieces = queryPieces(word)
    if (!pieces.some(({ isAnywhere }) => isAnywhere)) {
      words.push(word)
      continue
    }
    for (const { text, isAnywhere } of pieces) {
      // One word may have any number of pieces.
      if (special.size === MAX_WANTED) break
      if (!isAnywhere) {
        if (tokenize(text).length > 0) words.push(text.replaceAll(/\s+/g, '-'))
        continue
      }
      const part = searchedPart(text)
      const asWord = isComplete || /[+#]$/.test(text) ? undefined : wordOf(text)
      const grams = gramTerm(part)
      special.set(part, {
        wanted: asWord ? { anyOf: [grams, asWord] } : grams,
        marked: { text: part, isAnywhere: true },
      })
    }
  }
  const terms = queryTerms(words.join(' ')).slice(0, MAX_WANTED)
  const forms = terms.map(withForms)
  const wanted = [...forms, ...[...special.values()].map((each) => each.wanted)].slice(0, MAX_WANTED)

  const whole = q.trim()
  const mayBeId = wanted.length > 0 && whole.length <= MAX_ID_UNITS && !WORDS.test(whole)
  const id = mayBeId ? foldId(whole) : null
  const ids = id === null ? [] : [idTerm(id, [...id].length < MIN_ID_BEGINNING)]

  const isPlain = special.size === 0 && id === null && forms.every((each) => !('anyOf' in each))
  return {
    wanted: ids.length === 0 ? wanted : wanted.map((each) => ({ anyOf: [...alternatives(each), ...ids] })),
    terms,
    marked: isPlain
      ? null
      : [
          ...terms.map((term, n) => markedTerm(term, forms[n])),
          ...[...special.values()].map(({ marked }) => marked),
          ...(id === null ? [] : [{ text: id, isAnywhere: true }]),
        ],
    id,
    isComplete: isComplete || isPlain,
  }
}

/** The terms of which one is enough. */
export const alternatives = (wanted: Wanted): readonly Term[] => ('anyOf' in wanted ? wanted.anyOf : [wanted])

/** A single word that may be a part of an id is marked at any place, as it is found. */
const markedTerm = (term: Term, form: Wanted | undefined): MarkedText => ({
  text: foldSearched(term.join(' ')),
  isAnywhere: term.length === 1 && form !== undefined && 'anyOf' in form && isPartOfId(term[0] ?? ''),
})

/** Those of a row's ids that a query is the beginning of. Other ids are not searched, and show in no excerpt. */
export const idFields = ({ id }: SearchQuery, ...ids: readonly string[]): string[] =>
  id === null ? [] : ids.filter((each) => foldId(each).startsWith(id))
