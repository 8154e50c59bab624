import { describe, expect, it } from 'vitest'
import {
  columnName,
  columnOrder,
  gridWidths,
  meanWords,
  overallMean,
  readsAsZero,
  rampStep,
  shortValue,
} from '../../../../../webapp/pages/run/matrix/heat.ts'
import type { Column } from '../../../../../webapp/pages/run/matrix/heat.ts'

const column = (
  provider_id: string,
  score_mean: number | null,
  latency_ms_mean: number | null = null,
  prompt_id: string | null = null,
): Column => ({
  provider_id,
  prompt_id,
  tests: 1,
  score_tests: 1,
  latency_tests: 1,
  score_mean,
  pass_fraction: 0,
  latency_ms_mean,
})

describe('a cell', () => {
  it('gets the step of the ramp that fits its number', () =>
    expect([0, 0.07, 0.5, 1].map((number) => rampStep(number, { min: 0, max: 1 }))).toEqual([0, 1, 4, 8]))
  it('gets a step even if the ramp is empty', () => expect(rampStep(0, { min: 0, max: 0 })).toBe(0))
})

it('shortValue shortens latencies to the width of a cell', () =>
  expect([42, 2_100, 42_000, 120_000, 7_200_000].map((ms) => shortValue(ms, 'latency'))).toEqual([
    '42',
    '2.1s',
    '42s',
    '2m',
    '2h',
  ]))

it('readsAsZero includes numbers close to 0', () =>
  expect([0, 0.000_02, 0.004, 0.005, 0.5].map((number) => readsAsZero(number, 'score'))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]))

describe('means', () => {
  const columns = [
    { ...column('a', 1, 100), tests: 100, score_tests: 98, latency_tests: 1, pass_fraction: 0.5 },
    { ...column('b', 0, 400), tests: 2, score_tests: 2, latency_tests: 2, pass_fraction: 1 },
    { ...column('c', null), tests: 3, score_tests: 0, latency_tests: 0, pass_fraction: 0 },
  ]
  it('of all columns count each cell once', () => {
    expect(overallMean(columns, 'score')).toBe(0.98)
    expect(overallMean(columns, 'latency')).toBe(300)
    expect(overallMean(columns, 'pass')).toBeCloseTo(52 / 105, 12)
    expect(overallMean(columns, 'outputs')).toBeNull()
    expect(overallMean([], 'score')).toBeNull()
    expect(overallMean([column('a', null)], 'score')).toBeNull()
  })
  it('of a column say how many tests they are over, if not all', () => {
    expect(columns.map((each) => meanWords(each, 'score', 98))).toEqual([
      undefined,
      'mean over 2 of 98 tests',
      undefined,
    ])
    expect(columns.map((each) => meanWords(each, 'pass', 100))[2]).toBe('mean over 3 of 100 tests')
  })
})

describe('the grid', () => {
  it('has a minimum width', () => expect(gridWidths(400, 30, 52)).toEqual({ head: 268, cell: 40 }))
  it('widens names and cells if there are few columns, within bounds', () =>
    expect(gridWidths(1_760, 3, 52)).toEqual({ head: 560, cell: 72 }))
  it('never grows beyond the available width', () => {
    for (const columns of [2, 8, 10, 17, 30]) {
      const { head, cell } = gridWidths(1_760, columns, 52)
      expect(head + 52 + columns * cell).toBeLessThanOrEqual(1_760)
    }
  })
})

describe('columns', () => {
  const columns = [column('a', 0.2, 10), column('b', null, null), column('c', 0.9, 30), column('d', 0.2, 20)]
  it('can be in document order', () => expect(columnOrder(columns, 'document', 'score')).toEqual([0, 1, 2, 3]))
  it('can be best first: unknown last, ties in document order', () =>
    expect(columnOrder(columns, 'best', 'score')).toEqual([2, 0, 3, 1]))
  it('are sorted by latency with the shortest first', () =>
    expect(columnOrder(columns, 'best', 'latency')).toEqual([0, 3, 2, 1]))
  it('are named by what differs between them', () => {
    const same = [column('a', 0, 0, 'x'), column('b', 0, 0, 'x')]
    expect(same.map((each) => columnName(each, same))).toEqual(['a', 'b'])
    const prompts = [column('a', 0, 0, 'x'), column('a', 0, 0, 'y')]
    expect(prompts.map((each) => columnName(each, prompts))).toEqual(['x', 'y'])
    const both = [column('a', 0, 0, 'x'), column('b', 0, 0, 'y'), column('b', 0, 0, null)]
    expect(both.map((each) => columnName(each, both))).toEqual(['a · x', 'b · y', 'b'])
  })
})
