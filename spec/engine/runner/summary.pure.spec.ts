import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../../../engine/runner/run-document.ts'
import { summarize } from '../../../engine/runner/summary.ts'
import { engineCase } from '../../support/documents/engine-run.ts'

const finished = (more: Partial<CaseDocument>): CaseDocument => engineCase('t', more)
const graded = (cost?: number) =>
  ({
    kind: 'llm-rubric',
    status: 'pass',
    score: 1,
    weight: 1,
    reason: '',
    criteria: {},
    cached: false,
    ...(cost !== undefined && { cost_usd: cost }),
  }) as const

describe('the totals of a run', () => {
  it('of no cases name no money and no counters that may be absent', () => {
    expect(summarize([])).toEqual({
      total: 0,
      passed: 0,
      failed: 0,
      errored: 0,
      skipped: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cache_hits: 0,
      cache_misses: 0,
      retried_cases: 0,
    })
  })

  it('count every case once', () => {
    const statuses = ['pass', 'pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const
    expect(summarize(statuses.map((status) => finished({ status })))).toMatchObject({
      total: 7,
      passed: 2,
      failed: 1,
      errored: 1,
      skipped: 1,
      xfailed: 1,
      xpassed: 1,
    })
  })

  it('sum tokens, and count what was read from the cache of a provider as prompt', () => {
    const usage = { input_tokens: 10, output_tokens: 3, cache_read_tokens: 5, cache_write_tokens: 2 }
    expect(summarize([finished({ usage }), finished({ usage: { input_tokens: 1, output_tokens: 1 } })])).toMatchObject({
      prompt_tokens: 16,
      completion_tokens: 4,
      cache_read_tokens: 5,
      cache_write_tokens: 2,
    })
  })

  it('sum money in micro-USD; cached cases cost and save', () => {
    const cases = [
      finished({ cost_usd: 0.1, asserts: [graded(0.000001), graded()] }),
      finished({ cost_usd: 0.2, cached: true }),
      finished({}),
    ]
    expect(summarize(cases)).toMatchObject({ cost_usd: 0.3, cache_savings_usd: 0.2, grader_cost_usd: 0.000001 })
    expect(summarize([finished({ cost_usd: 0 })])).toMatchObject({ cost_usd: 0 })
    expect(summarize([finished({ cost_usd: 0, cached: true })])).not.toHaveProperty('cache_savings_usd')
  })

  it('count retries of calls that were sent', () => {
    const cases = [finished({ attempts: 2 }), finished({ attempts: 3, cached: true }), finished({})]
    expect(summarize(cases)).toMatchObject({ retried_cases: 1, cache_hits: 1, cache_misses: 2 })
  })

  it('count empty outputs by reason, whatever the status, and fallbacks but for skipped cases', () => {
    const cases = [
      finished({ empty_reason: 'refusal', status: 'skip', answered_by_provider_id: 'b' }),
      finished({ empty_reason: 'blank', status: 'error', answered_by_provider_id: 'b' }),
      finished({ empty_reason: 'refusal' }),
      finished({ empty_reason: '' }),
    ]
    expect(summarize(cases)).toMatchObject({ empty_counts: { blank: 1, refusal: 2 }, fallback_cases: 1 })
  })
})
