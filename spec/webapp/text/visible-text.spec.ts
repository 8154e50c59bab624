import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visibleLine, visiblePieces, visibleText } from '../../../webapp/text/visible-text.ts'

const shown = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (piece.name === null ? piece.text : `[${piece.text}]`))
    .join('')
const names = (text: string): string[] => visiblePieces(text).flatMap(({ name }) => name ?? [])

describe('visiblePieces', () => {
  it.each([
    '',
    'plain',
    'two\nlines\tand a tab',
    'שלום عالم',
    'é and e\u0301',
    '👩‍👩‍👧‍👦 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇨🇭 👍🏽',
    'می‌خواهم',
    'क्‍ष',
    '\u0600123',
  ])('does not change %j', (text) => expect(shown(text)).toBe(text))
  it('turns \\r\\n into a line feed', () => expect(shown('a\r\nb')).toBe('a\nb'))

  it.each([
    ['a\u0000b', 'a[NUL]b'],
    ['\u0000\u0000\u0000', '[NUL×3]'],
    ['\u0007\u0000', '[BEL][NUL]'],
    ['\u001b[31mred', '[ESC][31mred'],
    ['a\rb', 'a[CR]b'],
    ['invoice\u202efdp.exe', 'invoice[U+202E]fdp.exe'],
    ['a\u200db', 'a[U+200D]b'],
    ['a\u200bb\u2060c\ufeff', 'a[U+200B]b[U+2060]c[U+FEFF]'],
    ['\u{e0041}\u{e0042}', '[U+E0041][U+E0042]'],
    ['a\ufe0f', 'a[U+FE0F]'],
    ['lone \ud83d half', 'lone [U+D83D] half'],
    ['a\u2028b', 'a[U+2028]b'],
    ['\u3164', '[U+3164]'],
    ['\uffff', '[U+FFFF]'],
  ])('marks invisible characters in %j', (text, marked) => expect(shown(text)).toBe(marked))

  it('names the characters that it marks', () => {
    expect(names('\u202e')).toEqual(['U+202E, right-to-left override'])
    expect(names('\u{e0041}')).toEqual(['U+E0041, tag A'])
    expect(names('\u2061')).toEqual(['U+2061, not visible'])
  })

  it('removes direction controls and no visible character', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              '\u202e',
              '\u2066',
              '\u2069',
              '\u200f',
              '\u061c',
              '\u0000',
              '\u200d',
              '👩',
              '\ufe0f',
              '\r\n',
            ),
            fc.string({ unit: 'binary', maxLength: 3 }),
          ),
        ),
        (parts) => {
          const text = parts.join('')
          const pieces = visiblePieces(text)
          const plain = pieces
            .filter(({ name }) => name === null)
            .map((piece) => piece.text)
            .join('')
          expect(plain).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/)
          const visible = /[^\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u00ad]/gu
          expect(plain.match(visible)).toEqual(text.match(visible))
        },
      ),
    ))
})

describe('visibleText', () => {
  it('has marks in brackets', () =>
    expect(visibleText('pay\u202etxt.exe\u0000\u0000')).toBe('pay⟨U+202E⟩txt.exe⟨NUL×2⟩'))
  it('preserves lines, tabs and letters of any script', () =>
    expect(visibleText('a\n\tمرحبا 👩\u200d🔬')).toBe('a\n\tمرحبا 👩\u200d🔬'))
  it('becomes a single line with visibleLine', () =>
    expect(visibleLine('  first\r\n\tsecond\ufeff third ')).toBe('first second⟨U+FEFF⟩ third'))
})
