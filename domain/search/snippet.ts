import { cutAfter, foldText, isAsciiTokenUnit, tokensFrom, type Term, type Tokens } from './tokenizer.ts'

/**
 * The marks around each matched token: private-use characters. They are removed from the text itself, so that a
 * document cannot forge them.
 */
export const MATCH_START = '\uE000'
export const MATCH_END = '\uE001'

/** Maximum length of an excerpt in tokens, and in UTF-16 units for text with huge tokens or gaps. */
const EXCERPT_TOKENS = 12
const EXCERPT_UNITS = 400

/** An excerpt takes its other tokens from the text within this distance before and after the chosen matches. */
const MARGIN_UNITS = 400

/** The amount of text that is scanned at a time. */
const BLOCK_UNITS = 4096

/**
 * The cost of scanning in nanoseconds, roughly: per stretch that is not ASCII, per unit of such a stretch, per unit of
 * text that is tokenized, per token that is compared with a word.
 */
const STRETCH_COST = 300
const FOLD_COST = 40
const TOKEN_COST = 20
const MATCH_COST = 10

/** The budget for one field: some megabytes of plain English, 40,000 to 100,000 characters of other scripts. */
const FIELD_BUDGET = 4_000_000

/**
 * A field of at most this many units, searched for at most this many words, costs less than half of the budget whatever it
 * contains. So nothing depends on its exact cost, and its tokens need not be counted.
 */
const CHEAP_UNITS = 5000
const CHEAP_WORDS = 4

/** Maximum number of matches that are compared for the best window. */
const MAX_HITS = 200

/**
 * One match: its term, its position in the text, and its first and last token, counted from the start of the scanned
 * text.
 */
type Hit = {
  readonly term: number
  readonly start: number
  readonly end: number
  readonly first: number
  readonly last: number
}

/** A possible excerpt, with the number of terms and of matches that it shows. */
type Window = { readonly start: number; readonly end: number; readonly terms: number; readonly hits: number }

type Scan = { readonly terms: number; readonly window: Window | null }

/**
 * Returns one excerpt, around the densest match of the field that matches the most terms. The work is limited, so a
 * match far inside a huge field may not be found. If no match is found, the excerpt is the beginning of the first field
 * with text.
 */
export const snippet = (fields: readonly string[], terms: readonly Term[]): string => placedSnippet(fields, terms).text

/** Returns a snippet, and the number of the field that it is of; -1 if all fields are blank. */
export const placedSnippet = (
  fields: readonly string[],
  terms: readonly Term[],
): { readonly text: string; readonly field: number } => {
  let best = { field: -1, terms: 0, window: null as Window | null }
  for (const [field, text] of fields.entries()) {
    if (best.terms === terms.length) break
    const scan = scanField(text, terms)
    if (scan.terms > best.terms) best = { field, ...scan }
  }
  if (best.window) return { text: excerpt(fields[best.field] ?? '', best.window, terms), field: best.field }

  const field = fields.findIndex((text) => /\S/.test(text))
  const text = fields[field] ?? ''
  const start = Math.max(0, text.search(/\S/))
  return { text: excerpt(text, { start, end: start, terms: 0, hits: 0 }, []), field }
}

/**
 * Scans a field block by block, skipping blocks that cannot add a match, until one window contains every term.
 */
const scanField = (text: string, terms: readonly Term[]): Scan => {
  const missing = new Set(terms.keys())
  const wordCount = terms.flat().length
  const lookahead = Math.max(...terms.map((tokens) => tokens.length)) - 1
  let window: Window | null = null
  let hits: Hit[] = []
  let ordinal = 0
  let budget = FIELD_BUDGET
  const isCheap = text.length <= CHEAP_UNITS && wordCount <= CHEAP_WORDS && lookahead === 0

  const take = (hit: Hit): void => {
    const isFirstMatch = missing.delete(hit.term)
    if (isFirstMatch || hits.length < MAX_HITS) hits.push(hit)
  }

  for (let from = 0; from < text.length && budget > 0;) {
    const to = cutAfter(text, from + BLOCK_UNITS)
    const block = text.slice(from, to)
    const folded = foldText(block)
    budget -= foldCost(block)

    const searchedTerms = [...(missing.size > 0 ? missing : terms.keys())]
    if (!searchedTerms.some((term) => tokenStart(folded, terms[term]?.[0] ?? '', 0) >= 0)) {
      // A skipped block separates the matches before it from those after it.
      ordinal += EXCERPT_TOKENS
    } else if (isCheap && !NOT_PLAIN.test(block)) {
      hits = hits.filter(({ first }) => first > ordinal - EXCERPT_TOKENS)
      let at = 0
      for (const { term, start, end } of wordMatches(folded, terms)) {
        ordinal += tokenCount(folded, at, start)
        at = start
        take({ term, start: from + start, end: from + end, first: ordinal, last: ordinal })
      }
      ordinal += tokenCount(folded, at, folded.length)
      window = denser(window, densest(hits))
      if (window?.terms === terms.length) break
    } else {
      // A phrase that starts in the block may end after it.
      const end = lookahead === 0 ? to : cutAfter(text, to + BLOCK_UNITS)
      const { tokens, count } = tokensFrom(text, from, to, lookahead, end)
      budget -= block.length * TOKEN_COST
      hits = hits.filter(({ first }) => first > ordinal - EXCERPT_TOKENS)
      for (let n = 0; n < count; n++) {
        // At least one token is compared: a block without a gap may cost more than the budget.
        if (n > 0 && budget < 0) break
        budget -= wordCount * MATCH_COST
        for (let term = 0; term < terms.length; term++) {
          const words = terms[term] ?? []
          if (!matchesAt(tokens, n, words)) continue
          const last = n + words.length - 1
          const [start, end] = [tokens.starts[n], tokens.ends[last]]
          if (start === undefined || end === undefined) continue
          take({ term, start, end, first: ordinal + n, last: ordinal + last })
        }
      }
      ordinal += count
      window = denser(window, densest(hits))
      if (window?.terms === terms.length) break
    }
    // Once every term is found, more scanning can only find a denser window. The scan then stops when half
    // of the budget is spent.
    if (missing.size === 0 && budget < FIELD_BUDGET / 2) break
    from = to
  }
  return { terms: terms.length - missing.size, window }
}

