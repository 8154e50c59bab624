/** Scripts whose texts have no spaces between words: the index has whole stretches of them as one word. */
const NO_WORD_BREAKS =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}|\p{Script=Tibetan}/u

/** Words of letters, or numbers, with spaces between them; quotes around several are those of a phrase. */
const PLAIN_WORDS = /^["\s]*(?:[\p{L}\p{M}]+|\p{N}+)(?:["\s]+(?:[\p{L}\p{M}]+|\p{N}+))*["\s]*$/u

/**
 * Whether the index can know that nothing contains a text. It holds words, and finds them by their beginnings. It holds no
 * punctuation, as in `C++`, no ids, and no words within a text without spaces.
 */
export const canIndexKnow = (text: string): boolean => PLAIN_WORDS.test(text) && !NO_WORD_BREAKS.test(text)
