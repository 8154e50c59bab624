import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newDocumentText } from '../../../interchange/document/document-text.ts'

describe('newDocumentText', () => {
  it('joins a beginning, the cases with commas, and an end, whatever their sizes', () => {
    const part = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.repeat(5_000))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), part, part, (cases, start, end) => {
        const text = newDocumentText()
        for (const item of cases) expect(Buffer.concat(text.add(`{${item}}`)).toString()).toBe(`{${item}}`)
        const expected = start + cases.map((item) => `{${item}}`).join(',') + end
        const whole = text.finish(start, end)
        expect(Buffer.from(whole).equals(Buffer.from(expected))).toBe(true)
        expect(whole.byteLength).toBe(whole.buffer.byteLength)
      }),
      { numRuns: 20 },
    )
  })

  it('puts no character into two parts', () => {
    for (let shift = 0; shift < 8; shift++) {
      const text = newDocumentText()
      const item = 'x'.repeat(shift) + '\u{1f600}'.repeat(50_000)
      text.add(item)
      expect(Buffer.from(text.finish('', '')).toString()).toBe(item)
    }
  })

  it('starts from nothing after it was discarded', () => {
    const text = newDocumentText()
    text.add('a'.repeat(100_000))
    text.discard()
    expect(text.length()).toBe(0)
    text.add('b')
    expect(Buffer.from(text.finish('[', ']')).toString()).toBe('[b]')
  })
})