/** What is in a text that folding changes in more than its case. */
const NOT_PLAIN = /[^\x01-\x7f]/

type WordMatch = { readonly term: number; readonly start: number; readonly end: number }

/** The tokens of folded plain text that begin with a term of one word, in order. */
const wordMatches = (folded: string, terms: readonly Term[]): WordMatch[] => {
  const matches: WordMatch[] = []
  for (const [term, [word = '']] of terms.entries())
    for (let start = tokenStart(folded, word, 0); start >= 0;) {
      let end = start + word.length
      while (end < folded.length && isTokenUnit(folded.charCodeAt(end))) end++
      matches.push({ term, start, end })
      start = tokenStart(folded, word, end)
    }
  return terms.length === 1 ? matches : matches.sort((a, b) => a.start - b.start || a.term - b.term)
}

/** The number of tokens that start in a range of folded plain text; `EXCERPT_TOKENS` if there are more. */
const tokenCount = (folded: string, from: number, to: number): number => {
  let count = 0
  let isInToken = false
  for (let at = from; at < to && count < EXCERPT_TOKENS; at++) {
    const isIn = isTokenUnit(folded.charCodeAt(at))
    if (isIn && !isInToken) count++
    isInToken = isIn
  }
  return count
}

const foldCost = (text: string): number => {
  let cost = text.length
  if (!NOT_PLAIN.test(text)) return cost
  for (const [stretch] of text.matchAll(/[^\0-\x7f]+/g)) cost += STRETCH_COST + stretch.length * FOLD_COST
  return cost
}

/**
 * Where the first token of the folded text from an offset on starts that starts with the given one, or -1: a plain search that
 * checks the unit before each hit.
 */
const tokenStart = (folded: string, token: string, from: number): number => {
  for (let offset = folded.indexOf(token, from); offset !== -1; offset = folded.indexOf(token, offset + 1)) {
    if (offset === 0 || !isTokenUnit(folded.charCodeAt(offset - 1))) return offset
  }
  return -1
}

/** Folded text has lower-case letters and digits; every non-ASCII character in it is one of them. */
const isTokenUnit = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39)

// A loop is faster than `every`: it runs for every token of a text and every term.
const matchesAt = (tokens: Tokens, first: number, words: Term): boolean => {
  const last = words.length - 1
  for (let n = 0; n <= last; n++) if (!tokens.matches(first + n, words[n] ?? '', n < last)) return false
  return true
}

/**
 * Returns the best window of an excerpt's length among those that start at a hit. `hits` are sorted by their first
 * token.
 */
const densest = (hits: readonly Hit[]): Window | null => {
  let best: Window | null = null
  for (const [n, { start, first, ...opening }] of hits.entries()) {
    const shown = new Set([opening.term])
    let end = opening.end
    let count = 1
    for (let m = n + 1; m < hits.length; m++) {
      const hit = hits[m]
      if (!hit || hit.first >= first + EXCERPT_TOKENS) break
      // A hit counts only if the whole of it is shown. The opening hit always counts: if its phrase is longer than an
      // excerpt, only the beginning of the phrase is shown.
      if (hit.last >= first + EXCERPT_TOKENS) continue
      shown.add(hit.term)
      end = Math.max(end, hit.end)
      count++
    }
    best = denser(best, { start, end, terms: shown.size, hits: count })
  }
  return best
}

