import { describe, expect, it } from 'vitest'
import { matchesCase, type CaseFacets } from '../../../domain/lists/case-filters.ts'

const ROW = {
  status: 'fail',
  provider_id: 'model',
  prompt_id: 'terse',
  test_id: 't',
  stop_reason: 'end_turn',
  error_class: 'timeout',
  empty_reason: null,
  cached: true,
  score: 0.5,
  latency_ms: 100,
  tags: ['slow', 'a]b'],
} as const

const MATCHING: readonly CaseFacets[] = [
  {},
  { status: 'fail', provider: 'model', prompt: 'terse', test: 't', stop_reason: 'end_turn', error_class: 'timeout' },
  { tag: 'a]b', cached: true },
  { score_from: 0.5, score_below: 0.6, latency_from: 100, latency_below: 101 },
]
const OTHERS: readonly CaseFacets[] = [
  { status: 'pass' },
  { provider: 'Model' },
  { tag: 'slo' },
  { cached: false },
  { empty_reason: 'refusal' },
  { error_class: 'unknown' },
  { score_from: 0.51 },
  { score_below: 0.5 },
  { latency_from: 101 },
  { latency_below: 100 },
]

describe('the filters of a case list', () => {
  it.each(MATCHING)('list a case that has all values: %o', (filters) => expect(matchesCase(filters, ROW)).toBe(true))
  it.each(OTHERS)('leave out any other: %o', (filters) => expect(matchesCase(filters, ROW)).toBe(false))

  it('take an error without a class for one of an unknown class', () => {
    const unknown = { error_class: 'unknown' }
    expect(matchesCase(unknown, { ...ROW, status: 'error', error_class: null })).toBe(true)
    expect(matchesCase(unknown, { ...ROW, error_class: null })).toBe(false)
  })

  it('leave out of a range what was not measured', () => {
    expect(matchesCase({ latency_below: 1 }, { ...ROW, latency_ms: 0 })).toBe(false)
    expect(matchesCase({ score_from: -1 }, { ...ROW, score: null })).toBe(false)
    expect(matchesCase({ cached: false }, { ...ROW, cached: null })).toBe(true)
  })
})
