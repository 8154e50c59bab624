import { cut } from './cut-text.ts'
import { printableLines } from './printable.ts'

const oneLine = (text: string, limit = Infinity): string => cut(printableLines(text).replace(/\s+/g, ' ').trim(), limit)

/** A fence of backticks that is longer than every run of backticks in a text, and not shorter than `least`. */
const fenceFor = (text: string, least: number): string =>
  '`'.repeat([...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length + 1), least))

/**
 * Stored text as a code span (GitHub Flavored Markdown), in one line: nothing in it is Markdown, HTML, a link, an image, a
 * mention or a reference. `limit` cuts it to so many characters. Empty for an empty text, since a code span is not.
 */
export const code = (text: string, limit = Infinity): string => {
  const line = oneLine(text, limit)
  if (line === '') return ''
  const fence = fenceFor(line, 1)
  // A space on both sides is no part of the code; it keeps a backtick of the text away from the fence.
  const isPadded = line.startsWith('`') || line.endsWith('`')
  return isPadded ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

/** Words that GitHub renders as they are: no sign of Markdown, no mention, and nothing that looks like a link. */
const PLAIN = /^(?=[\p{L}\p{N}])(?:[\p{L}\p{N}]|[ ×](?! )|[-./_](?=[\p{L}\p{N}]))+$/u
/** An address, a reference to an issue, or a commit: GitHub makes links of them. */
const LINKED = /www\.|\bGH-\d|\b[0-9a-f]{7,40}\b/i

/** A stored name or id: plain words as they are, anything else as a code span. */
export const name = (text: string): string => {
  const line = oneLine(text)
  return PLAIN.test(line) && !LINKED.test(line) ? line : code(line)
}

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Stored text as code in a line of HTML, in which Markdown has no meaning, and in which no mention or link is made. */
export const htmlCode = (text: string): string =>
  `<code>${oneLine(text).replace(/[&<>]/g, (character) => REFERENCES[character] ?? '')}</code>`

/** A cell with its pipes escaped, also in code. A backslash takes the next character with it, as in a table. */
const cell = (markdown: string): string => markdown.replace(/\\[^]|\|/g, (found) => (found === '|' ? '\\|' : found))

/** A table. Each cell is Markdown of one line, in which all stored text is from `code` or `name`. */
export const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
]

/** A code block. Its fence is longer than every run of backticks in the text. */
export const codeBlock = (language: string, text: string): string[] => {
  const fence = fenceFor(text, 3)
  return [`${fence}${language}`, ...printableLines(text).split('\n'), fence]
}

/** A link, or null if the address is not one of the web: an address of a document could be a script. */
export const link = (label: string, address: string | undefined): string | null => {
  if (address === undefined || !URL.canParse(address)) return null
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  return `[${label}](${url.href.replace(/[()<>\\|`*_[\]~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)})`
}
