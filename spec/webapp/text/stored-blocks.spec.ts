import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksBetween, fencesOf } from '../../../webapp/text/stored-blocks.ts'

const blocks = (text: string, from = 0, to = text.length) => blocksBetween(text, fencesOf(text), from, to)
const kinds = (text: string) => blocks(text).map(({ kind }) => kind)

describe('the blocks of a stored text', () => {
  it('tell headings, items, fences and code apart, and change nothing', () => {
    const text = '# Title\nplain\nmore\n- one\n  - two\n```ts\nconst a = 1\n```\n**Bold line**\nend'
    expect(blocks(text)).toEqual([
      { kind: 'heading', text: '# Title\n' },
      { kind: 'text', text: 'plain\nmore\n' },
      { kind: 'item', text: '- one\n', indent: 2 },
      { kind: 'item', text: '  - two\n', indent: 4 },
      { kind: 'fence', text: '```ts\n' },
      { kind: 'code', text: 'const a = 1\n', language: 'ts' },
      { kind: 'fence', text: '```\n' },
      { kind: 'heading', text: '**Bold line**\n' },
      { kind: 'text', text: 'end' },
    ])
  })
  it('end code at the end of a text whose fence is not closed', () =>
    expect(kinds('```\n# no heading')).toEqual(['fence', 'code']))
  it('do not take code for headings or lists', () =>
    expect(kinds('~~~py\n# comment\n- x\n~~~\n')).toEqual(['fence', 'code', 'fence']))
  it('know that a portion begins inside of code', () => {
    const text = '```js\nlet a\nlet b\n```\n'
    expect(blocks(text, 12, text.length)[0]).toEqual({ kind: 'code', text: 'let b\n', language: 'js' })
  })
  it.each(['#hash', '####### seven', '-dash', '1984', '**a** b'])('leave %j as text', (text) =>
    expect(kinds(text)).toEqual(['text']),
  )

  it('know lines without words', () => expect(kinds('a\n \n\nb')).toEqual(['text', 'blank', 'blank', 'text']))

  const line = fc.oneof(
    fc.constantFrom('```', '```ts', '~~~', '# a', '- b', '  1. c', '', '\r', '**d**', '``` `'),
    fc.string({ unit: 'binary', maxLength: 10 }),
  )
  it('are the text, joined, between any two positions', () =>
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.nat(200), fc.nat(200), (lines, a, b) => {
        const text = lines.join('\n')
        const [from, to] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)]
        expect(
          blocks(text, from, to)
            .map((block) => block.text)
            .join(''),
        ).toBe(text.slice(from, to))
      }),
    ))
})
