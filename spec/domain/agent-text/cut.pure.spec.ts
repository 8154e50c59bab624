import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText, cutTexts } from '../../../domain/agent-text/cut.ts'

it.each([
  ['a short text', 'abc', 3, 'abc', 3],
  ['a long text', 'abcdef', 4, 'abcd…[truncated 2 of 6 chars]', 6],
  ['code points, not UTF-16 units', '😀😀😀', 3, '😀😀😀', 3],
  ['between code points', '😀😀😀', 2, '😀😀…[truncated 1 of 3 chars]', 3],
])('cutText %s', (_, text, limit, expected, total) => {
  expect(cutText(text, limit)).toEqual({ text: expected, total })
})

describe('cutTexts', () => {
  it('names each cut by its JSON pointer, and counts after sanitizing', () => {
    const value = { cases: [{ output: '\u001B[31mabcdef', 'a/b~c': 'abcde', score: 1, name: null, ok: true }] }
    expect(cutTexts(value, 4)).toEqual({
      value: {
        cases: [
          {
            output: 'abcd…[truncated 2 of 6 chars]',
            'a/b~c': 'abcd…[truncated 1 of 5 chars]',
            score: 1,
            name: null,
            ok: true,
          },
        ],
      },
      cuts: [
        { path: '/cases/0/output', kept: 4, total: 6 },
        { path: '/cases/0/a~1b~0c', kept: 4, total: 5 },
      ],
    })
  })

  it('sanitizes names, and keeps them apart', () => {
    expect(cutTexts({ 'a\u001B[1mb': 1 }, 10)?.value).toEqual({ ab: 1 })
    expect(cutTexts({ 'a\r': 1, 'a\u202E': 2, a: 3, 'a (2)': 4, 'a\0': 5 }, 10)?.value).toEqual({
      'a (3)': 1,
      'a (4)': 2,
      a: 3,
      'a (2)': 4,
      'a (5)': 5,
    })
    expect(cutTexts({ 'x\r': 1, 'x\r\r': 2, 'x\r (2)': 3 }, 10)?.value).toEqual({ x: 1, 'x (2)': 2, 'x (2) (2)': 3 })
  })

  it('loses no member, whatever the names are', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '\r', '\u202E', ' (2)', ' (3)') })
    fc.assert(
      fc.property(fc.dictionary(name, fc.nat()), (object) => {
        const safe = cutTexts(object, 10)?.value as object
        expect(Object.values(safe).sort()).toEqual(Object.values(object).sort())
      }),
    )
  })

  it('gives up as soon as the result must be too large, and never before', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 200 }), (value, maxBytes) => {
        const whole = JSON.stringify(cutTexts(value, 20)?.value)
        if (cutTexts(value, 20, maxBytes) === null) expect(Buffer.byteLength(whole)).toBeGreaterThan(maxBytes)
      }),
    )
    expect(cutTexts({ raw: Array.from({ length: 1_000 }, () => 'x') }, 20, 1_000)).toBe(null)
  })

  it('keeps a member named __proto__', () => {
    expect(JSON.stringify(cutTexts(JSON.parse('{"__proto__":{"x":"\\u0007"}}'), 10)?.value)).toBe(
      '{"__proto__":{"x":""}}',
    )
  })

  it('keeps the shape of every value, and no text is longer than the limit and its note', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 20 }), (value, limit) => {
        const { value: safe, cuts } = cutTexts(value, limit) ?? expect.unreachable()
        const texts: string[] = []
        JSON.stringify(safe, (_name, part: unknown) => {
          if (typeof part === 'string') texts.push(part)
          return part
        })
        for (const text of texts)
          expect([...text.replace(/…\[truncated \d+ of \d+ chars\]$/, '')].length).toBeLessThanOrEqual(limit)
        expect(cuts.length).toBe(texts.filter((text) => /…\[truncated \d+ of \d+ chars\]$/.test(text)).length)
      }),
    )
  })
})
