import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orNull, page, rate, rfc3339, usd } from '../../domain/wire.ts'

describe('an instant on the wire', () => {
  it('has a numeric offset, and a fraction only if it is not zero', () => {
    expect(rfc3339(1777885242250)).toBe('2026-05-04T09:00:42.250+00:00')
    expect(rfc3339(1777885242000)).toBe('2026-05-04T09:00:42+00:00')
    expect(rfc3339(1777885242001)).toBe('2026-05-04T09:00:42.001+00:00')
  })

  it('parses back to the same instant', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62167219200000, max: 253402300799999 }), (ms) => {
        expect(Date.parse(rfc3339(ms))).toBe(ms)
      }),
    )
  })
})

describe('figures on the wire', () => {
  it('convert micro-USD to USD, and null for an unknown cost to null', () => {
    expect([usd(1440), usd(1), usd(0), usd(null)]).toEqual([0.00144, 0.000001, 0, null])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 51 }), (micro) => {
        expect(Math.round((usd(micro) ?? 0) * 1e6)).toBe(micro)
      }),
    )
  })

  it('are rates of a total, and 0 if the total is 0', () =>
    expect([rate(1, 4), rate(0, 0), rate(0, 3)]).toEqual([0.25, 0, 0]))

  it('represent empty text as null', () =>
    expect([orNull(''), orNull(' '), orNull(null), orNull('x')]).toEqual([null, ' ', null, 'x']))
})

it('a page has a next cursor only if there are more rows', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (all, limit) => {
      const { rows, next_cursor } = page(all.slice(0, limit + 1), limit, String)
      expect(rows).toEqual(all.slice(0, limit))
      expect(next_cursor).toBe(all.length > limit ? String(all[limit - 1]) : null)
    }),
  )
})
