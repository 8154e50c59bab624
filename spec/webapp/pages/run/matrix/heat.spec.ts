import { describe, expect, it } from 'vitest'
import {
  columnName,
  columnOrder,
  failedWords,
  gridWidths,
  meansHead,
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
  over_cases: {
    ...{ cases: 1, pass_fraction: 0, score_cases: 1, score_mean, latency_cases: 1, latency_ms_mean },
    ...{ cost_cases: 0, cost_usd_mean: null },
  },
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

it('shortValue keeps two digits of a cost that count', () =>
  expect([0, 0.000_059, 0.0042, 0.42, 1.23, 12.3].map((usd) => shortValue(usd, 'cost'))).toEqual([
    '$0',
    '$.000059',
    '$.0042',
    '$.42',
    '$1.2',
    '$12',
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
  const of = (name: string, over_cases: Partial<Column['over_cases']>): Column => {
    const all = column(name, null)
    return { ...all, over_cases: { ...all.over_cases, ...over_cases } }
  }
  // The means over tests differ from these: a test may have several cases.
  const columns = [
    of('a', { cases: 100, pass_fraction: 0.5, score_cases: 98, score_mean: 1, latency_cases: 1, latency_ms_mean: 100 }),
    of('b', { cases: 2, pass_fraction: 1, score_cases: 2, score_mean: 0, latency_cases: 2, latency_ms_mean: 400 }),
    of('c', { cases: 3, pass_fraction: 0, score_cases: 0, score_mean: null, latency_cases: 0 }),
  ]
  it('of all columns count each case once', () => {
    expect(overallMean(columns, 'score')).toBe(0.98)
    expect(overallMean(columns, 'latency')).toBe(300)
    const dear = of('a', { cost_cases: 1, cost_usd_mean: 0.5 })
    const cheap = of('b', { cost_cases: 3, cost_usd_mean: 0.1 })
    expect(overallMean([dear, cheap, ...columns], 'cost')).toBeCloseTo(0.2, 12)
    expect(columnOrder([dear, ...columns, cheap], 'best', 'cost')).toEqual([4, 0, 1, 2, 3])
    expect(overallMean(columns, 'cost')).toBeNull()
    expect(overallMean(columns, 'pass')).toBeCloseTo(52 / 105, 12)
    expect(overallMean(columns, 'outputs')).toBeNull()
    expect(overallMean([], 'score')).toBeNull()
    expect(overallMean([column('a', null)], 'score')).toBeNull()
  })
  it('say how many cases they are over', () => {
    expect(columns.map((each) => meanWords(each, 'score'))).toEqual(['mean of 98 cases', 'mean of 2 cases', undefined])
    expect(meansHead(columns, 'pass')).toBe('Mean of the cases')
    expect(meansHead([column('a', 1), column('b', 1)], 'score')).toBe('Mean of 1 case')
  })
})

it('a cell says how many of its cases failed', () => {
  const cell = { value: 1, passed: 1, failed: 0, total: 2, case_key: null }
  expect([cell, { ...cell, failed: 1 }, { ...cell, failed: 1, total: 1 }].map(failedWords)).toEqual([
    '',
    ', 1 of 2 failed',
    ', failed',
  ])
})

describe('the grid', () => {
  it('has a minimum width', () => expect(gridWidths(400, 30, 52)).toEqual({ head: 268, cell: 40 }))
  it('widens names and cells if there are few columns, within bounds', () => {
    expect(gridWidths(1_760, 3, 52)).toEqual({ head: 560, cell: 120 })
    expect(gridWidths(1_760, 13, 52).cell).toBe(72)
  })
  it('leaves room for horizontal names of up to 12 columns', () =>
    expect([gridWidths(900, 12, 52).cell, gridWidths(900, 13, 52).cell]).toEqual([84, 40]))
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
