import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldSearched, unfoldedOffset } from '../../../domain/search/fold.ts'

const texts = fc.array(
  fc.oneof(
    fc.constantFrom(
      'a',
      'Z',
      'ß',
      'ẞ',
      'é',
      'e\u0301',
      '\u0301',
      'İ',
      'Σ',
      'ς',
      'ﬁ',
      '½',
      '™',
      '각',
      '👩\u200d💻',
      '\ud800',
      '\udc00',
      ' ',
      '\0',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
  { maxLength: 12 },
)

describe('the folding of searches', () => {
  it.each([
    ['Straße ẞ', 'strasse ss'],
    ['ＦＵＬＬ ｗｉｄｔｈ', 'full width'],
    ['Crème Brûlée', 'creme brulee'],
    ['ΟΔΟΣ Οδος', 'οδοσ οδοσ'],
    ['İstanbul', 'istanbul'],
    ['a\u00adb\u200bc\u202ed', 'abcd'],
    ['👍🏽 ❤\ufe0f', '👍🏽 ❤'],
    ['C++ #1', 'c++ #1'],
  ])('of %j', (text, folded) => expect(foldSearched(text)).toBe(folded))

  it('of a text is that of its characters in a row, and of itself', () =>
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('').toWellFormed()
        const folded = foldSearched(text)
        expect(Array.from(text, foldSearched).join('')).toBe(folded)
        expect(foldSearched(folded)).toBe(folded)
      }),
      { numRuns: 2000 },
    ))

  it('has the place in the text of each of its places', () =>
    fc.assert(
      fc.property(texts, fc.nat({ max: 20 }), (parts, length) => {
        const text = parts.join('').toWellFormed()
        const offset = unfoldedOffset(text, length)
        const before = foldSearched(text.slice(0, offset))
        expect(before.length >= length || offset === text.length).toBe(true)
        const last = Array.from(text.slice(0, offset)).findLast((character) => foldSearched(character) !== '') ?? ''
        expect(before.length - foldSearched(last).length < length || before === '').toBe(true)
      }),
      { numRuns: 2000 },
    ))

  it('has them in a long text too, also where a character is longer or shorter folded', () => {
    const filler = '汉👩\u200dé\ufdfaß½a'.repeat(1000)
    for (const at of [0, 1, 1023, 1024, 1025, 5000, filler.length - 20]) {
      const start = filler.indexOf('汉', at)
      const text = `${filler.slice(0, start)}x\u0301${filler.slice(start)}`
      const before = foldSearched(text.slice(0, start)).length
      expect(unfoldedOffset(text, before)).toBe(start)
      expect(unfoldedOffset(text, before + 1)).toBe(start + 'x\u0301'.length)
    }
  })
})
