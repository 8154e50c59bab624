import { cutAfter, foldText, spansFrom } from './tokenizer.ts'
import type { Term, TokenSpan } from './tokenizer.ts'

/**
 * What wraps each matched token: private-use characters, taken out of the text itself so that nobody can forge them.
 */
export const MATCH_START = '\uE000'
export const MATCH_END = '\uE001'

/** Length of an excerpt: in tokens, and in UTF-16 units for text whose tokens or gaps are huge. */
const EXCERPT_TOKENS = 12
const EXCERPT_UNITS = 400

/** How far around the chosen matches the excerpt may look for its other tokens. */
const MARGIN_UNITS = 400

/** How much text is looked at in one go. */
const BLOCK_UNITS = 4096

/**
 * What looking costs, in about nanoseconds: a stretch that is not ASCII, each unit of it, a unit of text cut into
 * tokens, a token compared with a word.
 */
const STRETCH_COST = 300
const FOLD_COST = 40
const TOKEN_COST = 20
const MATCH_COST = 10

/** What may be spent on one field: some megabytes of plain English, 40,000 to 100,000 characters of other scripts. */
const FIELD_BUDGET = 4_000_000

/** Matches of one block that are weighed against each other. */
const MAX_HITS = 200

/**
 * One match: which term, its place in the text, and its first and last token, counted from the start of what was looked
 * at.
 */
type Hit = {
  readonly term: number
  readonly start: number
  readonly end: number
  readonly first: number
  readonly last: number
}

/** A place for an excerpt: how many terms and how many matches it shows. */
type Window = { readonly start: number; readonly end: number; readonly terms: number; readonly hits: number }

type Scan = { readonly terms: number; readonly window: Window | null }

/**
 * One excerpt from the field that matches most terms, around its densest match. Work is bounded: a match that lies very
 * deep in a huge field may go unseen, and when none is seen the excerpt is the beginning of the first field that has
 * text.
 */
export const snippet = (fields: readonly string[], terms: readonly Term[]): string => {
  let best = { text: '', terms: 0, window: null as Window | null }
  for (const text of fields) {
    if (best.terms === terms.length) break
    const scan = scanField(text, terms)
    if (scan.terms > best.terms) best = { text, ...scan }
  }
  if (best.window) return excerpt(best.text, best.window, terms)

  const text = fields.find((field) => /\S/.test(field)) ?? ''
  const start = Math.max(0, text.search(/\S/))
  return excerpt(text, { start, end: start, terms: 0, hits: 0 }, [])
}

/**
 * Walks through a field block by block, passing over blocks that cannot add anything, until one window holds every
 * term.
 */
const scanField = (text: string, terms: readonly Term[]): Scan => {
  const missing = new Set(terms.keys())
  const words = terms.flat().length
  const lookahead = Math.max(...terms.map((tokens) => tokens.length)) - 1
  let window: Window | null = null
  let hits: Hit[] = []
  let ordinal = 0
  let budget = FIELD_BUDGET

  for (let from = 0; from < text.length && budget > 0;) {
    const to = cutAfter(text, from + BLOCK_UNITS)
    const block = text.slice(from, to)
    const folded = foldText(block)
    budget -= foldCost(block)

    const wanted = [...(missing.size > 0 ? missing : terms.keys())]
    if (wanted.some((term) => startsToken(folded, terms[term]?.[0] ?? ''))) {
      const { tokens, count } = tokensOf(area(text, to + BLOCK_UNITS), from, to, lookahead)
      budget -= block.length * TOKEN_COST
      hits = hits.filter(({ first }) => first > ordinal - EXCERPT_TOKENS)
      for (let n = 0; n < count; n++) {
        // One token is always looked at: a block without any gap may alone cost more than there is.
        if (n > 0 && budget < 0) break
        budget -= words * MATCH_COST
        for (const [term, { length }] of terms.entries()) {
          const [start, end] = [tokens[n], tokens[n + length - 1]]
          if (!start || !end || !matchesAt(tokens, n, terms[term] ?? [])) continue
          const found = missing.delete(term)
          if (found || hits.length < MAX_HITS)
            hits.push({ term, start: start.start, end: end.end, first: ordinal + n, last: ordinal + n + length - 1 })
        }
      }
      ordinal += count
      window = denser(window, densest(hits))
      if (window?.terms === terms.length) break
    } else {
      // A block passed over keeps the matches on its two sides apart.
      ordinal += EXCERPT_TOKENS
    }
    // With every term found, looking on can only bring them closer together: worth half of the budget.
    if (missing.size === 0 && budget < FIELD_BUDGET / 2) break
    from = to
  }
  return { terms: terms.length - missing.size, window }
}

const foldCost = (text: string): number => {
  let cost = text.length
  for (const [stretch] of text.matchAll(/[^\0-\x7f]+/g)) cost += STRETCH_COST + stretch.length * FOLD_COST
  return cost
}

/** Whether a token of the folded text starts with the given one: a plain search and a look at the unit before. */
const startsToken = (folded: string, token: string): boolean => {
  for (let at = folded.indexOf(token); at !== -1; at = folded.indexOf(token, at + 1)) {
    if (at === 0 || !isTokenUnit(folded.charCodeAt(at - 1))) return true
  }
  return false
}

