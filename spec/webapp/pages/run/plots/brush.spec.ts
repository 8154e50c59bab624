import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brushOf, brushedRange } from '../../../../../webapp/pages/run/plots/brush.ts'

const bins = [1, 2, 4, 8].map((from) => ({ from, to: from * 2 }))

describe('a brush', () => {
  it('selects from the start of the first bin to the end of the last', () =>
    expect(brushedRange(bins, { first: 1, end: 3 })).toEqual({ from: 2, below: 8 }))
  it('has no upper bound if it includes the last bin', () =>
    expect(brushedRange(bins, { first: 2, end: 4 })).toEqual({ from: 4, below: null }))
  it('of all bins sets no filter', () => expect(brushedRange(bins, { first: 0, end: 4 })).toBeNull())
  it('round-trips through its filter', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 4 }), (first, end) => {
        fc.pre(first < end && !(first === 0 && end === 4))
        expect(brushOf(bins, brushedRange(bins, { first, end }))).toEqual({ first, end })
      }),
    ))
  it('covers whole bins if the bounds are inside them', () =>
    expect(brushOf(bins, { from: 3, below: 5 })).toEqual({ first: 1, end: 3 }))
  it('covers a bin even if the bounds are outside all bins', () => {
    expect(brushOf(bins, { from: 100, below: 200 })).toEqual({ first: 3, end: 4 })
    expect(brushOf(bins, { from: -5, below: 0.5 })).toEqual({ first: 0, end: 1 })
  })
  it('is null without a filter', () => expect(brushOf(bins, null)).toBeNull())
})
