// A word of SQL at a time: comments and white space are none, names are in lower case and without their quotes.

const WORD = /--[^\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu

/** The words of a statement. Two texts with the same words mean the same; a text keeps its case and its quotes. */
export const wordsOf = (text: string): string[] => {
  const words: string[] = []
  WORD.lastIndex = 0
  for (let match = WORD.exec(text); match; match = WORD.exec(text)) {
    const [word] = match
    if (word === '/*') WORD.lastIndex = endOf(text, WORD.lastIndex)
    else if (!word.startsWith('--')) words.push(plain(word))
  }
  return words.at(-1) === ';' ? words.slice(0, -1) : words
}

const endOf = (text: string, from: number): number => {
  const end = text.indexOf('*/', from)
  return end === -1 ? text.length : end + 2
}

const plain = (word: string): string => {
  if (word.startsWith("'")) return word
  const isQuoted = word.length > 1 && /^["`[]/.test(word)
  return (isQuoted ? word.slice(1, -1) : word).toLowerCase()
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

/** What an element of CREATE TABLE says that no catalogue of SQLite shows: checks, expressions, collations, conflicts. */
export const clausesOf = (element: readonly string[]): string[] =>
  element.flatMap((word, i) => {
    if ((word === 'check' || word === 'as') && element[i + 1] === '(') return [[word, ...enclosed(element, i + 1)].join(' ')]
    if (word === 'collate' || word === 'conflict') return [`${word} ${element[i + 1]}`]
    return word === 'autoincrement' ? [word] : []
  })
