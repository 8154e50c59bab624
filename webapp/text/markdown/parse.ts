import { blocksOf, MAX_LEVELS } from './blocks.ts'
import { hasUnseen } from './has-markdown.ts'
import type { MarkdownNode } from './nodes.ts'

/** A block of the text that is in no other one, with the length of the text up to its end. */
type MarkdownBlock = { readonly node: MarkdownNode; readonly end: number }

const isTooDeep = (node: MarkdownNode, level: number): boolean =>
  level > MAX_LEVELS || ('children' in node && node.children.some((child) => isTooDeep(child, level + 1)))

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
  const blocks = blocksOf(lines).map(({ node, end }) => ({ node, end: Math.min(text.length, ends[end - 1] ?? 0) }))
  return blocks.some(({ node }) => isTooDeep(node, 1)) ? null : blocks
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
