import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogram, quantile, scoreEdges, wholeEdges, type ValueTally } from '../../../domain/statistics/histogram.ts'

const tally = (value: number, n = 1): ValueTally => ({ value, status: 'pass', n })
const totals = (bins: ReturnType<typeof histogram>) =>
  bins.map(({ counts }) => Object.values(counts).reduce((sum, n) => sum + n, 0))

describe('the edges of whole numbers', () => {
  it('are equal steps for close values', () => expect(wholeEdges(10, 15)).toEqual([10, 11, 12, 13, 14, 15, 16]))
  it('are equal factors for values far apart', () => {
    const edges = wholeEdges(10, 100_000)
    expect([edges[0], edges[15], edges.at(-1)]).toEqual([10, 1_000, 100_001])
  })
  it('are one bin for one value', () => expect(wholeEdges(7, 7)).toEqual([7, 8]))
  it('ascend, contain every value and are at most thirty bins', () =>
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 1e9 }), fc.integer({ min: 0, max: 1e9 }), (min, more) => {
        const edges = wholeEdges(min, min + more)
        expect(edges.every((edge, n) => Number.isInteger(edge) && (n === 0 || edge > (edges[n - 1] ?? 0)))).toBe(true)
        expect([edges[0], edges.at(-1)]).toEqual([min, min + more + 1])
        expect(edges.length).toBeLessThanOrEqual(31)
      }),
    ))
})

describe('the edges of scores', () => {
  it('are twenty steps from 0 to 1', () =>
    expect(scoreEdges(0.2, 0.9).filter((_, n) => n % 5 === 0)).toEqual([0, 0.25, 0.5, 0.75, 1]))
  it('go from the lowest to the highest score if a score is below 0 or above 1', () =>
    expect([scoreEdges(-1, 9)[0], scoreEdges(-1, 9)[20]]).toEqual([-1, 9]))
  it('go from the score to the score plus 1 for a single score above 1', () =>
    expect([scoreEdges(5, 5)[0], scoreEdges(5, 5)[20]]).toEqual([5, 6]))
})

describe('a histogram', () => {
  it('counts a value on an edge in the bin that starts there', () =>
    expect(totals(histogram([tally(0), tally(0.5, 3), tally(1, 2)], [0, 0.5, 1]))).toEqual([1, 5]))
  it('counts statuses separately', () =>
    expect(histogram([tally(1), { value: 1, status: 'fail', n: 2 }], [1, 2])).toEqual([
      { from: 1, to: 2, counts: { pass: 1, fail: 2, error: 0, skip: 0, xfail: 0, xpass: 0 } },
    ]))
  it('loses no value', () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1 }), (values) => {
        const bins = histogram(
          values.map((value) => tally(value)),
          wholeEdges(Math.min(...values), Math.max(...values)),
        )
        expect(totals(bins)).toEqual(
          bins.map(({ from, to }) => values.filter((value) => value >= from && value < to).length),
        )
        expect(totals(bins).reduce((sum, n) => sum + n, 0)).toBe(values.length)
      }),
    ))
})

describe('a quantile', () => {
  it('is a value that occurs', () => {
    expect(quantile([tally(1), tally(2), tally(10)], 0.5)).toBe(2)
    expect(quantile([tally(1), tally(2)], 0.5)).toBe(1)
    expect(quantile([tally(1, 95), tally(9, 5)], 0.95)).toBe(1)
    expect(quantile([tally(1, 94), tally(9, 6)], 0.95)).toBe(9)
  })
  it('is null without values', () => expect(quantile([], 0.5)).toBeNull())
})
