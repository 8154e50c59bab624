// A word of SQL at a time: comments and white space are none, names are in lower case and without their quotes.

/** What a word begins with, or the whole of one that needs no end. */
const START = /--|\/\*|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu

/** What closes what a word opens. Within quotes, two of them are one. */
const ENDS: Readonly<Record<string, string>> = { '--': '\n', '/*': '*/', "'": "'", '"': '"', '`': '`', '[': ']' }

/** The words of a statement. Two texts with the same words mean the same; a text keeps its case and its quotes. */
export const wordsOf = (text: string): string[] => {
  const words: string[] = []
  START.lastIndex = 0
  for (let match = START.exec(text); match; match = START.exec(text)) {
    const [opening] = match
    const end = ENDS[opening]
    const to = end === undefined ? START.lastIndex : endOf(text, START.lastIndex, end)
    if (end === undefined) words.push(opening.toLowerCase())
    else if (opening === "'") words.push(text.slice(match.index, to))
    else if (opening.length === 1) words.push(text.slice(match.index + 1, to - 1).toLowerCase())
    START.lastIndex = to
  }
  return words.at(-1) === ';' ? words.slice(0, -1) : words
}

/** The place behind an end; that of the text where it never comes. */
const endOf = (text: string, from: number, end: string): number => {
  for (let at = text.indexOf(end, from); at !== -1; at = text.indexOf(end, at + 2))
    if (!/['"`]/.test(end) || text[at + 1] !== end) return at + end.length
  return text.length
}

/** The parts of the first parenthesis, as a comma parts them: of CREATE TABLE, its columns and constraints. */
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

/** The words of a parenthesis that opens at a place. */
const enclosed = (words: readonly string[], at: number): string[] => {
  let depth = 0
  for (let end = at; end < words.length; end++) {
    if (words[end] === '(') depth++
    if (words[end] === ')' && --depth === 0) return words.slice(at, end + 1)
  }
  return words.slice(at)
}

/**
 * What an element of CREATE TABLE says that no catalogue of SQLite shows: checks, expressions, collations, conflicts.
 */
export const clausesOf = (element: readonly string[]): string[] =>
  element.flatMap((word, i) => {
    if ((word === 'check' || word === 'as') && element[i + 1] === '(')
      return [[word, ...enclosed(element, i + 1)].join(' ')]
    if (word === 'collate' || word === 'conflict') return [`${word} ${element[i + 1]}`]
    return word === 'autoincrement' ? [word] : []
  })
