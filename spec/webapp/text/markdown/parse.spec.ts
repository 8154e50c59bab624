import createMarkdown from 'markdown-it'
import { describe, expect, it } from 'vitest'
import type { MarkdownNode } from '../../../../webapp/text/markdown/nodes.ts'
import { parseMarkdown } from '../../../../webapp/text/markdown/parse.ts'

// A library that reads Markdown as CommonMark does says what a text means. Without raw HTML and definitions of references,
// which the app shows as text.
const library = createMarkdown({ html: false, breaks: true }).disable('reference')
library.normalizeLink = (address) => address
library.normalizeLinkText = (address) => address

const TAGS = { break: 'br', rule: 'hr', 'inline-code': 'code' } as const
const elementOf = (node: MarkdownNode): Node => {
  if (node.kind === 'text') return document.createTextNode(node.text)
  if (node.kind === 'code') {
    const code = document.createElement('code')
    code.textContent = node.text
    code.dataset['info'] = node.info
    const pre = document.createElement('pre')
    pre.append(code)
    return pre
  }
  if (node.kind === 'image') return Object.assign(document.createElement('img'), { src: node.address })
  if (node.kind === 'link') {
    const link = document.createElement('a')
    link.setAttribute('href', node.address)
    link.append(...node.children.map(elementOf))
    return link
  }
  if (node.kind === 'math') throw new Error('no text of this spec has a formula')
  const tag = node.kind === 'element' ? node.tag : node.kind === 'heading' ? `h${node.level}` : TAGS[node.kind]
  const element = document.createElement(tag)
  if (node.kind === 'inline-code') element.textContent = node.text
  if ('children' in node) element.append(...node.children.map(elementOf))
  return element
}

/** An element and what is in it. A paragraph of an item is left out, since the library draws none in a list without gaps. */
const outline = (node: Node): string => {
  if (node instanceof Text) return node.data.replaceAll(/\s+/g, ' ').trim()
  if (!(node instanceof HTMLElement)) return ''
  const within =
    node.tagName === 'CODE'
      ? JSON.stringify(node.textContent?.replace(/\n$/, ''))
      : [...node.childNodes]
          .map(outline)
          .filter((part) => part !== '')
          .join('|')
  if (node.tagName === 'P' && node.parentElement?.tagName === 'LI') return within
  const target = node.getAttribute('href') ?? node.getAttribute('src')
  return `${node.tagName}${target === null ? '' : ` ${target}`}(${within})`
}
const inLibrary = (text: string): string => {
  const box = document.createElement('div')
  box.innerHTML = library.render(text)
  return outline(box)
}
const inApp = (text: string): string => {
  const box = document.createElement('div')
  box.append(...(parseMarkdown(text) ?? []).map(({ node }) => elementOf(node)))
  return outline(box)
}

const TEXTS = [
  ...['# A #', '####### no', '#no', '# a ## b ##', 'A\n===', 'a\nb\n---\nc', '  ## a\n    code', '#'],
  ...['***', '- - -', '* * *x', '__ _', 'a\n***\nb', 'a\n---', '--- -'],
  ...[
    '```\na\n```',
    '~~~ts x\n```\n~~~',
    '````\n```\n````',
    '```\nopen\n\nend',
    '``` a`b\nc',
    '  ```\n   a\n  b\n  ```',
  ],
  ...['    code\n\n    more\n\nend', '\tcode\n\ta', 'a\n    no code'],
  ...['> a\nb\n> c\n\nd', '> a\n\n> b', '>a\n>> b\nc', '> ```\n> a\nb', '> - a\n> - b\nc', '> a\n- b', '> # a\nb'],
  ...['- a\n- b\n  c\n\n  d\n- e', '- a\n  - b\n    - c\n- d', '* a\n+ b', '1. a\n2. b\n\n   c\n3) d', '- a\nb\n\nc'],
  ...[
    '1.  a\n\n        code\n',
    '-\n  a',
    '-\n\n  a',
    '- a\n\n\n- b',
    '10. a\n   - b',
    'a\n1. b',
    'a\n2. b',
    'a\n- b',
    'a\n-\nb',
  ],
  ...[
    '1. **A**\n   - b\n   - c\n\n2. **D**\n   ```js\n   e\n   ```\n   f',
    '-   a\n\n    b',
    '- # a\n- > b\n- ***',
    '-\ta\n\tb',
  ],
  ...[
    '| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |',
    'a | b\n-|-\n1 | `2 \\| 3`\n\nc',
    'a\n| b |\n|---|\n| c |',
    '| a |\n| - | - |',
    '|a|\n|-|\n> b',
  ],
  ...[
    '*a* _b_ **c** __d__ ***e*** ~~f~~',
    '*a **b** c*',
    '**a *b***',
    '***a** b*',
    '*a _b* c_',
    'a*b*c a_b_c',
    '** a**',
    '*a',
  ],
  ...[
    '5*3*2 **',
    '"*a*"*b*',
    '**“a”**b',
    '*(**a**)*',
    '~~a~ b~~',
    '~a~',
    '~~~~a~~~~',
    '****a****',
    '_a__b_',
    '*a*b*',
    '__a_',
    '**a*',
  ],
  ...['`a` ``b`c`` `` ` `` `d', '`a\nb`', '`*a`*', '`` a', '\\`a`'],
  ...[
    '[a](b) [c](<d e> "f") [g](h(i)) [j](k (l))',
    '[a [b](c) d](e)',
    '[a]',
    '[a](b c)',
    '[*a](b)*',
    '![a *b*](c "d")',
  ],
  ...[
    '[![a](b)](c)',
    '[a](\n b\n)',
    '[a](javascript:b)',
    '[a](data:text/html,b)',
    '[a] (b)',
    '[a]()',
    '[`a](b)`',
    '!a ![',
    '[a][b]',
  ],
  ...[
    '<https://a.b/c> <d@e.f> <g> <javascript:h>',
    '<a:b c>',
    '&amp;&eacute;&#233;&#xe9;&#0;&none; &copy',
    '\\*a\\* \\a \\\\ \\&amp;',
  ],
  ...[
    'a  \nb\\\nc\nd',
    '  a\n   b',
    'a\r\nb',
    '<b>a</b>\n\n<!-- c -->',
    '[a]: b "c"\n\n[a]',
    'a\n\n\n\nb',
    '中文**“引用”**中文',
    '😀*a*😀',
  ],
]

describe('Markdown', () => {
  it.each(TEXTS)('is read as CommonMark says: %j', (text) => expect(inApp(text)).toBe(inLibrary(text)))

  // Each would take minutes if the time grew with the square of the length.
  it.each([
    ...[
      '[a](x ',
      '[',
      '[a](',
      '*a _b ',
      '` ',
      '**a',
      '- a\n',
      '> a\nb\n',
      '$$\n',
      '<a:',
      '![a](b)',
      '```\n',
      '1. a\n\n   b\n',
    ],
    ...['[a](b "', '|', '# #', '\\(', '&a', '~~', '*_', 'a\n', '<a@', '\t'],
  ])('that repeats %j for 200 KB is read', (piece) => {
    const text = piece.repeat(200_000 / piece.length)
    expect(parseMarkdown(text)?.at(-1)?.end ?? text.length).toBeGreaterThan(0)
  })
})
