import { formulaOfLines } from './formulas.ts'
import { inlineNodes } from './inline.ts'
import { element, type MarkdownNode } from './nodes.ts'

// The blocks of a Markdown text (CommonMark with tables and formulas). Raw HTML is text, and definitions of references are
// not read, because they would not be seen.

/** A block, with the line after it. */
type Block = { readonly node: MarkdownNode; readonly end: number }

const FENCE = /^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^ {0,3}(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/
/** An item that may follow a text without an empty line between them. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/
const CODE_INDENT = 4

/** A line with the tabs at its beginning as spaces, up to columns of four. `column` is where it begins. */
const untabbed = (line: string, column = 0): string => {
  const space = /^[ \t]*/.exec(line)?.[0] ?? ''
  if (!space.includes('\t')) return line
  let width = column
  for (const character of space) width += character === '\t' ? 4 - (width % 4) : 1
  return ' '.repeat(width - column) + line.slice(space.length)
}
const isBlank = (line: string | undefined): boolean => line !== undefined && line.trim() === ''
const indentOf = (line: string): number => /^ */.exec(untabbed(line))?.[0].length ?? 0
/** A line without the spaces at its beginning, `count` of them at most. */
const withoutIndent = (line: string, count: number): string =>
  count === 0 ? line : untabbed(line).slice(Math.min(count, indentOf(line)))

/** The cells of a row. A sign between them is escaped as `\|`. */
const cellsOf = (line: string): string[] => {
  const cells = line.trim().split(/(?<!\\)\|/)
  if (isBlank(cells[0])) cells.shift()
  if (isBlank(cells.at(-1))) cells.pop()
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}
/** Whether a line is the first of a table: the next one says how many columns it has. */
const isTable = (lines: readonly string[], at: number): boolean => {
  const [head = '', line = ''] = [lines[at], lines[at + 1]]
  if (!head.includes('|') || !/^[-|: \t]+$/.test(line) || indentOf(line) >= CODE_INDENT) return false
  const columns = cellsOf(line)
  return columns.every((column) => /^:?-+:?$/.test(column)) && columns.length === cellsOf(head).length
}

/** Whether a block begins at a line that follows a text. */
const interrupts = (lines: readonly string[], at: number): boolean => {
  const line = untabbed(lines[at] ?? '')
  return (
    [FENCE, HEADING, RULE, QUOTE, INTERRUPTING_ITEM].some((sign) => sign.test(line)) ||
    isTable(lines, at) ||
    formulaOfLines(lines, at) !== null
  )
}
/** Whether the last line is of a text that the next line may continue, though that has no sign of the quote or item. */
const isTextOpen = (lines: readonly string[]): boolean => {
  let last = lines.at(-1) ?? ''
  for (let sign: string | undefined; (sign = (QUOTE.exec(last) ?? ITEM.exec(last))?.[0]);)
    last = last.slice(sign.length).trimStart()
  return !isBlank(last) && ![FENCE, HEADING, RULE].some((sign) => sign.test(last))
}

/** The signs of a fence with the text after them, which only the first of two may have. Null if a line has none. */
const fenceOf = (line: string): { readonly signs: string; readonly info: string } | null => {
  const found = FENCE.exec(line)?.[0]
  return found === undefined ? null : { signs: found.trimStart(), info: line.slice(found.length).trim() }
}
const endsFence = (line: string, signs: string): boolean => {
  const found = fenceOf(line)
  return found !== null && found.signs.startsWith(signs) && found.info === ''
}
/** Keeps whether a line that is added is within a fence. */
const fenceState = () => {
  let open: string | null = null
  return {
    add: (line: string): void => {
      const own = line.replace(/^(?: {0,3}> ?)+/, '').trimStart()
      if (open === null) open = fenceOf(own)?.signs ?? null
      else if (endsFence(own, open)) open = null
    },
    isOpen: (): boolean => open !== null,
  }
}

const fence = (lines: readonly string[], from: number, { signs, info }: { signs: string; info: string }): Block => {
  const indent = indentOf(lines[from] ?? '')
  let end = from + 1
  while (end < lines.length && !endsFence(untabbed(lines[end] ?? ''), signs)) end++
  const code = lines.slice(from + 1, end).map((line) => withoutIndent(line, indent))
  return { node: { kind: 'code', text: code.join('\n'), info }, end: Math.min(lines.length, end + 1) }
}

const indentedCode = (lines: readonly string[], from: number): Block => {
  let end = from
  for (let at = from; at < lines.length; at++) {
    if (isBlank(lines[at])) continue
    if (indentOf(lines[at] ?? '') < CODE_INDENT) break
    end = at + 1
  }
  const code = lines.slice(from, end).map((line) => withoutIndent(line, CODE_INDENT))
  return { node: { kind: 'code', text: code.join('\n'), info: '' }, end }
}

const quote = (lines: readonly string[], from: number, level: number): Block => {
  const inner: string[] = []
  const state = fenceState()
  let at = from
  for (; at < lines.length; at++) {
    const line = untabbed(lines[at] ?? '')
    const sign = QUOTE.exec(line)?.[0]
    if (sign === undefined) {
      const isLazy = !isBlank(line) && !state.isOpen() && isTextOpen(inner) && !UNDERLINE.test(line)
      if (!isLazy || interrupts(lines, at)) break
    }
    inner.push(line.slice(sign?.length ?? 0))
    state.add(inner.at(-1) ?? '')
  }
  return { node: element('blockquote', nodesOf(inner, level + 1)), end: at }
}

/** The sign of an item, by which those of one list are known: `-`, `+`, `*`, `.` or `)`. */
const signOf = (line: string): string | undefined => (RULE.test(line) ? undefined : ITEM.exec(line)?.[0].at(-1))

/** The lines of an item, without its sign and indent, and the line after it. */
const itemLines = (lines: readonly string[], from: number): { readonly inner: string[]; readonly end: number } => {
  const line = untabbed(lines[from] ?? '')
  const sign = ITEM.exec(line)?.[0].length ?? 0
  const rest = untabbed(line.slice(sign), sign)
  const spaces = /^ */.exec(rest)?.[0].length ?? 0
  const offset = isBlank(rest) || spaces > CODE_INDENT ? 1 : spaces
  const indent = sign + offset
  const inner = [rest.slice(offset)]
  const state = fenceState()
  state.add(inner[0] ?? '')
  let at = from + 1
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      let next = at
      while (isBlank(lines[next])) next++
      const isEmpty = inner.length === 1 && isBlank(inner[0])
      if (next >= lines.length || isEmpty || indentOf(lines[next] ?? '') < indent) break
      for (; at < next; at++) inner.push('')
      continue
    }
    const own = untabbed(lines[at] ?? '')
    const isIn = indentOf(own) >= indent
    if (
      !isIn &&
      (state.isOpen() || !isTextOpen(inner) || ITEM.test(own) || UNDERLINE.test(own) || interrupts(lines, at))
    )
      break
    inner.push(isIn ? withoutIndent(lines[at] ?? '', indent) : own.trimStart())
    state.add(inner.at(-1) ?? '')
    at++
  }
  return { inner, end: at }
}

