import { describe, expect, it } from 'vitest'
import type { OverviewSuite } from '../../../../webapp/suites/use-overview.ts'
import { filterSuites, nextSort, parseSort, sortSuites, sortText } from '../../../../webapp/pages/suites/suite-sort.ts'

const suite = (name: string, cases: number, passed: number, run_count = 1, baseline: number | null = null) =>
  ({
    project: 'p',
    suite: name,
    run_count,
    newest_run: {
      created_at: '2026-03-01T00:00:00Z',
      case_count: cases,
      pass_count: passed,
      pass_rate: { rate: cases === 0 ? 0 : passed / cases },
    },
    baseline: baseline === null ? null : { run_id: 'b', pass_rate: { rate: baseline } },
  }) as unknown as OverviewSuite
const names = (suites: readonly OverviewSuite[]) => suites.map((each) => each.suite).join(' ')
const SUITES = [suite('b', 10, 5, 3), suite('a', 0, 0, 9), suite('c', 10, 9, 3, 0.5)]

describe('the order of suites', () => {
  it('is read from the address, and by need if it is none', () => {
    expect(parseSort('-rate')).toEqual({ column: 'rate', descending: true })
    expect(parseSort('runs')).toEqual({ column: 'runs', descending: false })
    for (const bogus of [undefined, null, '', 'cost', '--rate', ['rate']])
      expect(parseSort(bogus)).toEqual({ column: 'need', descending: false })
    expect(sortText(parseSort('-rate'))).toBe('-rate')
  })
  it('begins with the highest number, and turns round with a second click', () => {
    const first = nextSort(parseSort(undefined), 'rate')
    expect(first).toEqual({ column: 'rate', descending: true })
    expect(nextSort(first, 'rate')).toEqual({ column: 'rate', descending: false })
    expect(nextSort(first, 'name')).toEqual({ column: 'name', descending: false })
  })
  it('has suites without a value last in both directions, and equal ones by name', () => {
    expect(names(sortSuites(SUITES, parseSort(undefined)))).toBe('b a c')
    expect(names(sortSuites(SUITES, parseSort('-need')))).toBe('c a b')
    expect(names(sortSuites(SUITES, parseSort('name')))).toBe('a b c')
    expect(names(sortSuites(SUITES, parseSort('-name')))).toBe('c b a')
    expect(names(sortSuites(SUITES, parseSort('-runs')))).toBe('a b c')
    expect(names(sortSuites(SUITES, parseSort('rate')))).toBe('b c a')
    expect(names(sortSuites(SUITES, parseSort('-rate')))).toBe('c b a')
    expect(names(sortSuites(SUITES, parseSort('baseline')))).toBe('c a b')
    expect(names(sortSuites(SUITES, parseSort('cases')))).toBe('a b c')
    expect(names(sortSuites(SUITES, parseSort('last')))).toBe('a b c')
  })
})

it('filterSuites finds a part of the name or of the project', () => {
  expect(filterSuites(SUITES, '  ')).toBe(SUITES)
  expect(names(filterSuites(SUITES, 'P/B'))).toBe('b')
  expect(filterSuites(SUITES, 'zz')).toEqual([])
})
