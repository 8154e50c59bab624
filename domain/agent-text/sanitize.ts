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
 * Characters without a glyph: all that Unicode lets a program leave out when it shows a text (UAX 44,
 * Default_Ignorable_Code_Point), and the anchors of annotations. Among them are zero-width spaces and joiners, marks of
 * direction, tags and variation selectors. They can split a word that an agent looks for, or spell a text that people do
 * not see. Without joiners an emoji of several characters is shown as its parts, which a reader still understands.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu

/** Most texts have none of the characters above, and no lone surrogate. */
const SUSPECT = /[\0-\x08\x0B-\x1F\x7F-\x9F\p{Default_Ignorable_Code_Point}\uD800-\uDFFF\uE000\uE001\uFFF9-\uFFFB]/u

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