const list = (lines: readonly string[], from: number, level: number): Block => {
  const sign = signOf(untabbed(lines[from] ?? ''))
  const items: MarkdownNode[] = []
  let end = from
  for (let at = from; at < lines.length;) {
    const line = untabbed(lines[at] ?? '')
    if (signOf(line) !== sign) break
    const { inner, end: after } = itemLines(lines, at)
    const number = ITEM.exec(line)?.[1]
    items.push(element('li', nodesOf(inner, level + 2), number === undefined ? null : Number(number)))
    end = after
    at = after
    while (isBlank(lines[at])) at++
  }
  return { node: element(sign === '.' || sign === ')' ? 'ol' : 'ul', items), end }
}

const row = (tag: 'th' | 'td', cells: readonly string[]): MarkdownNode =>
  element(
    'tr',
    cells.map((cell) => element(tag, inlineNodes(cell))),
  )
const table = (lines: readonly string[], from: number): Block => {
  const head = cellsOf(lines[from] ?? '')
  const rows: MarkdownNode[] = []
  let at = from + 2
  for (; at < lines.length && !isBlank(lines[at]) && !interrupts(lines, at); at++) {
    const cells = cellsOf(lines[at] ?? '')
    // Cells beyond those of the head are one more: nothing is left out.
    const beyond = cells.slice(head.length).join(' | ')
    rows.push(row('td', [...head.map((_, n) => cells[n] ?? ''), ...(beyond === '' ? [] : [beyond])]))
  }
  const body = rows.length === 0 ? [] : [element('tbody', rows)]
  return { node: element('table', [element('thead', [row('th', head)]), ...body]), end: at }
}

const heading = (level: number, text: string): MarkdownNode => ({ kind: 'heading', level, children: inlineNodes(text) })
/** The text of a heading without the signs that may end it. */
const headingText = (text: string): string => {
  const whole = text.trim()
  let end = whole.length
  while (whole[end - 1] === '#') end--
  return end === 0 || whole[end - 1] === ' ' ? whole.slice(0, end).trimEnd() : whole
}

/** A paragraph, or a heading that is underlined. */
const paragraph = (lines: readonly string[], from: number): Block => {
  const textTo = (end: number): string =>
    lines
      .slice(from, end)
      .map((line) => line.trimStart())
      .join('\n')
      .trimEnd()
  let at = from + 1
  for (; at < lines.length && !isBlank(lines[at]); at++) {
    const line = untabbed(lines[at] ?? '')
    if (UNDERLINE.test(line)) return { node: heading(line.includes('=') ? 1 : 2, textTo(at)), end: at + 1 }
    if (interrupts(lines, at)) break
  }
  return { node: element('p', inlineNodes(textTo(at))), end: at }
}

const blockAt = (lines: readonly string[], at: number, level: number): Block => {
  const line = untabbed(lines[at] ?? '')
  const formula = formulaOfLines(lines, at)
  if (formula) return { node: { kind: 'math', formula: formula.formula, isBlock: true }, end: formula.end }
  if (indentOf(line) >= CODE_INDENT) return indentedCode(lines, at)
  const fenced = fenceOf(line)
  if (fenced) return fence(lines, at, fenced)
  const signs = HEADING.exec(line)?.[0]
  if (signs !== undefined)
    return { node: heading(signs.trimStart().length, headingText(line.slice(signs.length))), end: at + 1 }
  if (RULE.test(line)) return { node: { kind: 'rule' }, end: at + 1 }
  if (QUOTE.test(line)) return quote(lines, at, level)
  if (ITEM.test(line)) return list(lines, at, level)
  return isTable(lines, at) ? table(lines, at) : paragraph(lines, at)
}

/** Deeper texts are shown as they are stored. */
export const MAX_LEVELS = 20

/** The blocks of lines, each with the line after it. Those of more than `MAX_LEVELS` levels are not read. */
export const blocksOf = (lines: readonly string[], level = 0): Block[] => {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    if (isBlank(lines[at])) continue
    const block =
      level > MAX_LEVELS
        ? { node: { kind: 'text' as const, text: lines.join('\n') }, end: lines.length }
        : blockAt(lines, at, level)
    blocks.push(block)
    at = block.end - 1
  }
  return blocks
}
const nodesOf = (lines: readonly string[], level: number): MarkdownNode[] =>
  blocksOf(lines, level).map(({ node }) => node)
