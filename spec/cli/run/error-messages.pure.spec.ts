import { describe, expect, it } from 'vitest'
import { errorMessages } from '../../../cli/run/error-messages.ts'
import type { CaseDocument } from '../../../engine/runner/run-document.ts'

const item = (status: CaseDocument['status'], error?: string): CaseDocument => ({
  cell: { provider_id: 'bot', test_id: 't', repeat: 0 },
  case_key: 'k',
  status,
  score: 0,
  asserts: [],
  latency_ms: 0,
  cached: false,
  attempts: 1,
  ...(error === undefined ? {} : { error }),
})

describe('the messages of cases with errors', () => {
  it('are printed once each with their counts, the most frequent first', () =>
    expect(
      errorMessages({
        cases: [item('error', 'a'), item('error', 'b'), item('fail', 'c'), item('error', 'b'), item('pass')],
      }),
    ).toEqual(['2 cases: b', '1 case: a']))

  it('are one where only the cache key differs', () => {
    const message = (digit: string) => `/c/${digit.repeat(2)}/${digit.repeat(64)}.json cannot be read`
    expect(errorMessages({ cases: [item('error', message('a')), item('error', message('b'))] })).toEqual([
      `2 cases: ${message('a')}`,
    ])
  })

  it('are at most five', () => {
    const cases = Array.from({ length: 7 }, (_, index) => item('error', `m${index}`))
    expect(errorMessages({ cases })).toEqual([
      ...[0, 1, 2, 3, 4].map((index) => `1 case: m${index}`),
      'further messages of cases: 2',
    ])
    expect(errorMessages({ cases: [] })).toEqual([])
  })
})
