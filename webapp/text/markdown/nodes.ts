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

/** Elements that a text may be drawn with. */
type Tag =
  | 'p'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'
  | 'em'
  | 'strong'
  | 's'

export const element = (tag: Tag, children: MarkdownNode[], number: number | null = null): MarkdownNode => ({
  kind: 'element',
  tag,
  number,
  children,
})
