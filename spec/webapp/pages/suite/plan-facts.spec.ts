import { describe, expect, it } from 'vitest'
import { attemptWords, demands, registerCommand, stateTags } from '../../../../webapp/pages/suite/plans/plan-facts.ts'
import type { PlanView } from '../../../../webapp/pages/suite/plans/plan-facts.ts'

const PLAN: PlanView = {
  id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
  project: 'chat',
  suite: 'smoke',
  plan_sha256: 'ab'.repeat(32),
  plan_bytes: 10,
  config_digest: null,
  metric: null,
  comparator: null,
  threshold: null,
  case_count: null,
  registered_by: null,
  registered_at: '2026-05-01T09:00:00+00:00',
  revealed_at: null,
  withdrawn_at: null,
  attempts: 0,
}

describe('a plan of a suite', () => {
  it('shows what it demands', () => {
    expect(demands(PLAN)).toEqual([])
    expect(demands({ ...PLAN, comparator: '>=', threshold: 0.9, case_count: 1 })).toEqual([
      'pass rate at least 90.0%',
      '1 case',
    ])
    expect(demands({ ...PLAN, comparator: '>', threshold: 0.955, case_count: 1200 })).toEqual([
      'pass rate above 95.5%',
      '1,200 cases',
    ])
  })

  it('keeps all digits of its threshold', () =>
    expect(demands({ ...PLAN, comparator: '>', threshold: 0.9995 })).toEqual(['pass rate above 99.95%']))

  it('shows whether its text was known when it was registered, and whether it was withdrawn', () => {
    const at = '2026-05-02T09:00:00+00:00'
    expect(stateTags(PLAN)).toEqual([])
    expect(stateTags({ ...PLAN, revealed_at: at })).toEqual([{ words: 'text revealed later', isWarning: false }])
    expect(stateTags({ ...PLAN, plan_bytes: null, withdrawn_at: at })).toEqual([
      { words: 'withdrawn', isWarning: true },
      { words: 'text not revealed', isWarning: false },
    ])
  })

  it('shows how often it was tried', () =>
    expect([0, 1, 1500].map((attempts) => attemptWords({ ...PLAN, attempts }))).toEqual([
      'no run yet',
      '1 attempt',
      '1,500 attempts',
    ]))

  it('waits for no run once it is withdrawn', () =>
    expect(attemptWords({ ...PLAN, withdrawn_at: '2026-05-02T09:00:00+00:00' })).toBe('no run'))

  it('is registered by a command that a shell reads as meant', () =>
    expect(registerCommand({ project: "it's", suite: 'a b' })).toBe(
      String.raw`ers plan register plan.md --project 'it'\''s' --suite 'a b' --pass-rate '>=0.9'`,
    ))
})
