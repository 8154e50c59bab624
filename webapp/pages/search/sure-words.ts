/** Text that is found from any part of it: of scripts without spaces or with articles, symbols, and names with + or # at their end. */
const WITHOUT_BREAKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Arabic}\p{Script=Hebrew}]/u
const SYMBOL = /(?![\0-\x7f\u2500-\u259f])\p{S}/u
const STRETCH = /^(?:[\p{L}\p{M}\p{N}\u200d]|(?![\0-\x7f\u2500-\u259f])\p{S})+[+#]*$/u
const NAMED = /[+#]$/

/** A word of letters, or a number. */
const PLAIN_WORD = /^(?:[\p{L}\p{M}]+|\p{N}+)$/u

/** Whether a word of a query is found from any part of a text. */
const isFoundAnywhere = (word: string): boolean =>
  STRETCH.test(word) && (WITHOUT_BREAKS.test(word) || SYMBOL.test(word) || NAMED.test(word))

const canKnowWord = (word: string): boolean => PLAIN_WORD.test(word) || isFoundAnywhere(word)

/**
 * Whether the index can know that nothing contains a text. It has words, which are found by their beginnings, and text that is found
 * from any part of it. It has no other punctuation, and does not know a word of letters and digits within each other word.
 */
export const canIndexKnow = (text: string): boolean => {
  const words = text.split(/["\s]+/).filter((word) => word !== '')
  return words.length > 0 && words.every(canKnowWord)
}
