import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newDocumentText } from '../../../interchange/document/document-text.ts'

describe('newDocumentText', () => {
  it('joins a beginning, the cases with commas, and an end, whatever their sizes', () => {
    const part = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.repeat(5_000))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), part, part, (cases, start, end) => {
        const text = newDocumentText()
        for (const item of cases)
          expect(Buffer.from(text.add(`{${item}}`)).toString()).toBe(Buffer.from(`{${item}}`).toString())
        const expected = start + cases.map((item) => `{${item}}`).join(',') + end
        expect(Buffer.from(text.finish(start, end)).equals(Buffer.from(expected))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})
