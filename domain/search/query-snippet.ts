import { foldSearched, unfoldedOffset } from './fold.ts'
import type { MarkedText, SearchQuery } from './query.ts'
import type { Term } from './tokenizer.ts'
import { MATCH_END, MATCH_START, placedSnippet, snippet } from './snippet.ts'

/** The beginning of a field that is searched, in UTF-16 units: this many with one pattern, fewer with several. */
const MAX_UNITS = 1024 * 1024
/** Matches that are compared for the best place. */
const MAX_MATCHES = 200
/** Folded units within which matches count as close. */
const CLOSE_UNITS = 80
/** Text before and after the matches, in UTF-16 units. */
const BEFORE_UNITS = 24
const AFTER_UNITS = 48

/**
 * One excerpt of the field that contains most of what a query asks for. `snippet` makes it if words alone are found. Otherwise
 * parts of words are marked too, and not the whole words. `ids` are fields for what matches by an id.
 */
export const querySnippet = (fields: readonly string[], query: SearchQuery, ids: readonly string[] = []): string =>
  placedQuerySnippet(fields, query, ids).text

/** The same, with the index of its field; the ids follow the fields. */
export const placedQuerySnippet = (
  fields: readonly string[],
  { wanted, terms, marked }: SearchQuery,
  ids: readonly string[] = [],
): { readonly field: number; readonly text: string } => {
  if (marked === null) return placedSnippet(fields, terms)
  const isFound = (term: Term): boolean => snippet(fields, [term]).includes(MATCH_START)
  if (terms.length === wanted.length && terms.every(isFound)) return placedSnippet(fields, terms)
  const patterns = marked.map(patternOf)
  let best: { readonly field: number; readonly text: string; readonly place: Place } | null = null
  for (const [field, text] of [...fields, ...ids].entries()) {
    const place = bestPlace(foldSearched(text.slice(0, MAX_UNITS / patterns.length)), patterns)
    if (place && (best === null || place.patterns > best.place.patterns)) best = { field, text, place }
    if (best?.place.patterns === patterns.length) break
  }
  return best ? { field: best.field, text: excerpt(best.text, best.place, patterns) } : placedSnippet(fields, terms)
}

const LETTER = String.raw`[\p{L}\p{N}]`

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** A pattern for folded text. The words of a phrase have anything but letters and digits between them. */
const patternOf = ({ text, isAnywhere }: MarkedText): RegExp => {
  if (isAnywhere) return new RegExp(escaped(text), 'gu')
  const words = text.split(' ').map(escaped)
  return new RegExp(`(?<!${LETTER})${words.join(`[^\\p{L}\\p{N}]+`)}${LETTER}*`, 'gu')
}

/** A range of folded text, and how many patterns match in it. */
type Place = { readonly start: number; readonly end: number; readonly patterns: number }

const bestPlace = (folded: string, patterns: readonly RegExp[]): Place | null => {
  const matches = patterns
    .flatMap((pattern, n) =>
      [...Iterator.from(folded.matchAll(pattern)).take(MAX_MATCHES)].map(({ index, 0: found }) => ({
        n,
        start: index,
        end: index + found.length,
      })),
    )
    .sort((a, b) => a.start - b.start)
    .slice(0, MAX_MATCHES)
  const patternCount = new Set(matches.map(({ n }) => n)).size
  let best: Place | null = null
  let close = 0
  for (const [i, { start }] of matches.entries()) {
    const near = matches.slice(i).filter((match) => match.start < start + CLOSE_UNITS)
    const count = new Set(near.map(({ n }) => n)).size
    if (best !== null && count <= close) continue
    close = count
    best = { start, end: Math.max(...near.map(({ end }) => end)), patterns: patternCount }
    if (count === patternCount) break
  }
  return best
}

const excerpt = (text: string, { start, end }: Place, patterns: readonly RegExp[]): string => {
  const first = unfoldedOffset(text, start)
  const from = wordStart(text, Math.max(0, first - BEFORE_UNITS), first)
  const last = unfoldedOffset(text, Math.min(end, start + CLOSE_UNITS * 2))
  const to = wholeCharacter(text, Math.min(text.length, last + AFTER_UNITS))
  const shown = text.slice(from, to)
  const folded = foldSearched(shown)
  const ranges = patterns
    .flatMap((pattern) =>
      [...folded.matchAll(pattern)].map(({ index, 0: found }) => [index, index + found.length] as const),
    )
    .sort(([a], [b]) => a - b)
  let written = ''
  let position = 0
  for (const [foldedStart, foldedEnd] of ranges) {
    const [open, close] = [Math.max(position, startAt(shown, foldedStart)), unfoldedOffset(shown, foldedEnd)]
    if (open >= close) continue
    written += `${withoutMarks(shown.slice(position, open))}${MATCH_START}${withoutMarks(shown.slice(open, close))}${MATCH_END}`
    position = close
  }
  written += withoutMarks(shown.slice(position))
  return `${from > 0 ? '…' : ''}${written.toWellFormed()}${to < text.length ? '…' : ''}`
}

/** The character in which a folded offset is. One that folds to several is marked as a whole. */
const startAt = (text: string, folded: number): number => {
  const at = unfoldedOffset(text, folded)
  return foldSearched(text.slice(0, at)).length > folded ? wholeCharacter(text, at - 1, -1) : at
}

/** The first offset after white space, if there is one between two offsets; else the first one. */
const wordStart = (text: string, from: number, to: number): number => {
  if (from === 0) return 0
  const gap = text.slice(from, to).search(/\s\S/)
  return gap < 0 ? wholeCharacter(text, from) : from + gap + 1
}

/** An offset that is not between the two units of a character. */
const wholeCharacter = (text: string, offset: number, step: 1 | -1 = 1): number =>
  (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset + step : offset

const withoutMarks = (text: string): string => text.replace(/[\uE000\uE001]/g, '')
