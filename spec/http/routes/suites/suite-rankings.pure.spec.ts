import { expect, it } from 'vitest'
import { suiteRankings } from '../../../../http/routes/suites/suite-rankings.ts'
import type { SuiteState } from '../../../../queries/sets/suite-states.ts'

const DAY_MS = 86_400_000
const HEAD = {
  id: 'r',
  project: 'chat',
  suite: 'smoke',
  created_at: 0,
  note: null,
  git_branch: null,
  git_commit: null,
  case_count: 4,
  pass_count: 4,
  pass_interval: null,
  fail_count: 0,
  error_count: 0,
}
const aState = (suite: string): SuiteState => ({
  set_key: suite,
  project: 'chat',
  suite,
  run_count: 3,
  latest_run_no: 3,
  baseline_run_id: null,
  baseline_cases: null,
  baseline_passed: null,
  baseline_interval: null,
  newest: { ...HEAD, suite },
  latest: [],
  days: [],
  facts: {
    change: null,
    measured: null,
    judge: null,
    like_run_count: 1,
    unit_count: 4,
    flaky: null,
    still_failing: { cases: 0, runs: 0 },
    usual_gap_ms: DAY_MS,
    variety: { runs: 3, providers: 1 },
    previous: null,
    pass_rates: [],
  },
})

it('ranks the same states once, until a state or the time changes', () => {
  const ranked = suiteRankings()
  const rank = (states: readonly SuiteState[], now: number) => ranked(states, now, new Map())
  const [a, b] = [aState('a'), aState('b')]
  const first = rank([a, b], DAY_MS)
  expect(first.counts).toMatchObject({ suites: 2, attention: 0, steady: 0, no_trend: 2 })
  expect(rank([a], DAY_MS).counts.suites).toBe(1)
  expect(rank([a, b], DAY_MS)).toBe(first)
  expect(rank([a, aState('b')], DAY_MS)).not.toBe(first)
  expect(rank([a, b], 30 * DAY_MS).counts.attention).toBe(2)
  expect(rank([a, b], DAY_MS)).not.toBe(first)
  // Only the rankings of the last few lists are kept.
  const last = rank([a], DAY_MS)
  for (let n = 0; n < 8; n++) rank([aState('other')], DAY_MS)
  expect(rank([a], DAY_MS)).not.toBe(last)
})

it('ranks again when a threshold changes, and by the thresholds of the suite', () => {
  const rank = suiteRankings()
  const change = { estimate: 1.4, lower: 1.3, upper: 1.5, p_value: 0.001, groups: 20, pairs: 20, from_cache: 0 }
  const state = aState('a')
  const states = [{ ...state, facts: { ...state.facts!, measured: { cost: change, latency: change } } }]
  const set = { until: null, run_no: null, texts: null, changed_at: 0, changed_by: null }
  const none = { newest_run_no: 3, owner: null, snooze: null, archive: null, cost: null, latency: null }
  const settings = (fields: object) => new Map([['["chat","a"]', { ...none, ...fields }]])
  const reason = (fields: object) => rank(states, DAY_MS, settings(fields)).ranked[0]?.attention.reason.code
  expect(reason({})).toBe('cost')
  expect(reason({ cost: { ...set, rise_percent: 50 } })).toBe('latency')
  expect(reason({ cost: { ...set, rise_percent: 50 }, latency: { ...set, rise_percent: 50 } })).toBe('other_cases')
  expect(reason({ owner: { ...set, rise_percent: null } })).toBe('cost')
  expect(rank(states, DAY_MS, settings({}))).toBe(rank(states, DAY_MS, new Map()))
})
