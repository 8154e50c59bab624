import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  casesCsvPath,
  casesPath,
  readCaseFilters,
  parseRange,
  parseTyped,
  rangeText,
  valueWords,
} from '../../../webapp/cases/case-filters.ts'

describe('the filters in an address', () => {
  it('include only the filters of cases', () =>
    expect(readCaseFilters({ status: 'fail', tag: 'a b', view: 'raw' })).toEqual({ status: 'fail', tag: 'a b' }))
  it('ignore invalid values', () =>
    expect(
      readCaseFilters({
        status: 'broken',
        cached: 'maybe',
        score: 'high',
        latency: '9..1',
        q: '',
        tag: ['a', 'b'],
        test: 'x',
      }),
    ).toEqual({ test: 'x' }))
  it('become query parameters of the server', () =>
    expect(casesPath('a/b', { q: 'x', status: 'fail' }, { limit: 9, cursor: null })).toBe(
      '/runs/a%2Fb/cases?q=x&status=fail&limit=9',
    ))
  it('are in the address of the CSV file, which begins with a byte order mark', () =>
    expect(casesCsvPath('a/b', { status: 'fail' }, { sort: 'latency', order: 'desc' })).toBe(
      '/api/v1/runs/a%2Fb/cases.csv?status=fail&sort=latency&order=desc&bom=true',
    ))
  it('use the distribution route if score or latency is set', () =>
    expect(casesPath('r', { q: 'x', score: '0.5..0.75', latency: '1200..' }, { cursor: 3 })).toBe(
      '/runs/r/distribution/cases?q=x&score_from=0.5&score_below=0.75&latency_from=1200&cursor=3',
    ))
})

describe('a range', () => {
  it('round-trips through its text', () =>
    fc.assert(
      fc.property(fc.integer(), fc.option(fc.integer({ min: 1, max: 1e6 })), (from, more) => {
        const range = { from, below: more === null ? null : from + more }
        expect(parseRange(rangeText(range))).toEqual(range)
      }),
    ))
  it('is null if it is empty, reversed or not numeric', () =>
    expect(['', '..', '..5', '5..5', '6..5', 'a..b', '1', undefined].map(parseRange)).toEqual(Array(8).fill(null)))
})

it('valueWords describes values in words', () => {
  expect(valueWords('status', 'xpass')).toBe('Unexpected pass')
  expect(valueWords('latency', '1200..3400')).toBe('1.2 s to 3.4 s')
  expect(valueWords('latency', '1200..')).toBe('1.2 s or more')
  expect(valueWords('score', '0.5..0.75')).toBe('.50 to .75')
  expect(valueWords('cached', 'false')).toBe('no')
  expect(valueWords('tag', 'refund')).toBe('refund')
})

describe('typed text', () => {
  it('is a filter if it names one', () => {
    expect(parseTyped('tag:refund')).toEqual({ name: 'tag', value: 'refund' })
    expect(parseTyped('Stop reason: end_turn')).toEqual({ name: 'stop_reason', value: 'end_turn' })
  })
  it('is a text to search for if it names no filter', () =>
    expect(['hello', 'tag:', 'http://x', 'status:broken'].map(parseTyped)).toEqual([null, null, null, null]))
})
