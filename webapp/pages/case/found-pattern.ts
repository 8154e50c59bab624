/** Words, with symbols and with + and #, which are parts of names such as C++. */
const WORD = /(?:[\p{L}\p{M}\p{N}+#]|(?!\p{ASCII})\p{S})+/gu

/** Words that are searched at any place: of other scripts than Latin, Greek and Cyrillic, with symbols or signs, and parts of ids. */
const ANYWHERE = /[+#]$|[^\0-\u058f\u1d00-\u206f]|\d[a-z]|[a-z]\d/iu

/**
 * A pattern that finds the words of a search at the beginnings of words, and what is found from any part of a text anywhere; null
 * without any word.
 */
export const patternOf = (words: string): RegExp | null => {
  const patterns = words
    .match(WORD)
    ?.map((word) => word.replaceAll('+', '\\+'))
    .map((text) => (ANYWHERE.test(text) ? text : `(?<![\\p{L}\\p{N}])${text}[\\p{L}\\p{N}]*`))
  return patterns ? new RegExp(patterns.join('|'), 'giu') : null
}
