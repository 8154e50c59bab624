import { describe, expect, it } from 'vitest'
import { assertRows } from '../../../../webapp/pages/history/assert-rows.ts'
import { changeLanes, laneScale, scaleTicks, share } from '../../../../webapp/pages/history/lanes.ts'
import type { HistoryRun } from '../../../../webapp/pages/history/use-history.ts'

const run = (changed: Partial<HistoryRun>) =>
  ({
    prompt_changed: null,
    model_changed: null,
    provider_changed: null,
    asserts_changed: null,
    ...changed,
  }) as HistoryRun

describe('changeLanes', () => {
  it('says what is unchanged and what was not recorded, and shows rare lanes only with a change', () => {
    expect(changeLanes([run({}), run({ prompt_changed: false })])).toEqual([
      { label: 'Prompt', at: [], words: 'unchanged' },
      { label: 'Model', at: [], words: 'not recorded' },
    ])
    expect(changeLanes([run({}), run({ model_changed: true, asserts_changed: true })])).toEqual([
      { label: 'Prompt', at: [], words: 'digest not recorded' },
      { label: 'Model', at: [1], words: null },
      { label: 'Assertions', at: [1], words: null },
    ])
  })
  it('draws no change before the oldest run, whose earlier run is not shown', () =>
    expect(changeLanes([run({ prompt_changed: true }), run({ prompt_changed: false })])[0]?.at).toEqual([]))
})

describe('the scale of latencies', () => {
  it('is linear for values of one size', () => {
    const scale = laneScale([850, 1_900])
    expect(scale).toEqual({ isLog: false, from: 0, to: 2_000 })
    expect(scale && [scaleTicks(scale), share(scale, 1_000)]).toEqual([[0, 1_000, 2_000], 0.5])
  })
  it('is logarithmic over powers of ten for values that differ much', () => {
    const scale = laneScale([800, 366_000])
    expect(scale).toEqual({ isLog: true, from: 100, to: 1_000_000 })
    expect(scale && scaleTicks(scale)).toEqual([100, 10_000, 1_000_000])
    expect(scale && share(scale, 10_000)).toBeCloseTo(0.5)
  })
  it('is none without values', () => expect(laneScale([])).toBeNull())
})

describe('assertRows', () => {
  const assertion = (kind: string, status: string, reason: string, criteria: unknown = undefined) =>
    ({ kind, status, reason, criteria, score: 0, weight: 1 }) as never
  it('pairs assertions by kind and definition, those that changed first', () =>
    expect(
      assertRows(
        [assertion('contains', 'pass', 'a', { type: 'contains', value: 'x' }), assertion('regex', 'pass', 'b')],
        [assertion('contains', 'pass', 'c', { type: 'contains', value: 'x' }), assertion('regex', 'fail', 'd')],
      ),
    ).toEqual([
      { name: 'regex', before: 'pass', after: 'fail', isFlipped: true, reason: 'd' },
      { name: 'contains x', before: 'pass', after: 'pass', isFlipped: false, reason: 'c' },
    ]))
  it('has assertions of one side too', () =>
    expect(assertRows([assertion('length', 'skipped', 'a')], [])).toEqual([
      { name: 'length', before: 'skip', after: null, isFlipped: true, reason: 'a' },
    ]))
})
