import { expect, it } from 'vitest'
import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import type { SuiteJudges } from '../../../../queries/reviews/judges.ts'
import {
  blindWords,
  differingFields,
  findingWords,
  methodWords,
  nextPlan,
} from '../../../../webapp/pages/calibration/calibration-texts.ts'
import { newestJudged } from '../../../../webapp/pages/calibration/use-calibration.ts'
import { newQueueAddress } from '../../../../webapp/reviews/review-address.ts'

/** A calibration that has these members; the others are not read. */
const of = (members: object) => members as RunCalibration
const judge = {
  ...{ kind: 'llm-rubric' as const, type: null, model: 'm-1', params: {}, template: 'builtin/1' },
  ...{ include_tool_calls: false, negate: false, threshold: 0.5, program: null },
}

it('a judge is said to pass too much only where the interval of people is below its rate', () => {
  const rate = { reason: null }
  expect(findingWords(of({ state: 'good', finding: 'passes_too_much', rate }))).toBe('The judge passes too much')
  expect(findingWords(of({ state: 'good', finding: 'no_clear_difference', rate }))).toContain('No clear difference')
  expect(findingWords(of({ state: 'weak', finding: null, rate: { reason: 'few_labels' } }))).toBe('Not calibrated')
  expect(findingWords(of({ state: 'none', finding: null, rate: { reason: 'no_labels' } }))).toBe(
    'Not checked by people',
  )
  expect(methodWords(of({ method: 'carried_over' }))).toContain('assumes that the judge errs as it did there')
  expect(methodWords(of({ method: null }))).toBeNull()
})

it('two judges differ in members, and labels in how blind they were', () => {
  expect(differingFields(judge, { ...judge, model: 'm-2', include_tool_calls: true })).toEqual([
    'model',
    'include tool calls',
  ])
  const given = { labels: 4, people: 2, enforced: 3, trusted: 1, unknown: 0, recognised: 0, own_run: 0 }
  expect(blindWords(given)).toBe('75.0% enforced, 25.0% trusted')
})

it('the next queue has the numbers of the first plan that can be followed', () => {
  const plan = { half_width: 0.05, labels: 80, more: { passed: 20, failed: 4 }, reason: null, run_half_width: 0.02 }
  const done = { ...plan, more: { passed: 0, failed: 0 } }
  expect(nextPlan(of({ plans: [done, { ...plan, more: null, reason: 'too_few_cases' }, plan] }))).toBe(plan)
  expect(nextPlan(of({ plans: [] }))).toBeNull()
  const suite = { project: 'chat', suite: 'tone' }
  expect(newQueueAddress({ ...suite, run: 'r', metric: 'kind', ...plan.more })).toEqual({
    name: 'new-queue',
    query: { ...suite, run: 'r', metric: 'kind', passed: '20', failed: '4' },
  })
  expect(newQueueAddress({ ...suite, metric: null }).query).toEqual({ ...suite, target: 'case' })
})

it('the newest run is that of the judge that decided last', () => {
  const ran = (id: string, created_at: string) => ({
    ...{ judge_id: id, judge, passed: 1, failed: 1, other: 0, runs: 1 },
    ...{ first_run: { id, created_at }, last_run: { id, created_at } },
  })
  const judges: SuiteJudges = {
    ...{ project: 'chat', suite: 'tone' },
    metrics: [
      { metric: 'a', kind: 'llm-rubric', is_judge: true, judges: [ran('one', '2026-05-01'), ran('two', '2026-05-03')] },
      { metric: 'b', kind: 'exec', is_judge: false, judges: [ran('three', '2026-05-09')] },
    ],
  }
  expect([newestJudged(judges, 'a'), newestJudged(judges, null), newestJudged(judges, 'b')]).toEqual([
    'two',
    'two',
    null,
  ])
})