/** Returns the window with more distinct terms, then with more matches, then the earlier one. */
const denser = (earlier: Window | null, later: Window | null): Window | null => {
  if (!earlier || !later) return earlier ?? later
  return (later.terms - earlier.terms || later.hits - earlier.hits) > 0 ? later : earlier
}

/** Tokens before and after the matches of which an excerpt takes its own: one more, which shows that it leaves some out. */
const NEAR_TOKENS = EXCERPT_TOKENS + 1

/** Where `NEAR_TOKENS` before an offset start; null if fewer start after the margin, or if there is more than ASCII. */
const tokensBefore = (text: string, margin: number, offset: number): number | null => {
  let count = 0
  for (let at = offset - 1; at > margin; at--) {
    const [unit, before] = [text.charCodeAt(at), text.charCodeAt(at - 1)]
    if (unit > LAST_ASCII || before > LAST_ASCII) return null
    if (isAsciiTokenUnit(unit) && !isAsciiTokenUnit(before) && ++count === NEAR_TOKENS) return at
  }
  return null
}

const LAST_ASCII = 0x7f

/** Writes the text around a window and marks every match. */
const excerpt = (text: string, window: Window, terms: readonly Term[]): string => {
  const margin = Math.max(0, window.start - MARGIN_UNITS)
  const nearEnd = cutAfter(text, window.end + MARGIN_UNITS)
  // Only a match of several tokens may begin further away than the excerpt does.
  const isOfWords = terms.every(({ length }) => length === 1)
  const from =
    (isOfWords ? tokensBefore(text, margin, window.start) : null) ?? (margin === 0 ? 0 : cutAfter(text, margin))
  const { tokens } = isOfWords
    ? tokensFrom(text, from, cutAfter(text, window.end), NEAR_TOKENS, nearEnd)
    : tokensFrom(text, from, nearEnd)
  const { starts, ends } = tokens

  const focus = ends.findIndex((end) => end > window.start)
  const width = ends.filter((end, n) => end > window.start && (starts[n] ?? 0) < window.end).length
  const centred = Math.max(0, focus - Math.floor(Math.max(0, EXCERPT_TOKENS - width) / 2))
  const atEnd = Math.max(0, tokens.length - EXCERPT_TOKENS)
  const first = Math.min(centred, atEnd)
  const after = Math.min(first + EXCERPT_TOKENS, tokens.length)
  const matched = matchedIn(tokens, after, terms)

  // An excerpt that contains the first token of the text also contains the text before it. The same applies to the last
  // token and the text after it.
  const reachesStart = margin === 0 && first === 0
  const reachesEnd = nearEnd === text.length && after === tokens.length
  const start = reachesStart ? 0 : (starts[first] ?? window.start)
  const end = reachesEnd ? text.length : (ends[after - 1] ?? nearEnd)
  const [shownFrom, to] = clip(text, start, end, window)

  let written = ''
  let position = shownFrom
  for (let n = first; n < after; n++) {
    const [tokenStart, tokenEnd] = [starts[n] ?? 0, ends[n] ?? 0]
    if (!matched.has(tokenStart)) continue
    // Several tokens may come from one run of characters: they have the same position, which is marked once. A token
    // outside of the clipped range is not marked.
    const [open, close] = [Math.max(tokenStart, position), Math.min(tokenEnd, to)]
    if (open >= close) continue
    written +=
      withoutMarks(text.slice(position, open)) + MATCH_START + withoutMarks(text.slice(open, close)) + MATCH_END
    position = close
  }
  written += withoutMarks(text.slice(position, to))
  return `${shownFrom > 0 ? '…' : ''}${written.toWellFormed()}${to < text.length ? '…' : ''}`
}

/** The starts of the tokens that belong to a match, up to the given number of tokens. */
const matchedIn = (tokens: Tokens, count: number, terms: readonly Term[]): Set<number> => {
  const starts = new Set<number>()
  for (const words of terms) {
    // Matches of a phrase may overlap: each token is added once.
    let nextToken = 0
    for (let n = 0; n < count; n++) {
      if (!matchesAt(tokens, n, words)) continue
      for (const start of tokens.starts.slice(Math.max(n, nextToken), n + words.length)) starts.add(start)
      nextToken = n + words.length
    }
  }
  return starts
}

/**
 * Returns a range that fits into an excerpt: a longer one is reduced to its window and some text around the window. It
 * never cuts a surrogate pair.
 */
const clip = (text: string, from: number, to: number, window: Window): readonly [from: number, to: number] => {
  if (to - from <= EXCERPT_UNITS) return [from, to]
  const spare = Math.max(0, EXCERPT_UNITS - (window.end - window.start))
  const start = Math.max(from, Math.min(window.start - Math.floor(spare / 2), to - EXCERPT_UNITS))
  return [afterPair(text, start), afterPair(text, start + EXCERPT_UNITS)]
}

const afterPair = (text: string, offset: number): number =>
  (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset + 1 : offset

const withoutMarks = (text: string): string => text.replace(/[\uE000\uE001]/g, '')
