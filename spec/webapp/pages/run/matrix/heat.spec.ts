import { describe, expect, it } from 'vitest'
import {
  cellValue,
  columnName,
  columnOrder,
  disagrees,
  gridWidths,
  readsAsZero,
  rampOf,
  rampStep,
  rowMean,
  rowOrder,
  shortValue,
} from '../../../../../webapp/pages/run/matrix/heat.ts'
import type { Cell, Column } from '../../../../../webapp/pages/run/matrix/heat.ts'

const cell = (overrides: Partial<Cell> = {}): Cell => ({
  total: 2,
  passed: 1,
  failed: 1,
  errored: 0,
  skipped: 0,
  xfailed: 0,
  xpassed: 0,
  score_mean: 0.5,
  pass_fraction: 0.5,
  distinct_outputs: 2,
  latency_ms_mean: 2_100,
  cost_usd: null,
  fallback_answered: 0,
  case_keys: [],
  ...overrides,
})
const column = (
  provider_id: string,
  score_mean: number | null,
  latency_ms_mean: number | null = null,
  prompt_id: string | null = null,
): Column => ({ provider_id, prompt_id, tests: 1, score_mean, pass_fraction: 0, latency_ms_mean })
const row = (...cells: Array<Cell | null>) => ({ test_id: 't', name: null, cells })

describe('a cell', () => {
  it('shows the selected value', () =>
    expect(
      (['score', 'pass', 'latency', 'outputs'] as const).map((value) =>
        shortValue(cellValue(cell(), value) ?? 0, value),
      ),
    ).toEqual(['.50', '.50', '2.1s', '2']))
  it('has no latency if it is 0', () => expect(cellValue(cell({ latency_ms_mean: 0 }), 'latency')).toBeNull())
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

describe('the ramp', () => {
  it('of scores is from 0 to 1, or wider if scores are outside', () => {
    expect(rampOf([row(cell())], 'score')).toEqual({ min: 0, max: 1 })
    expect(rampOf([row(cell({ score_mean: -2 }), cell({ score_mean: 5 }), null)], 'score')).toEqual({
      min: -2,
      max: 5,
    })
  })
  it('of latencies ends at the longest one', () =>
    expect(rampOf([row(cell(), cell({ latency_ms_mean: 9_000 }))], 'latency')).toEqual({ min: 0, max: 9_000 }))
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

it('the mean of a row includes only cells that ran', () => {
  expect(rowMean(row(cell({ score_mean: 1 }), null, cell({ score_mean: 0 })), 'score')).toBe(0.5)
  expect(rowMean(row(null), 'score')).toBeNull()
})

describe('the rows', () => {
  const named = (test_id: string, ...scores: Array<number | null>) => ({
    test_id,
    name: null,
    cells: scores.map((score) =>
      score === null
        ? null
        : cell({ score_mean: score, pass_fraction: score >= 0.5 ? 1 : 0, latency_ms_mean: score * 100 }),
    ),
  })
  const rows = [named('t10', 0.2, 0.4), named('t2', 1, 0), named('t1', null, null), named('t3', 0.9, 0.9)]
  const order = (...[sort, value = 'score']: [Parameters<typeof rowOrder>[1], Parameters<typeof rowOrder>[2]?]) =>
    rowOrder(rows, sort, value).map(({ test_id }) => test_id)

  it('are in the order of their means, those without a number last', () => {
    expect(order('document')).toEqual(['t10', 't2', 't1', 't3'])
    expect(order('worst')).toEqual(['t10', 't2', 't3', 't1'])
    expect(order('best')).toEqual(['t3', 't2', 't10', 't1'])
    expect(order('spread')).toEqual(['t2', 't10', 't3', 't1'])
  })
  it('begin with the longest latency as the worst', () =>
    expect(order('worst', 'latency')).toEqual(['t2', 't3', 't10', 't1']))
  it('are sorted by name as people count', () => expect(order('name')).toEqual(['t1', 't2', 't3', 't10']))
  it('disagree if one column passes what another does not; a skipped cell has no say', () => {
    expect(rows.map(disagrees)).toEqual([false, true, false, false])
    expect(disagrees(row(cell({ pass_fraction: 1 }), cell({ pass_fraction: 0, skipped: 2 }), null))).toBe(false)
  })
})
