import { describe, expect, it } from 'vitest'
import { changePenalty, MAX_TREND_RUNS, segmentTrend } from '../../../domain/statistics/change-points.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const { cases, tolerance } = reference.change_points

describe('the segments of a trend', () => {
  it.each(cases)('of the series "$name"', (known) => {
    const points = known.passed.map((passed, i) => ({ passed, total: known.total[i] ?? 0 }))
    const { segments, objective } = segmentTrend(points)
    expect(segments.slice(1).map(({ from }) => from)).toEqual(known.changes_before_index)
    if (known.objective === null) expect(objective).toBeNull()
    else expect(Math.abs((objective ?? 0) - known.objective)).toBeLessThan(tolerance)
    expect(Math.abs(changePenalty(points.length) - known.penalty)).toBeLessThan(tolerance)
  })

  it('have the two rates of a change', () => {
    const at = (passed: number) => ({ passed, total: 10 })
    expect(segmentTrend([...[9, 9, 9].map(at), ...[2, 1, 3].map(at)]).segments).toEqual([
      { from: 0, to: 3, passed: 27, total: 30, rate: 0.9 },
      { from: 3, to: 6, passed: 6, total: 30, rate: 0.2 },
    ])
  })

  it('have no rate without cases', () => {
    expect(segmentTrend([]).segments).toEqual([])
    expect(segmentTrend([{ passed: 0, total: 0 }]).segments).toMatchObject([{ rate: null }])
    expect(segmentTrend(Array.from({ length: 5 }, () => ({ passed: 0, total: 0 }))).segments).toHaveLength(1)
  })

  it('are found in the longest series, and a longer one is refused', () => {
    const series = Array.from({ length: MAX_TREND_RUNS }, (_, i) => ({ passed: i < 100 ? 80 : 60, total: 100 }))
    expect(segmentTrend(series).segments.map(({ from }) => from)).toEqual([0, 100])
    expect(() => segmentTrend([...series, { passed: 1, total: 1 }])).toThrow('more than 200')
  })
})
