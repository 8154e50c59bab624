import { expect, it } from 'vitest'
import { concerns, type LiveScope } from '../../../webapp/live/live-scope.ts'

const set = { project: 'p', suite: 's' }
const run = { runs: [{ id: 'r', ...set }], baselines: [], sets: [set] }
const baseline = { runs: [], baselines: [set], sets: [set] }

const CASES: ReadonlyArray<readonly [LiveScope, boolean, boolean]> = [
  [{}, true, true],
  [{ baselines: false }, true, false],
  [{ run: 'r' }, true, true],
  [{ run: 'other', baselines: false }, false, false],
  [{ project: 'p' }, true, true],
  [{ project: 'p', suite: 's' }, true, true],
  [{ project: 'p', suite: null }, false, false],
  [{ project: 'q' }, false, false],
  [{ project: undefined, suite: 's' }, true, true],
]

it.each(CASES)('the scope of a query %j: a run of p / s %j, its baseline %j', (scope, byRun, byBaseline) =>
  expect([concerns(scope, run), concerns(scope, baseline)]).toEqual([byRun, byBaseline]),
)

const review = { runs: [], baselines: [], reviews: [{ id: 'q', ...set }], sets: [set] }
it.each([
  [{}, false],
  [{ reviews: 'too' }, true],
  [{ reviews: 'only', queue: 'q' }, true],
  [{ reviews: 'only', queue: 'other' }, false],
  [{ reviews: 'only', project: 'other' }, false],
] as const)('data of %j depends on what happens in a queue: %s', (scope, expected) => {
  expect(concerns(scope, review)).toBe(expected)
})

it('data of review queues alone depends on no run', () => {
  expect([run, baseline].map((change) => concerns({ reviews: 'only' }, change))).toEqual([false, false])
})
