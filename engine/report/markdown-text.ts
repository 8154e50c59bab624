import { printableLines } from '../../domain/text/printable.ts'
import { cut } from './table.ts'

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\\': '&#92;' }

/**
 * Stored text as a part of a line of Markdown (GitHub Flavored Markdown): it shows itself. It ends no cell of a table,
 * opens no link, image, code or HTML, and notifies no account. `limit` cuts it to so many characters.
 */
export const inline = (text: string, limit = Infinity): string =>
  cut(printableLines(text).replace(/\s+/g, ' ').trim(), limit)
    .replace(/[&<>\\]/g, (character) => REFERENCES[character] ?? '')
    .replace(/[|`*[\]~]/g, '\\$&')
    // An underscore inside a word emphasizes nothing.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    // A zero-width space after the sign: no name follows it.
    .replaceAll('@', '@\u200B')

/** Stored text as a part of a line of HTML, in which Markdown has no meaning. */
export const htmlText = (text: string): string =>
  printableLines(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[&<>]/g, (character) => REFERENCES[character] ?? '')
    .replaceAll('@', '@\u200B')

/** A table. Each cell is Markdown of one line, in which `inline` has escaped all foreign text. */
export const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
]

/** A code block. Its fence is longer than every run of backticks in the text. */
export const codeBlock = (language: string, text: string): string[] => {
  const longest = [...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...printableLines(text).split('\n'), fence]
}

/** A link, or null if the address is not one of the web: an address of a document could be a script. */
export const link = (label: string, address: string | undefined): string | null => {
  if (address === undefined || !URL.canParse(address)) return null
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  return `[${label}](${url.href.replace(/[()<>\\|`*_[\]~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)})`
}
