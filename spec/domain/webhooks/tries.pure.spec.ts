import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_TRIES, nextTryAt } from '../../../domain/webhooks/tries.ts'

const SECONDS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400]

describe('the next try of a delivery', () => {
  it('waits 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, then never', () => {
    expect(MAX_TRIES).toBe(8)
    expect(SECONDS.map((_, tries) => nextTryAt(tries, 0, 0.5))).toEqual(SECONDS.map((seconds) => seconds * 1000))
    expect([8, 9, 100].map((tries) => nextTryAt(tries, 0, 0.5))).toEqual([null, null, null])
  })

  it('is at most 20 % earlier or later', () =>
    fc.assert(
      fc.property(
        fc.nat(7),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(2 ** 40),
        (tries, random, now) => {
          const wait = (nextTryAt(tries, now, random) ?? 0) - now
          const wanted = (SECONDS[tries] ?? 0) * 1000
          expect(wait).toBeGreaterThanOrEqual(Math.floor(wanted * 0.8))
          expect(wait).toBeLessThanOrEqual(Math.ceil(wanted * 1.2))
        },
      ),
    ))
})
