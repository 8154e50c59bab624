import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../domain/proof/base64.ts'
import { concat, equal, fromUtf8, toHex, uint64, utf8 } from '../../../domain/proof/bytes.ts'

describe('base64', () => {
  it('is that of Node, there and back', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(toBase64(bytes)).toBe(text)
        expect(fromBase64(text)).toEqual(Uint8Array.from(bytes))
      }),
      { seed: 19 },
    ))

  it('has one text for its bytes: every other text is refused', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 12, unit: fc.constantFrom(...'ABZaz019+/=-_ \n') }), (text) => {
        const bytes = fromBase64(text)
        const isCanonical = Buffer.from(text, 'base64').toString('base64') === text
        expect(bytes !== null).toBe(isCanonical)
      }),
      { seed: 19, numRuns: 2000 },
    ))

  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', 'AA==\n', 'AA==AA==', 'A-==', '=', '===='])('is not %j', (text) =>
    expect(fromBase64(text)).toBeNull(),
  )
})

describe('bytes', () => {
  it('are UTF-8 text or none, and a byte order mark is a character', () => {
    expect(fromUtf8(Buffer.from('é日'))).toBe('é日')
    expect(fromUtf8(Uint8Array.of(0xc3))).toBeNull()
    expect(fromUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe('\ufeffA')
  })

  it('are joined and compared', () => {
    expect(toHex(concat(utf8('a'), Uint8Array.of(), Uint8Array.of(1)))).toBe('6101')
    expect(toHex(uint64(2 ** 40 + 1))).toBe('0000010000000001')
    expect([equal(utf8('a'), utf8('a')), equal(utf8('a'), utf8('b')), equal(utf8('a'), utf8('aa'))]).toEqual([
      true,
      false,
      false,
    ])
  })
})
