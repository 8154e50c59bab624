/**
 * Escape sequences of terminals (ECMA-48): CSI, from `ESC [` to its final byte; OSC, from `ESC ]` to BEL or `ESC \`; any
 * other ESC with the character after it.
 */
const SEQUENCES = /\x1B\[[0-?]*[ -/]*[@-~]|\x1B\][^\x07\x1B]*(?:\x07|\x1B\\)|\x1B./gsu
/** The first and the last character of a matched word in a search snippet. */
const HIGHLIGHT = /[\uE000\uE001]/g
/** All control characters except tab and newline. */
const CONTROLS = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g
/**
 * Characters without a glyph that change how other text reads: those that reorder it (UAX 9: U+202A to U+202E, U+2066
 * to U+2069), invisible operators and deprecated format characters (U+2061 to U+2064, U+206A to U+206F), and tags and
 * supplementary variation selectors (U+E0000 to U+E01EF), which can spell a text that people do not see.
 */
const INVISIBLE = /[\u202A-\u202E\u2061-\u2064\u2066-\u206F]|\uDB40[\uDC00-\uDDEF]/g

/** Most texts have none of the characters above, and no surrogate. */
const SUSPECT = /[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2061-\u2064\u2066-\u206F\uD800-\uDFFF\uE000\uE001]/

/**
 * Makes stored text safe for an agent: without escape sequences, control characters and invisible characters, and with
 * `**` around the matched words of a search. Lone surrogates become U+FFFD.
 */
export const sanitize = (text: string): string =>
  SUSPECT.test(text)
    ? // First without lone surrogates: two of them would become a character when what is between them is removed.
      text.toWellFormed().replace(SEQUENCES, '').replace(HIGHLIGHT, '**').replace(CONTROLS, '').replace(INVISIBLE, '')
    : text

/** Text as part of a line: every line break or tab is a space (also U+2028 and U+2029, which some programs break at). */
export const oneLine = (text: string): string => text.replaceAll(/[\n\t\u2028\u2029]+/g, ' ')
