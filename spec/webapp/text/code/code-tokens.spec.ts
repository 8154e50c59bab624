import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeTokens } from '../../../../webapp/text/code/code-tokens.ts'
import { highlight, loadLanguage } from '../../../../webapp/text/code/highlighter.ts'

for (const language of [
  'ts',
  'json',
  'html',
  'xml',
  'js',
  'python',
  'bash',
  'markdown',
  'diff',
  'klingon',
  '__proto__',
])
  await loadLanguage(language)

const joined = (text: string, language: string): string =>
  (highlight(text, language) ?? []).map((token) => token.text).join('')

describe('highlight', () => {
  it('distinguishes the parts of code', () =>
    expect(highlight('const n = 1 // one', 'ts')).toEqual([
      { text: 'const', kind: 'keyword' },
      { text: ' n = ', kind: null },
      { text: '1', kind: 'number' },
      { text: ' ', kind: null },
      { text: '// one', kind: 'comment' },
    ]))
  it('distinguishes names and values of JSON', () =>
    expect(highlight('{"a": "b"}', 'json')?.flatMap(({ text, kind }) => (kind ? [[text, kind]] : []))).toEqual([
      ['"a"', 'name'],
      ['"b"', 'string'],
    ]))
  it.each(['json', 'jsonc', 'json5'])('has the colours of %s as its grammar has them', (language) =>
    expect(
      highlight('[-1.5e3, true, "a \\"b\\": c", "open\n, null] // end', language)?.flatMap(({ text, kind }) =>
        kind ? [[text, kind]] : [],
      ),
    ).toEqual([
      ['-1.5e3', 'number'],
      ['true', 'keyword'],
      ['"a \\"b\\": c"', 'string'],
      ['"open', 'string'],
      ['null', 'keyword'],
      ['// end', 'comment'],
    ]),
  )
  it('reads long JSON that never ends a text or a comment', () => {
    for (const text of ['"\\'.repeat(100_000), '/*'.repeat(100_000), `"${'a'.repeat(200_000)}`, '"a"  '.repeat(50_000)])
      expect(joined(text, 'json')).toBe(text)
  })
  it('knows no language that it has no grammar for', () => {
    expect(highlight('x', 'klingon')).toBeNull()
    expect(highlight('x', '__proto__')).toBeNull()
  })

  it.each([
    ['html', '<img src=x onerror="alert(1)"><script>alert(1)</script>'],
    ['xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['js', '`${`${`'.repeat(500)],
    ['json', '[[[['.repeat(2_000)],
    ['python', '"""'.repeat(999)],
    ['bash', '$((('.repeat(999)],
  ])('preserves hostile text in %s', (language, text) => expect(joined(text, language)).toBe(text))

  it('preserves any text, and never cuts a character', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.constantFrom('json', 'ts', 'html', 'python', 'markdown', 'diff'),
        (text, language) => {
          const tokens = highlight(text, language) ?? []
          expect(tokens.map((token) => token.text).join('')).toBe(text)
          for (const token of tokens.slice(1)) expect(token.text).not.toMatch(/^[\udc00-\udfff]/)
        },
      ),
    ))
})

describe('tokensOf', () => {
  const element = (name: string, value: string) =>
    ({ type: 'element', properties: { className: [name] }, children: [{ type: 'text', value }] }) as const

  it('moves an end that would cut a character', () =>
    expect(codeTokens('a😀b', [element('hljs-string', 'a\ud83d'), { type: 'text', value: '\ude00b' }])).toEqual([
      { text: 'a', kind: 'string' },
      { text: '😀b', kind: null },
    ]))
  it('shows text that the tree lacks', () =>
    expect(codeTokens('abc', [element('hljs-number', 'ab')])).toEqual([
      { text: 'ab', kind: 'number' },
      { text: 'c', kind: null },
    ]))
})
