export type TokenSpan = { readonly token: string; readonly start: number; readonly end: number }

/**
 * One token, or the consecutive tokens of a phrase; the last token matches as a prefix. All terms of a query must
 * match.
 */
export type Term = readonly string[]

/** Limits for hostile queries. */
const MAX_TERMS = 32
const MAX_TERM_TOKENS = 64

/** Text that needs no folding. NUL is excluded because it would end a text for SQLite. */
const ASCII = /^[\x01-\x7f]*$/
const TOKEN = /[a-z0-9\x80-\uffff]+/g

// The folding of a code point does not depend on its neighbours: a final sigma becomes an ordinary sigma, and the
// order of marks does not matter. So only stretches that are not ASCII are folded. A stretch may contain single spaces,
// so that text in another script is one stretch instead of one per word.
const STRETCH = /[^\x01-\x7f]+(?: [^\x01-\x7f]+)*/g

// The characters that may become part of a token: letters, digits, marks, and the symbol blocks that compatibility
// decomposition converts to letters (™, ℃, ㎏).
const SYMBOLS = String.raw`\u20a8\u2100-\u214f\u249c-\u24e9\u2e80-\u2fdf\u3190-\u319f\u3200-\u33ff\ufdfc\u{1ccd6}-\u{1ccef}\u{1f100}-\u{1f2ff}`
const RUN = `[\\p{L}\\p{N}\\p{M}${SYMBOLS}]+`
const NO_RUN = `[^\\p{L}\\p{N}\\p{M}${SYMBOLS}]`

// A gap that consists only of marks is removed, so that the text around it is joined. Any other gap becomes a space.
const foldStretch = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, (gap) => (/^\p{M}+$/u.test(gap) ? '' : ' '))
    .toLowerCase()
    .replaceAll('ς', 'σ')

/**
 * Returns text that the `ascii` tokenizer of FTS5 splits into the tokens of the given text. That tokenizer returns runs
 * of ASCII letters, ASCII digits and non-ASCII characters, and ignores the case of ASCII letters. Plain ASCII, the
 * common case, is returned unchanged.
 */
export const indexText = (text: string): string => (ASCII.test(text) ? text : text.replace(STRETCH, foldStretch))

/** The tokens of index text. */
export const indexTokens = (text: string): string[] => text.toLowerCase().match(TOKEN) ?? []

/** The text that queries search: index text in lower case. */
export const foldText = (text: string): string => indexText(text).toLowerCase()

/** The tokenizer of both index and query: NFKD, marks removed, lower case, runs of letters and digits. */
export const tokenize = (text: string): string[] => indexTokens(indexText(text))

const LAST_ASCII = 0x7f
const LAST_UNIT = 0xffff

export const isAsciiTokenUnit = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39)

const isAsciiGap = (unit: number): boolean => unit <= LAST_ASCII && !isAsciiTokenUnit(unit)

/**
 * Consecutive tokens of a text, with their positions (UTF-16 offsets) in it. The tokens are exactly those of `tokenize`.
 * If a run of characters folds to several tokens, as "½" does, each of them has the position of the run. Tokens of ASCII
 * are compared where they are in the text, because a search reads thousands of them and shows a dozen.
 */
export class Tokens {
  readonly #text: string
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** Folded tokens by number; of a token of ASCII, the text itself has it. */
  readonly #folded = new Map<number, string>()

  constructor(text: string) {
    this.#text = text
  }

  get length(): number {
    return this.starts.length
  }

  add(start: number, end: number, folded?: string): void {
    if (folded !== undefined) this.#folded.set(this.starts.length, folded)
    this.starts.push(start)
    this.ends.push(end)
  }

  /** The n-th token, folded. */
  at(n: number): string {
    return this.#folded.get(n) ?? this.#text.slice(this.starts[n], this.ends[n]).toLowerCase()
  }

