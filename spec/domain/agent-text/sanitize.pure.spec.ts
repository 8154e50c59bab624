import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitize } from '../../../domain/agent-text/sanitize.ts'

describe('sanitize', () => {
  it.each([
    ['plain text', 'refunds\tare\nfree', 'refunds\tare\nfree'],
    ['a colour', 'a \u001B[1;31mred\u001B[0m b', 'a red b'],
    ['a title that BEL ends', 'a\u001B]0;title\u0007b', 'ab'],
    ['a link that ESC \\ ends', '\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\', 'link'],
    ['another escape', 'a\u001Bcb', 'ab'],
    ['an escaped character of two UTF-16 units', 'a\u001B😀b', 'ab'],
    ['an escape sequence without an end', 'a\u001B[31', 'a31'],
    ['a title without an end', 'a\u001B]0;title', 'a0;title'],
    ['an escape before an escape', '\u001B\u001B[31mx', '[31mx'],
    ['an escape at the end', 'a\u001B', 'a'],
    ['the marks of a match', 'a \uE000word\uE001 b', 'a **word** b'],
    ['carriage return', 'a\r\nb', 'a\nb'],
    ['control characters', '\0a\u0008b\u007Fc\u0085d\u009Be', 'abcde'],
    ['reversed text', 'a\u202Eb\u2066c\u2069d', 'abcd'],
    ['tags', 'a\u{E0069}\u{E0067}b', 'ab'],
    ['invisible operators and variation selectors', 'a\u2062b\u206Ac\u{E0100}d', 'abcd'],
    ['marks of direction', 'a\u200Eb\u200Fc\u061Cd', 'abcd'],
    ['spaces and joiners without a width', 'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf\u00ADg', 'abcdefg'],
    ['fillers and anchors', 'a\u3164b\u115Fc\uFFA0d\uFFF9e\uFFFBf', 'abcdef'],
    ['surrogates that would meet', '\uDB40\u202E\uDC41', '\uFFFD\uFFFD'],
    ['a lone surrogate', 'a\uD800b', 'a\uFFFDb'],
    ['an emoji of several characters', '👩\u200D👩\u200D👧 ❤\uFE0F', '👩👩👧 ❤'],
  ])('%s', (_, text, expected) => {
    expect(sanitize(text)).toBe(expected)
  })

  it('leaves no character that Unicode lets a program leave out', () => {
    const kept: string[] = []
    for (let code = 0; code <= 0x10_ff_ff; code++) {
      const character = String.fromCodePoint(code)
      if (/\p{Default_Ignorable_Code_Point}/u.test(character) && sanitize(`a${character}b`) !== 'ab')
        kept.push(code.toString(16))
    }
    expect(kept).toEqual([])
  })

  it('leaves nothing to remove', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '\u001B',
          '[',
          ']',
          '31',
          'm',
          '\u0007',
          '\\',
          '\r',
          '\n',
          '\t',
          '\u202E',
          '\uE000',
          '\uD83D',
          '\u{E0041}',
          '\uDB40',
          '\uDC41',
        ),
        fc.string({ unit: 'binary', maxLength: 2 }),
      ),
    })
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = sanitize(text)
        expect(safe).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F\uE000\uE001\u202A-\u202E\u2066-\u2069]/)
        expect(safe).not.toMatch(/[\u{E0000}-\u{E007F}]/u)
        expect(safe.isWellFormed()).toBe(true)
        expect(sanitize(safe)).toBe(safe)
      }),
    )
  })
})
