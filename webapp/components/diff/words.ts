/** A word, number or sign of a text, and where it begins. White space is no word. */
export type Word = { readonly text: string; readonly start: number }

/** White space that is drawn as such. The line separators and the byte order mark are not: they are shown as marks. */
const SPACE = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]'
const isSpace = new RegExp(`^${SPACE}*$`, 'u')
const spaces = new RegExp(`${SPACE}+`, 'gu')
// Words of ASCII text. The rules of Unicode would join `a.b`, which are two words in code.
const asciiWords = /\w+|[^\w\s]/g
const isAscii = /^[\0-\x7f]*$/
const hasLetter = /[\p{L}\p{N}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Whether a text is white space alone. */
export const isBlank = (text: string): boolean => isSpace.test(text)

/** A text by which lines are compared: white space at its ends is left out, elsewhere one space stands for it. */
export const withoutSpacing = (text: string): string => text.replace(spaces, ' ').replace(/^ | $/g, '')

/** Whether a text has a letter or a digit. */
export const isSpoken = (text: string): boolean => hasLetter.test(text)

/** A function that numbers texts from 0 on: the same text has the same number. */
export const numbering = (): ((text: string) => number) => {
  const numbers = new Map<string, number>()
  return (text) => {
    const known = numbers.get(text) ?? numbers.size
    numbers.set(text, known)
    return known
  }
}

const asciiWordsOf = (text: string, offset: number): Word[] =>
  Array.from(text.matchAll(asciiWords), (match) => ({ text: match[0], start: offset + match.index }))

/**
 * The words of one line, in its order. Text in other scripts is split by the rules of Unicode and by dictionaries of the
 * browser (UAX 29), so Chinese and Thai have words too and no character is split.
 */
export const splitWords = (line: string): Word[] => {
  if (isAscii.test(line)) return asciiWordsOf(line, 0)
  const words: Word[] = []
  for (const { segment, index } of segmenter.segment(line)) {
    // By the rules, an invisible character belongs to the space before it.
    let [start, end] = [0, segment.length]
    while (start < end && isBlank(segment.charAt(start))) start++
    while (end > start && isBlank(segment.charAt(end - 1))) end--
    const text = segment.slice(start, end)
    if (isAscii.test(text)) words.push(...asciiWordsOf(text, index + start))
    else words.push({ text, start: index + start })
  }
  return words
}
