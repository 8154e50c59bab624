import { describe, expect, it } from 'vitest'
import { attentionOf, reasonText, type SuiteFacts } from '../../../domain/series/attention.ts'
import type { MeasureChange, SeriesChange } from '../../../domain/series/change.ts'
import { mcnemar } from '../../../domain/statistics/statistics.ts'

const closeTo = (value: number): unknown => expect.closeTo(value, 12)
const DAY_MS = 86_400_000
const NOW = 100 * DAY_MS

const aChange = ({ worse = 0, better = 0, lost = 0, regained = 0 }: Partial<SeriesChange> = {}): SeriesChange => ({
  worse,
  better,
  lost,
  regained,
  p: mcnemar(worse, better).p_value,
  p_with_lost: mcnemar(worse + lost, better + regained).p_value,
  has_trials: false,
})
const someFacts = (facts: Partial<SuiteFacts> = {}): SuiteFacts => ({
  run_count: 20,
  has_baseline: false,
  newest: { created_at: NOW - DAY_MS, case_count: 40, pass_count: 20, error_count: 0 },
  previous: { created_at: NOW - 2 * DAY_MS, case_count: 40, pass_count: 20 },
  change: aChange(),
  measured: null,
  judge: null,
  like_run_count: 20,
  unit_count: 40,
  flaky: 0,
  still_failing: { cases: 0, runs: 0 },
  usual_gap_ms: DAY_MS,
  variety: { runs: 20, providers: 1 },
  ...facts,
})
const aRatio = (estimate: number, p_value = 0.001, groups = 180): MeasureChange => ({
  estimate,
  lower: estimate / 1.1,
  upper: estimate * 1.1,
  p_value,
  groups,
  pairs: groups,
  from_cache: 0,
})
/** Of a suite that is alone, the adjusted p-values are the p-values. */
const adjusted = ({ measured }: Partial<SuiteFacts>) => ({
  change: null,
  cost: measured?.cost?.p_value ?? null,
  latency: measured?.latency?.p_value ?? null,
})
const newest = (more: Partial<SuiteFacts['newest']>) => ({ ...someFacts().newest, ...more })
const describeFacts = (facts: Partial<SuiteFacts>) => {
  const { group, reason } = attentionOf(someFacts(facts), adjusted(facts), NOW)
  return [group, reason.code, reasonText(reason)]
}

