export type TokenSpan = { readonly token: string; readonly start: number; readonly end: number }

/**
 * A query is terms that must all match; a term is one token, or the consecutive tokens of a phrase; its last token
 * matches as a prefix.
 */
export type Term = readonly string[]

/** Bounds on what a hostile query can ask for. */
const MAX_TERMS = 32
const MAX_TERM_TOKENS = 64

/** What needs no folding. NUL is left out because it would end a text for SQLite. */
const ASCII = /^[\x01-\x7f]*$/
const TOKEN = /[a-z0-9\x80-\uffff]+/g

// Folding a code point never depends on its neighbours (a final sigma is undone, order of marks is moot), so only the
// stretches that are not ASCII need it. A single space is let in, so that text in another script is one stretch and not
// one for each word.
const STRETCH = /[^\x01-\x7f]+(?: [^\x01-\x7f]+)*/g

// What may become part of a token: letters, digits, marks, and the blocks of symbols that compatibility decomposition
// turns into letters (™, ℃, ㎏).
const SYMBOLS = String.raw`\u20a8\u2100-\u214f\u249c-\u24e9\u2e80-\u2fdf\u3190-\u319f\u3200-\u33ff\ufdfc\u{1ccd6}-\u{1ccef}\u{1f100}-\u{1f2ff}`
const RUN = `[\\p{L}\\p{N}\\p{M}${SYMBOLS}]+`
const NO_RUN = `[^\\p{L}\\p{N}\\p{M}${SYMBOLS}]`

// Marks alone vanish and join what they stand between; anything else separates.
const foldStretch = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, (gap) => (/^\p{M}+$/u.test(gap) ? '' : ' '))
    .toLowerCase()
    .replaceAll('ς', 'σ')

/**
 * Text whose runs of ASCII letters, ASCII digits and characters beyond ASCII are the tokens of the given text, but for
 * the case of ASCII letters: how the `ascii` tokenizer of FTS5 splits and folds. Plain ASCII, the common case, is its
 * own index text.
 */
export const indexText = (text: string): string => (ASCII.test(text) ? text : text.replace(STRETCH, foldStretch))

/** The tokens of index text. */
export const indexTokens = (text: string): string[] => text.toLowerCase().match(TOKEN) ?? []

/** The text as it is searched: index text in lower case. */
export const foldText = (text: string): string => indexText(text).toLowerCase()

/** The one tokenizer of index and query: NFKD, marks dropped, lower case, runs of letters and digits. */
export const tokenize = (text: string): string[] => indexTokens(indexText(text))

/**
 * Tokens from an offset on, found one by one, with their places (UTF-16 offsets) in the text as written. A run that
 * folds to several tokens, as "½" does, gives each of them its own place; the tokens are exactly those of `tokenize`.
 */
export function* spansFrom(text: string, from: number): Generator<TokenSpan> {
  const run = new RegExp(RUN, 'gu')
  run.lastIndex = from
  for (let found = run.exec(text); found !== null; found = run.exec(text)) {
    const start = found.index
    for (const token of tokenize(found[0])) yield { token, start, end: run.lastIndex }
  }
}

/** All tokens with their places. */
export const tokenSpans = (text: string): TokenSpan[] => [...spansFrom(text, 0)]

/** The first offset from the given one on where the text can be cut without cutting a token. */
export const cutAfter = (text: string, from: number): number => {
  const gap = new RegExp(NO_RUN, 'gu')
  gap.lastIndex = from
  return gap.exec(text)?.index ?? text.length
}

/**
 * Reads what a user typed as literal prefix terms. Nothing in it is syntax; what holds no letter or digit is dropped.
 */
export const queryTerms = (q: string): string[][] => {
  const terms: string[][] = []
  for (const [word] of q.matchAll(/\S+/g)) {
    const tokens = tokenize(word.replaceAll('"', ''))
    if (tokens.length > 0) terms.push(tokens.slice(0, MAX_TERM_TOKENS))
    if (terms.length === MAX_TERMS) break
  }
  return terms
}

/** The terms as an FTS5 expression. Tokens hold letters and digits alone, so quoting them is enough. */
export const ftsQuery = (terms: readonly Term[]): string =>
  terms.map((tokens) => `"${tokens.join(' ')}" *`).join(' AND ')