  /** Whether there is an n-th token, and it starts with these units, or is equal to them. */
  matches(n: number, word: string, isWhole: boolean): boolean {
    const start = this.starts[n]
    if (start === undefined) return false
    if (this.#folded.size > 0) {
      const folded = this.#folded.get(n)
      if (folded !== undefined) return isWhole ? folded === word : folded.startsWith(word)
    }
    const length = (this.ends[n] ?? 0) - start
    if (isWhole ? length !== word.length : length < word.length) return false
    for (let i = 0; i < word.length; i++) {
      const unit = this.#text.charCodeAt(start + i)
      if ((isUpperCase(unit) ? unit + LOWER_CASE : unit) !== word.charCodeAt(i)) return false
    }
    return true
  }
}

const LOWER_CASE = 0x20
const isUpperCase = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a

const RUN_HERE = new RegExp(RUN, 'uy')

/**
 * Reads the tokens that start in a range, `count` in number, then `lookahead` or more of those that start between the range
 * and `end`. No token may continue after the range or `end`.
 */
export const tokensFrom = (
  text: string,
  from: number,
  to: number,
  lookahead = 0,
  end = to,
): { readonly tokens: Tokens; readonly count: number } => {
  const tokens = new Tokens(text)
  let count: number | null = null
  for (let at = from; at < end;) {
    if (isAsciiGap(text.charCodeAt(at))) {
      at++
      continue
    }
    if (at >= to) {
      count ??= tokens.length
      if (tokens.length - count >= lookahead) break
    }
    const start = at
    while (at < end && isAsciiTokenUnit(text.charCodeAt(at))) at++
    if (at === end || text.charCodeAt(at) <= LAST_ASCII) {
      tokens.add(start, at)
      continue
    }
    RUN_HERE.lastIndex = start
    const run = RUN_HERE.exec(text)
    if (run === null) {
      // A character that belongs to no token.
      at += (text.codePointAt(at) ?? 0) > LAST_UNIT ? 2 : 1
    } else if (RUN_HERE.lastIndex === at) {
      tokens.add(start, at)
    } else {
      at = RUN_HERE.lastIndex
      for (const token of tokenize(run[0])) tokens.add(run.index, at, token)
    }
  }
  return { tokens, count: count ?? tokens.length }
}

/** Returns the tokens from an offset on with their positions; see `Tokens`. */
export const spansFrom = (text: string, from: number): TokenSpan[] => {
  const { tokens } = tokensFrom(text, from, text.length)
  return tokens.starts.map((start, n) => ({ token: tokens.at(n), start, end: tokens.ends[n] ?? start }))
}

/** Returns all tokens with their positions. */
export const tokenSpans = (text: string): TokenSpan[] => spansFrom(text, 0)

const GAP = new RegExp(NO_RUN, 'gu')

/** The first offset at or after the given one where a cut does not split a token. */
export const cutAfter = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isAsciiTokenUnit(text.charCodeAt(at))) at++
  if (at >= text.length) return text.length
  if (isAsciiGap(text.charCodeAt(at))) return at
  GAP.lastIndex = from
  return GAP.exec(text)?.index ?? text.length
}

/** Whether a text that matches the longer term always matches the term too. */
const isImpliedBy = (term: Term, longer: Term): boolean => {
  const last = term.length - 1
  return longer.some(
    (_, from) =>
      term.every((token, n) => n === last || longer[from + n] === token) &&
      longer[from + last]?.startsWith(term[last] ?? '') === true,
  )
}

/**
 * Reads the user's input as literal prefix terms. It has no syntax; a word without letters and digits is dropped. So is
 * a term that another one implies, such as a repeated word or the beginning of another word: it would cost a search
 * without an effect on what is found.
 */
export const queryTerms = (q: string): string[][] => {
  let terms: string[][] = []
  for (const [word] of q.matchAll(/\S+/g)) {
    const term = tokenize(word.replaceAll('"', '')).slice(0, MAX_TERM_TOKENS)
    if (term.length === 0 || terms.some((other) => isImpliedBy(term, other))) continue
    terms = [...terms.filter((other) => !isImpliedBy(other, term)), term]
    if (terms.length === MAX_TERMS) break
  }
  return terms
}

/** Returns the terms as an FTS5 expression. Tokens contain only letters and digits, so quoting them is enough. */
export const ftsQuery = (terms: readonly Term[]): string =>
  terms.map((tokens) => `"${tokens.join(' ')}" *`).join(' AND ')
