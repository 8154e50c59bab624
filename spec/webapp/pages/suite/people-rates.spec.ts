import { expect, it } from 'vitest'
import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import { peopleRates } from '../../../../webapp/pages/suite/people-rates.ts'

const run = (run_id: string, metric: string | null, more: Partial<RunCalibration> = {}): RunCalibration =>
  // Safe: nothing else of a run is read.
  ({
    run_id,
    metric,
    state: 'good',
    rate: { reason: null, estimate: 0.5, lower: 0.4, upper: 0.6 },
    ...more,
  }) as RunCalibration
const idsOf = (...runs: RunCalibration[]) => [...peopleRates(runs).keys()]

it('draws one line of the metric of the newest run alone, where its calibration is good', () => {
  const runs = [run('d', 'tone'), run('c', 'facts'), run('b', null), run('a', 'tone')]
  expect(idsOf(...runs)).toEqual(['d', 'a'])
  expect(idsOf(run('b', null), run('a', null), run('0', 'tone'))).toEqual(['b', 'a'])
  expect(idsOf(run('b', 'tone', { state: 'stale' }), run('a', 'tone'), run('0', 'facts'))).toEqual(['a'])
  expect(peopleRates(runs).get('a')).toMatchObject({ value: 0.5, lower: 0.4, upper: 0.6 })
  expect(peopleRates([])).toEqual(new Map())
})
