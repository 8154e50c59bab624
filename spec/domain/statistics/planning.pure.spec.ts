import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adjustForMany, FALSE_DISCOVERY_RATE } from '../../../domain/statistics/many.ts'
import { pairsNeeded, smallestDifference, smallestScoreDifference } from '../../../domain/statistics/planning.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const discordance = fc.double({ min: 0.001, max: 1, noNaN: true })

describe('the pairs that a difference needs', () => {
  it.each(reference.planning.pairs_needed)('are $pairs for $delta of $discordance', (known) => {
    expect(pairsNeeded(known.delta, known.discordance)).toBe(known.pairs)
    expect(pairsNeeded(-known.delta, known.discordance)).toBe(known.pairs)
  })
  it('are undefined without a difference and for an impossible one', () =>
    expect([pairsNeeded(0, 0.1), pairsNeeded(0.2, 0.1), pairsNeeded(0.2, 1.1)]).toEqual([null, null, null]))
})

describe('the smallest difference', () => {
  it.each(reference.planning.smallest_difference)('of $pairs pairs at $discordance is $delta', (known) => {
    const found = smallestDifference(known.pairs, known.discordance)
    if (known.delta === null) expect(found).toBeNull()
    else expect(Math.abs((found ?? 0) - known.delta)).toBeLessThan(reference.planning.tolerance)
  })
  it('needs no more pairs than there are, and is not larger than the share that differs', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), discordance, (pairs, share) => {
        const found = smallestDifference(pairs, share)
        if (found === null) return
        expect(found).toBeLessThanOrEqual(share)
        expect(pairsNeeded(found, share)).toBeLessThanOrEqual(pairs)
      }),
    ))
  it('is undefined if no case differs', () => expect(smallestDifference(100, 0)).toBeNull())
  it.each(reference.planning.score_difference)('of scores with error $se and $df degrees of freedom', (known) =>
    expect(Math.abs(smallestScoreDifference(known.se, known.df) - known.delta_t)).toBeLessThan(1e-12),
  )
})

describe('p-values of many tests', () => {
  it.each(reference.fdr_bh.families)('$p are adjusted', ({ p, adjusted, rejected }) => {
    const found = adjustForMany(p)
    found.forEach((q, i) => expect(Math.abs(q - (adjusted[i] ?? NaN))).toBeLessThan(reference.fdr_bh.tolerance))
    expect(found.map((q) => q < FALSE_DISCOVERY_RATE)).toEqual(rejected)
  })
  it('keep their order, do not fall but for rounding, and stay at most 1', () =>
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (p) => {
        const found = adjustForMany(p)
        const order = p.map((_, i) => i).sort((a, b) => (p[a] ?? 0) - (p[b] ?? 0))
        order.forEach((at, place) => {
          expect(found[at]).toBeGreaterThanOrEqual((p[at] ?? 1) * (1 - 1e-15))
          expect(found[at]).toBeLessThanOrEqual(1)
          if (place > 0) expect(found[at]).toBeGreaterThanOrEqual(found[order[place - 1] ?? 0] ?? 1)
        })
      }),
    ))
  it('of no test are none', () => expect(adjustForMany([])).toEqual([]))
})
