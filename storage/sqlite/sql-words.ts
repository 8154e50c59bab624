// Splits SQL into words: comments and white space are dropped; names are lower case without quotes.

/** The start of a word, or a whole word that needs no closing text. */
const START = /--|\/\*|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu

/** The text that closes each opening text. Inside quotes, a doubled quote stands for a quote and closes nothing. */
const ENDS: Readonly<Record<string, string>> = { '--': '\n', '/*': '*/', "'": "'", '"': '"', '`': '`', '[': ']' }

/**
 * The words of a statement. Two statements with the same words mean the same. String literals keep their case and
 * quotes.
 */
export const sqlWords = (text: string): string[] => {
  const words: string[] = []
  START.lastIndex = 0
  for (let match = START.exec(text); match; match = START.exec(text)) {
    const [opening] = match
    const closing = ENDS[opening]
    const end = closing === undefined ? START.lastIndex : quoteEnd(text, START.lastIndex, closing)
    if (closing === undefined) words.push(opening.toLowerCase())
    else if (opening === "'") words.push(text.slice(match.index, end))
    else if (opening.length === 1) words.push(text.slice(match.index + 1, end - 1).toLowerCase())
    START.lastIndex = end
  }
  return words.at(-1) === ';' ? words.slice(0, -1) : words
}

/** The position after the closing text, or the end of the text if there is none. */
const quoteEnd = (text: string, from: number, closing: string): number => {
  for (let position = text.indexOf(closing, from); position !== -1; position = text.indexOf(closing, position + 2))
    if (!/['"`]/.test(closing) || text[position + 1] !== closing) return position + closing.length
  return text.length
}

/** The elements of the first parenthesis, split at commas: for CREATE TABLE, its columns and constraints. */
export const elementsOf = (words: readonly string[]): string[][] => {
  const elements: string[][] = [[]]
  let depth = 0
  for (const word of words.slice(words.indexOf('('))) {
    if (word === ')') depth--
    if (depth === 0 && word === ')') break
    if (depth === 1 && word === ',') elements.push([])
    else if (depth > 0) elements.at(-1)?.push(word)
    if (word === '(') depth++
  }
  return elements
}

/** The words of the parenthesis that opens at a position. */
const enclosed = (words: readonly string[], position: number): string[] => {
  let depth = 0
  for (let end = position; end < words.length; end++) {
    if (words[end] === '(') depth++
    if (words[end] === ')' && --depth === 0) return words.slice(position, end + 1)
  }
  return words.slice(position)
}

/**
 * The clauses of a CREATE TABLE element that SQLite's catalogue does not show: checks, expressions, collations,
 * conflicts.
 */
export const clausesOf = (element: readonly string[]): string[] =>
  element.flatMap((word, i) => {
    if ((word === 'check' || word === 'as') && element[i + 1] === '(')
      return [[word, ...enclosed(element, i + 1)].join(' ')]
    if (word === 'collate' || word === 'conflict') return [`${word} ${element[i + 1]}`]
    return word === 'autoincrement' ? [word] : []
  })
