import createMarkdown, { type Token } from 'markdown-it'
import { hasUnseen } from './has-markdown.ts'
import { mathRules } from './math-rules.ts'

// The library reads the text and returns tokens; its HTML is never made. Raw HTML in a text stays text. Definitions of
// references are not read, because they would not be seen, and no character is replaced.
const markdown = createMarkdown({ html: false, linkify: false, typographer: false })
  .disable(['reference', 'normalize'])
  .use(mathRules)

/** Elements that a text may be drawn with. */
const TAGS = [
  'p',
  'ul',
  'ol',
  'li',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
] as const
type Tag = (typeof TAGS)[number]

/** A part of a Markdown text. `number` is that of an item, as it is written. */
export type MarkdownNode =
  | { readonly kind: 'text' | 'inline-code'; readonly text: string }
  | { readonly kind: 'break' | 'rule' }
  | { readonly kind: 'code'; readonly text: string; readonly info: string }
  | { readonly kind: 'math'; readonly formula: string; readonly isBlock: boolean }
  | { readonly kind: 'image'; readonly address: string; readonly title: string; readonly alt: string }
  | { readonly kind: 'link'; readonly address: string; readonly title: string; readonly children: MarkdownNode[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: MarkdownNode[] }
  | { readonly kind: 'element'; readonly tag: Tag; readonly number: number | null; readonly children: MarkdownNode[] }

/** A block of the text that is in no other one, with the length of the text up to its end. */
export type MarkdownBlock = { readonly node: MarkdownNode; readonly end: number }

/** Deeper texts are shown as they are stored. */
const MAX_LEVELS = 20

const attribute = (token: Token, name: string): string =>
  String(token.attrs?.find(([each]) => each === name)?.[1] ?? '')
const isTag = (tag: string): tag is Tag => (TAGS as readonly string[]).includes(tag)

/** The node that a token begins, or that it is; null for a token that is neither. */
const nodeOf = (token: Token): MarkdownNode | null => {
  switch (token.type) {
    case 'text':
    case 'text_special':
      return token.content === '' ? null : { kind: 'text', text: token.content }
    case 'code_inline':
      return { kind: 'inline-code', text: token.content }
    // A line of a stored text ends where it ends.
    case 'softbreak':
    case 'hardbreak':
      return { kind: 'break' }
    case 'hr':
      return { kind: 'rule' }
    case 'fence':
    case 'code_block':
      return { kind: 'code', text: token.content, info: token.info.trim() }
    case 'math':
      return { kind: 'math', formula: token.content, isBlock: token.block }
    case 'image':
      return { kind: 'image', address: attribute(token, 'src'), title: attribute(token, 'title'), alt: token.content }
    case 'link_open':
      return { kind: 'link', address: attribute(token, 'href'), title: attribute(token, 'title'), children: [] }
    case 'heading_open':
      return { kind: 'heading', level: Number(token.tag.slice(1)), children: [] }
    default:
      return isTag(token.tag)
        ? {
            kind: 'element',
            tag: token.tag,
            number: token.type === 'list_item_open' && token.info !== '' ? Number(token.info) : null,
            children: [],
          }
        : null
  }
}

/** The cells of a row beyond those of the head, which the library leaves out. */
const cellsBeyond = (line: string, count: number): string => {
  const cells = line.replace(/^[\s>]*(?:[-*+]\s|\d+[.)]\s)?[\s>]*\|?/, '').split(/(?<!\\)\|/)
  return cells.slice(count).join('|').trimEnd().replace(/\|$/, '').trim()
}

/**
 * The blocks of a Markdown text (CommonMark with tables, strikethrough and formulas). Null if it has more levels than are
 * drawn, or characters that would not be seen.
 */
export const parseMarkdown = (stored: string): MarkdownBlock[] | null => {
  if (hasUnseen(stored)) return null
  const text = stored.replaceAll('\r\n', '\n')
  const lines = text.split('\n')
  const ends: number[] = []
  for (const line of lines) ends.push((ends.at(-1) ?? 0) + line.length + 1)
  const blocks: MarkdownBlock[] = []
  const open: MarkdownNode[][] = []
  let isTooDeep = false
  const add = (tokens: readonly Token[], level: number, into: (node: MarkdownNode, token: Token) => void): void => {
    for (const token of tokens) {
      if (level + token.level > MAX_LEVELS) isTooDeep = true
      if (isTooDeep) return
      if (token.type === 'inline') {
        add(token.children ?? [], level + token.level, into)
        continue
      }
      if (token.nesting < 0) {
        const children = open.pop()
        const beyond =
          token.type === 'tr_close' && children ? cellsBeyond(lines[rows.pop() ?? -1] ?? '', children.length) : ''
        if (beyond !== '')
          children?.push({ kind: 'element', tag: 'td', number: null, children: [{ kind: 'text', text: beyond }] })
        continue
      }
      if (token.type === 'tr_open') rows.push(token.map?.[0] ?? -1)
      const node = nodeOf(token)
      if (node) into(node, token)
      if (token.nesting > 0) open.push(node && 'children' in node ? node.children : [])
    }
  }
  const rows: number[] = []
  add(markdown.parse(text, {}), 0, (node, token) => {
    const parent = open.at(-1)
    if (parent) parent.push(node)
    else blocks.push({ node, end: Math.min(text.length, ends[(token.map?.[1] ?? 1) - 1] ?? text.length) })
  })
  return isTooDeep ? null : blocks
}

/** The text of a heading or a link as one line. */
export const plainText = (nodes: readonly MarkdownNode[]): string =>
  nodes
    .map((node) => {
      if ('children' in node) return plainText(node.children)
      if ('text' in node) return node.text
      return node.kind === 'math' ? node.formula : node.kind === 'image' ? node.alt : ' '
    })
    .join('')
