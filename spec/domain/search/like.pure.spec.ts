import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likeSubstring } from '../../../domain/search/like.ts'

/** The rule of `likeSubstring`, as one slow regular expression. */
const naive = (pattern: string, text: string): boolean => {
  const source = Array.from(pattern.toLowerCase(), (c) =>
    c === '%' ? '[^]*' : c === '_' ? '[^]' : c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  ).join('')
  return new RegExp(source, 'u').test(text.toLowerCase())
}

describe('a pattern', () => {
  it.each([
    ['ell', 'Hello', true],
    ['HELLO', 'say hello', true],
    ['ä', 'Ärger', true],
    ['', 'anything', true],
    ['', '', true],
    ['%', '', true],
    ['_', '', false],
    ['_', '\u{1f600}', true],
    ['a_c', 'xabcx', true],
    ['a_c', 'ac', false],
    ['a_c', 'a\nc', true],
    ['a%c', 'a to c', true],
    ['c%a', 'a to c', false],
    ['a%b%a', 'aba', true],
    ['aa%aa', 'aaa', false],
    ['100%', 'at 100 percent', true],
    ['lo wo', 'hello world', true],
    ['o%o%o', 'hello world', false],
    ['strasse', 'Hauptstraße', true],
    ['STRAẞE', 'strasse', true],
    ['creme', 'Crème', true],
    ['Crème', 'creme', true],
    ['ｆｕｌｌ', 'FULL width', true],
    ['％', 'no percent', false],
    ['１００％', 'at 100 points', false],
    ['１００％', 'at 100% now', true],
    ['１００%', 'at 100 points', true],
    ['ａ＿ｂ', 'axb', false],
    ['ａ＿ｂ', 'a_b', true],
    ['οδος', 'ΟΔΟΣ', true],
    ['👩💻', 'a 👩\u200d💻', true],
    ['C++', 'in C', false],
    // A text of marks alone is compared as it is.
    ['\u0301', 'e\u0301', true],
    ['\u0301', 'e', false],
  ])('%j in %j: %s', (pattern, text, found) => expect(likeSubstring(pattern)(text)).toBe(found))

  it.each([...'\\^$.*+?()[]{}|/-!"#&\',:;<=>@`~'])('matches %s literally, also next to a wildcard', (character) => {
    const matches = likeSubstring(`a${character}_`)
    expect(matches(`xa${character}b`)).toBe(true)
    expect(matches('xaxb')).toBe(false)
    expect(matches(`xa${character}`)).toBe(false)
  })

  it('follows the rule for any pattern and text', () => {
    const unit = fc.constantFrom('a', 'b', 'A', '_', '%', '-', '.', '\u{1f600}', '\n')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), fc.string({ unit, maxLength: 12 }), (pattern, text) => {
        expect(likeSubstring(pattern)(text)).toBe(naive(pattern, text))
      }),
      { numRuns: 1000 },
    )
  })

  it('follows the rule for patterns that are mostly `_` and short literals', () => {
    const pieces = fc
      .array(fc.constantFrom('_', '__', '___', 'a', 'b', 'ab', '\u{1f600}', '\u{1f600}a', '%'), { maxLength: 7 })
      .map((parts) => parts.join(''))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}', '\u{1f601}', '\n', '\r'), maxLength: 16 })
    fc.assert(
      fc.property(pieces, text, (pattern, searched) => {
        expect(likeSubstring(pattern)(searched)).toBe(naive(pattern, searched))
      }),
      { numRuns: 2000 },
    )
  })

  it('of thousands of `_` scans a long text once', () => {
    const matches = likeSubstring(`${'_'.repeat(6000)}z`)
    const text = 'a'.repeat(2_000_000)
    expect(matches(text)).toBe(false)
    expect(matches(`${text}z`)).toBe(true)
    expect(matches(`${'z'.repeat(6000)}${text}`)).toBe(false)
    expect(matches(`${'a'.repeat(5999)}z`)).toBe(false)
    expect(matches(`${'\u{1f600}'.repeat(6000)}z`)).toBe(true)
  })

  it('scans a long text once for many wildcards', () => {
    const matches = likeSubstring('%a'.repeat(2000))
    expect(matches('a'.repeat(1999))).toBe(false)
    expect(matches('ab'.repeat(100_000))).toBe(true)
    expect(likeSubstring('a%'.repeat(500) + 'c')('ab'.repeat(100_000))).toBe(false)
  })
})
