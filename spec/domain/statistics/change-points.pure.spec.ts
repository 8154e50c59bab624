import { describe, expect, it } from 'vitest'
import { seededNumbers } from '../../../domain/statistics/bootstrap.ts'
import { changePenalty, MAX_TREND_RUNS, segmentTrend, segmentValues } from '../../../domain/statistics/change-points.ts'
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

describe('the levels of values', () => {
  it.each(reference.level_changes.cases)('of the series "$name"', ({ values, changes }) =>
    expect(
      segmentValues(values)
        .slice(1)
        .map(({ from }) => from),
    ).toEqual(changes),
  )

  it('are the means between changes', () =>
    expect(segmentValues([1, 2, 3, 11, 12, 13])).toEqual([
      { from: 0, to: 3, level: expect.closeTo(2, 12) as number },
      { from: 3, to: 6, level: expect.closeTo(12, 12) as number },
    ]))

  it('do not change by rounding, nor with fewer than six values', () => {
    expect(segmentValues([])).toEqual([])
    expect(segmentValues([1, 1, 9, 9, 9])).toHaveLength(1)
    expect(segmentValues([0.1, 0.1, 0.1, 0.1, 0.1 + 1e-17, 0.30000000000000004 - 0.2, 0.1])).toHaveLength(1)
    expect(segmentValues(new Array<number>(MAX_TREND_RUNS).fill(0))).toHaveLength(1)
    expect(() => segmentValues(new Array<number>(MAX_TREND_RUNS + 1).fill(0))).toThrow('more than 200')
  })

  it.each([6, 12, 40])('of a level series of %i runs change in about one of a hundred', (runs) => {
    const draw = seededNumbers(`level/${runs}`)
    const uniform = () => (draw() + 0.5) / 2 ** 32
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    const changed = Array.from({ length: 1_000 }, () => segmentValues(Array.from({ length: runs }, normal)).length > 1)
    expect(changed.filter(Boolean).length).toBeLessThanOrEqual(15)
  })
})