/** Folded text has lower-case letters and digits, and beyond ASCII nothing but them. */
const isTokenUnit = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39)

/**
 * The text up to an offset, or to the end of the token there: a regular expression let loose on a long gap would run
 * through all of it.
 */
const area = (text: string, end: number): string => text.slice(0, cutAfter(text, end))

/** The tokens that start within a range, `count` of them, and as many after it as a phrase begun inside may need. */
const tokensOf = (
  text: string,
  from: number,
  to: number,
  lookahead: number,
): { tokens: TokenSpan[]; count: number } => {
  const tokens: TokenSpan[] = []
  let count = 0
  for (const token of spansFrom(text, from)) {
    if (token.start >= to && tokens.length - count >= lookahead) break
    tokens.push(token)
    if (token.start < to) count++
  }
  return { tokens, count }
}

const matchesAt = (tokens: readonly TokenSpan[], at: number, words: Term): boolean =>
  words.every((word, n) => {
    const token = tokens[at + n]?.token
    return n === words.length - 1 ? token?.startsWith(word) : token === word
  })

/**
 * The best window of an excerpt's length among those that begin at a hit. Hits come in the order of their first tokens.
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
      // Only what is shown whole counts, but for the opening hit: a phrase longer than an excerpt is shown by its
      // beginning.
      if (hit.last >= first + EXCERPT_TOKENS) continue
      shown.add(hit.term)
      end = Math.max(end, hit.end)
      count++
    }
    best = denser(best, { start, end, terms: shown.size, hits: count })
  }
  return best
}

/** Most distinct terms, then most matches, then the earlier. */
const denser = (earlier: Window | null, later: Window | null): Window | null => {
  if (!earlier || !later) return earlier ?? later
  return (later.terms - earlier.terms || later.hits - earlier.hits) > 0 ? later : earlier
}

/** Writes the tokens around a window, with what lies between them as it is, every match marked. */
const excerpt = (text: string, window: Window, terms: readonly Term[]): string => {
  const margin = Math.max(0, window.start - MARGIN_UNITS)
  const near = area(text, window.end + MARGIN_UNITS)
  // The margin may begin inside a token.
  const tokens = [...spansFrom(near, margin)].filter(({ start }) => margin === 0 || start > margin)

  const focus = tokens.findIndex(({ end }) => end > window.start)
  const width = tokens.filter(({ start, end }) => end > window.start && start < window.end).length
  const centred = Math.max(0, focus - Math.floor(Math.max(0, EXCERPT_TOKENS - width) / 2))
  const atEnd = Math.max(0, tokens.length - EXCERPT_TOKENS)
  const first = Math.min(centred, atEnd)
  const shown = tokens.slice(first, first + EXCERPT_TOKENS)
  const matched = matchedIn(tokens, first + shown.length, terms)

  // Whatever stands before the first token of the text or after its last one belongs to the excerpt that reaches it.
  const reachesStart = margin === 0 && first === 0
  const reachesEnd = near.length === text.length && first + shown.length === tokens.length
  const start = reachesStart ? 0 : (shown[0]?.start ?? window.start)
  const end = reachesEnd ? text.length : (shown.at(-1)?.end ?? near.length)
  const [from, to] = clip(text, start, end, window)

  let written = ''
  let at = from
  for (const { start, end } of shown.filter((token) => matched.has(token.start))) {
    // Tokens of one run share a place: it is marked once. One that the limit on units cut off is not there to be
    // marked.
    const [open, close] = [Math.max(start, at), Math.min(end, to)]
    if (open >= close) continue
    written += plain(text.slice(at, open)) + MATCH_START + plain(text.slice(open, close)) + MATCH_END
    at = close
  }
  written += plain(text.slice(at, to))
  return `${from > 0 ? '…' : ''}${written.toWellFormed()}${to < text.length ? '…' : ''}`
}

/** The starts of the tokens that belong to a match, up to the given number of tokens. */
const matchedIn = (tokens: readonly TokenSpan[], count: number, terms: readonly Term[]): Set<number> => {
  const starts = new Set<number>()
  for (const words of terms) {
    // Matches of a phrase may overlap: a token is noted once.
    let noted = 0
    for (let n = 0; n < count; n++) {
      if (!matchesAt(tokens, n, words)) continue
      for (const { start } of tokens.slice(Math.max(n, noted), n + words.length)) starts.add(start)
      noted = n + words.length
    }
  }
  return starts
}

/**
 * Cuts a range that is too long for an excerpt down to its window and what fits around it, never through a surrogate
 * pair.
 */
const clip = (text: string, from: number, to: number, window: Window): readonly [from: number, to: number] => {
  if (to - from <= EXCERPT_UNITS) return [from, to]
  const spare = Math.max(0, EXCERPT_UNITS - (window.end - window.start))
  const start = Math.max(from, Math.min(window.start - Math.floor(spare / 2), to - EXCERPT_UNITS))
  return [wholePair(text, start), wholePair(text, start + EXCERPT_UNITS)]
}

const wholePair = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at)

const plain = (text: string): string => text.replace(/[\uE000\uE001]/g, '')
