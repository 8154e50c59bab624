import { describe, expect, it } from 'vitest'
import { statusCounts, runDuration, runTokens } from '../../../webapp/runs/run-counts.ts'

describe('the counts of a run', () => {
  it('count a case as skipped if no other counter includes it', () =>
    expect(
      statusCounts({ case_count: 40, pass_count: 10, fail_count: 9, error_count: 1, xfail_count: 2, xpass_count: 1 }),
    ).toEqual({ pass: 10, fail: 9, error: 1, skip: 17, xfail: 2, xpass: 1 }))
  it('are never negative', () =>
    expect(
      statusCounts({ case_count: 1, pass_count: 1, fail_count: 1, error_count: 0, xfail_count: 0, xpass_count: 0 })
        .skip,
    ).toBe(0))
  it('limit the sum of tokens to 2^53 - 1', () =>
    expect(runTokens({ prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: Number.MAX_SAFE_INTEGER })).toBe(
      Number.MAX_SAFE_INTEGER,
    ))
  it('have null, not zero, for missing tokens and duration', () => {
    expect([
      runTokens({ prompt_tokens: 0, completion_tokens: 0 }),
      runTokens({ prompt_tokens: 0, completion_tokens: 4 }),
    ]).toEqual([null, 4])
    expect([runDuration({ duration_ms: 0 }), runDuration({ duration_ms: 12 })]).toEqual([null, 12])
  })
})
