import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orNull, page, rate, rfc3339, usd } from '../../queries/wire.ts'

describe('an instant on the wire', () => {
  it('has a numeric offset, and a fraction only where it is not zero', () => {
    expect(rfc3339(1777885242250)).toBe('2026-05-04T09:00:42.250+00:00')
    expect(rfc3339(1777885242000)).toBe('2026-05-04T09:00:42+00:00')
    expect(rfc3339(1777885242001)).toBe('2026-05-04T09:00:42.001+00:00')
  })

  it('reads back as what it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62167219200000, max: 253402300799999 }), (ms) => {
        expect(Date.parse(rfc3339(ms))).toBe(ms)
      }),
    )
  })
})

describe('figures on the wire', () => {
  it('are USD of whole micro-USD, null for unknown', () => {
    expect([usd(1440), usd(1), usd(0), usd(null)]).toEqual([0.00144, 0.000001, 0, null])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 51 }), (micro) => {
        expect(Math.round((usd(micro) ?? 0) * 1e6)).toBe(micro)
      }),
    )
  })

  it('are rates of parts, 0 of nothing', () => {
    expect([rate(1, 4), rate(0, 0), rate(0, 3)]).toEqual([0.25, 0, 0])
  })

  it('read empty text as null', () => {
    expect([orNull(''), orNull(' '), orNull(null), orNull('x')]).toEqual([null, ' ', null, 'x'])
  })
})

describe('a page', () => {
  it('names a next one only where there is a row more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (all, limit) => {
        const { rows, next_cursor } = page(all.slice(0, limit + 1), limit, String)
        expect(rows).toEqual(all.slice(0, limit))
        expect(next_cursor).toBe(all.length > limit ? String(all[limit - 1]) : null)
      }),
    )
  })
})
