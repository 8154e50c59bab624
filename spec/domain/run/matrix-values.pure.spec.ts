import { describe, expect, it } from 'vitest'
import { cellValue, disagrees, MATRIX_VALUES, rowMean, rowRange } from '../../../domain/run/matrix-values.ts'
import type { ValuedCell } from '../../../domain/run/matrix-values.ts'

const cell = (overrides: Partial<ValuedCell> = {}): ValuedCell => ({
  total: 2,
  skipped: 0,
  score_mean: 0.5,
  pass_fraction: 0.5,
  distinct_outputs: 2,
  latency_ms_mean: 2_100,
  cost_usd: 0.04,
  ...overrides,
})

describe('a cell of a matrix', () => {
  it('has a number for each value', () =>
    expect(MATRIX_VALUES.map((value) => cellValue(cell(), value))).toEqual([0.5, 0.5, 2_100, 0.02, 2]))
  it('has no score, no latency and no cost if all its cases were skipped', () =>
    expect(MATRIX_VALUES.map((value) => cellValue(cell({ skipped: 2 }), value))).toEqual([null, 0.5, null, null, 2]))
  it('has the cost of the cases that recorded one, and none if no case did', () => {
    expect(cellValue(cell({ cost_usd_mean: 0.04 }), 'cost')).toBe(0.04)
    expect(cellValue(cell({ cost_usd_mean: null }), 'cost')).toBeNull()
    expect(cellValue(cell({ cost_usd: null }), 'cost')).toBeNull()
  })
  it('has no latency if it is 0', () => expect(cellValue(cell({ latency_ms_mean: 0 }), 'latency')).toBeNull())
})

describe('a row of a matrix', () => {
  it('has the mean and the range of the cells that ran', () => {
    const cells = [cell({ score_mean: 1 }), null, cell({ score_mean: 0 })]
    expect([rowMean(cells, 'score'), rowRange(cells, 'score')]).toEqual([0.5, { min: 0, max: 1 }])
    expect([rowMean([null], 'score'), rowRange([null], 'score')]).toEqual([null, null])
  })
  it('disagrees if one column passes what another does not; a skipped cell has no say', () => {
    const [passed, failed] = [cell({ pass_fraction: 1 }), cell({ pass_fraction: 0 })]
    expect([disagrees([passed, failed]), disagrees([passed, null, passed]), disagrees([])]).toEqual([
      true,
      false,
      false,
    ])
    expect(disagrees([passed, { ...failed, skipped: 2 }, null])).toBe(false)
  })
})
