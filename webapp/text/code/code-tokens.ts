import { cutAt } from '../text-portions.ts'

/** What a piece of code is, as far as its colour goes. Null is text without a colour. */
export type TokenKind = 'keyword' | 'string' | 'number' | 'name' | 'meta' | 'comment'
export type Token = { readonly text: string; readonly kind: TokenKind | null }

/** The part of a syntax tree (hast) that tokens are made of. */
export type SyntaxNode =
  | { readonly type: 'text'; readonly value: string }
  | {
      readonly type: 'element'
      readonly properties: { readonly className?: unknown }
      readonly children: readonly SyntaxNode[]
    }

// The scopes of highlight.js. Scopes that are not listed, such as operators, have no colour.
const KINDS: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  literal: 'keyword',
  type: 'keyword',
  'selector-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  char: 'string',
  addition: 'string',
  link: 'string',
  number: 'number',
  symbol: 'number',
  title: 'name',
  name: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  section: 'name',
  built_in: 'name',
  'selector-class': 'name',
  'selector-id': 'name',
  meta: 'meta',
  deletion: 'meta',
  'template-variable': 'meta',
  variable: 'meta',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
}

const tokenKind = (className: unknown): TokenKind | null => {
  for (const name of Array.isArray(className) ? className : []) {
    const kind = KINDS[String(name).replace(/^hljs-/, '')]
    if (kind) return kind
  }
  return null
}

/**
 * The tokens of a text, from its syntax tree. Joined, they are the text. No token ends inside a character, so each can be
 * shown by itself.
 */
export const codeTokens = (text: string, tree: readonly SyntaxNode[]): Token[] => {
  const ends: Array<{ readonly end: number; readonly kind: TokenKind | null }> = []
  let position = 0
  const visit = (nodes: readonly SyntaxNode[], kind: TokenKind | null): void => {
    for (const node of nodes) {
      if (node.type === 'text') ends.push({ end: (position += node.value.length), kind })
      else visit(node.children, tokenKind(node.properties.className) ?? kind)
    }
  }
  visit(tree, null)
  const tokens: Token[] = []
  let start = 0
  const add = (end: number, kind: TokenKind | null): void => {
    if (end > start) tokens.push({ text: text.slice(start, end), kind })
    start = Math.max(start, end)
  }
  for (const { end, kind } of ends) add(cutAt(text, end), kind)
  add(text.length, null)
  return tokens
}