describe('what a suite needs', () => {
  it.each<[Partial<SuiteFacts>, readonly [string, string, string]]>([
    [{ judge: { metrics: 1, differs: ['model'] } }, ['attention', 'judge', 'The judge changed (model)']],
    [
      { judge: { metrics: 2, differs: ['model', 'include_tool_calls'] } },
      ['attention', 'judge', 'The judges of 2 metrics changed (model, include tool calls)'],
    ],
    [
      { change: aChange({ worse: 1, lost: 5 }), newest: newest({ pass_count: 14 }) },
      ['attention', 'lost', 'Down 15.0 points: 5 passes no longer run; 1 worse, 0 better'],
    ],
    [{ change: aChange({ worse: 9, better: 1 }) }, ['attention', 'worse', '9 worse, 1 better']],
    [{ change: aChange({ lost: 6 }) }, ['attention', 'lost', '6 passes no longer run']],
    [{ change: aChange({ worse: 7, lost: 2 }) }, ['attention', 'worse', '7 worse, 0 better, 2 passes no longer run']],
    [{ change: aChange({ lost: 3 }) }, ['steady', 'too_few', '3 passes no longer run']],
    [
      { still_failing: { cases: 2, runs: 3 } },
      ['steady', 'unchanged', 'No case changed; 2 cases that passed before still fail (for up to 3 runs)'],
    ],
    [
      { change: aChange({ better: 1 }), still_failing: { cases: 1, runs: 2 } },
      ['steady', 'too_few', '0 worse, 1 better: too few to call; 1 case that passed before still fails (for 2 runs)'],
    ],
    [
      { measured: { cost: aRatio(1.4), latency: aRatio(8.5) } },
      ['attention', 'cost', 'A typical case costs 1.4 times as much, 180 shared cases'],
    ],
    [
      { measured: { cost: aRatio(1.24), latency: aRatio(8.5) }, flaky: 12 },
      ['attention', 'latency', 'A typical case takes 8.5 times as long, 180 shared cases'],
    ],
    [{ measured: { cost: aRatio(0.5), latency: aRatio(2, 0.05) } }, ['steady', 'unchanged', 'No case changed']],
    [{ measured: { cost: aRatio(2, 0.001, 5), latency: null } }, ['steady', 'unchanged', 'No case changed']],
    [{ flaky: 9 }, ['attention', 'flaky', '9 cases flip between pass and fail']],
    [{ flaky: 3, unit_count: 30 }, ['attention', 'flaky', '3 cases flip between pass and fail']],
    [{ flaky: 10, unit_count: 5000 }, ['attention', 'flaky', '10 cases flip between pass and fail']],
    [
      { newest: newest({ error_count: 1, pass_count: 24 }) },
      ['attention', 'errors', '1 case ended in error; up 10.0 points'],
    ],
    [{ newest: newest({ error_count: 2 }) }, ['attention', 'errors', '2 cases ended in error']],
    [
      { newest: newest({ created_at: NOW - 23 * DAY_MS }), usual_gap_ms: 15 * DAY_MS },
      ['attention', 'stale', 'No run for 23 days, usually every 15 days'],
    ],
    [
      { newest: newest({ created_at: NOW - 23 * DAY_MS }), usual_gap_ms: DAY_MS / 4 },
      ['attention', 'stale', 'No run for 23 days, usually every 6 hours'],
    ],
    [
      { newest: newest({ created_at: NOW - 23 * DAY_MS }), usual_gap_ms: 30 * DAY_MS },
      ['steady', 'unchanged', 'No case changed'],
    ],
    [{ newest: newest({ created_at: NOW - 13 * DAY_MS }) }, ['steady', 'unchanged', 'No case changed']],
    [
      { change: aChange({ better: 8 }), newest: newest({ pass_count: 28 }) },
      ['steady', 'better', 'Up 20.0 points: 0 worse, 8 better'],
    ],
    [{ change: aChange({ worse: 1 }), flaky: 3 }, ['steady', 'too_few', '1 worse, 0 better: too few to call']],
    [{ change: aChange({ worse: 5 }) }, ['steady', 'too_few', '5 worse, 0 better: too few to call']],
    [
      { change: aChange({ worse: 37, better: 49 }) },
      ['steady', 'no_clear_change', '37 worse, 49 better: no clear change'],
    ],
    [
      { change: aChange({ lost: 1, regained: 1 }) },
      ['steady', 'too_few', '1 pass no longer runs, 1 skipped before now passes'],
    ],
    [
      { change: null, previous: null, flaky: null, run_count: 1, usual_gap_ms: null },
      ['no_trend', 'first_run', 'First run'],
    ],
    [
      { change: null, previous: null, run_count: 1, has_baseline: true, usual_gap_ms: null },
      ['no_trend', 'first_run', 'First run, pinned as the baseline'],
    ],
    [
      { change: null, previous: null, run_count: 19, variety: { runs: 19, providers: 19 } },
      ['no_trend', 'other_providers', '19 runs, each another model'],
    ],
    [
      { change: null, previous: null, run_count: 3, variety: { runs: 3, providers: 1 } },
      ['no_trend', 'other_cases', "3 runs, none with most of the newest run's cases"],
    ],
  ])('%j', (facts, expected) => expect(describeFacts(facts)).toEqual(expected))

  it('is the first reason that applies', () => {
    const all: Partial<SuiteFacts> = {
      change: aChange({ worse: 10 }),
      judge: { metrics: 1, differs: ['model'] },
      measured: { cost: aRatio(2), latency: aRatio(3) },
      flaky: 12,
      newest: newest({ error_count: 3, created_at: 0 }),
    }
    expect(describeFacts(all)[1]).toBe('worse')
    expect(describeFacts({ ...all, change: aChange() })[1]).toBe('judge')
    const rest = { ...all, change: aChange(), judge: null }
    expect(describeFacts(rest)[1]).toBe('cost')
    expect(describeFacts({ ...rest, measured: null })[1]).toBe('flaky')
    expect(describeFacts({ ...rest, measured: null, flaky: null })[1]).toBe('errors')
  })

  it('has the ratio of a measure with its interval, and judges by the adjusted p-value', () => {
    const measured = { cost: null, latency: aRatio(2) }
    const at = (latency: number | null) =>
      attentionOf(someFacts({ measured }), { change: null, cost: null, latency }, NOW)
    expect(at(0.04)).toEqual({
      group: 'attention',
      reason: {
        code: 'latency',
        ratio: 2,
        lower: closeTo(2 / 1.1),
        upper: closeTo(2.2),
        pairs: 180,
        p: 0.001,
        q: 0.04,
      },
      order: [0, 2, -2],
    })
    expect([at(0.06).group, at(null).group]).toEqual(['steady', 'steady'])
  })

  it.each([
    [1.24, {}, 'unchanged'],
    [1.25, {}, 'cost'],
    [1.49, { cost: 50 }, 'unchanged'],
    [1.5, { cost: 50, latency: 900 }, 'cost'],
    [1.1, { cost: 10 }, 'cost'],
    [1, { cost: 0 }, 'cost'],
    [1.4, { latency: 900 }, 'cost'],
  ])('is a ratio of %d with the thresholds %j: %s', (ratio, thresholds, code) => {
    const facts = { measured: { cost: aRatio(ratio), latency: null } }
    expect(attentionOf(someFacts(facts), adjusted(facts), NOW, thresholds).reason.code).toBe(code)
  })

  it('has the numbers of its reason', () =>
    expect(
      attentionOf(
        someFacts({ change: aChange({ worse: 6, lost: 2 }), newest: newest({ pass_count: 12 }) }),
        { change: 0.25, cost: null, latency: null },
        NOW,
      ),
    ).toEqual({
      group: 'attention',
      reason: { code: 'worse', worse: 6, better: 0, lost: 2, regained: 0, p: closeTo(0.03125), q: 0.25, points: -20 },
      order: [0, 0, closeTo(0.03125)],
    }))
})
