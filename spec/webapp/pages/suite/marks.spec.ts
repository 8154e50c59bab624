import { expect, it } from 'vitest'
import { changedParts, markClass, markWords, rampSteps, rowParts } from '../../../../webapp/pages/suite/grid/marks.ts'
import type { GridRow, GridRun } from '../../../../webapp/pages/suite/grid/marks.ts'

const row = (fields: Partial<GridRow>): GridRow => ({
  case_key: '0123',
  test_id: 't',
  provider_id: 'm',
  prompt_id: null,
  repeat: 0,
  name: null,
  marks: 'pf',
  flips: 1,
  last_change: null,
  passed: 1,
  counted: 2,
  ...fields,
})
const run = (digests: Partial<GridRun['digests']>) =>
  ({ digests: { prompts: null, providers: null, tests: null, asserts: null, grader: null, ...digests } }) as GridRun

it('each mark has a class and words', () =>
  expect([...'pfesxX~.'].map((mark) => [markClass(mark), markWords(mark)])).toEqual([
    ['pass', 'Pass'],
    ['fail', 'Fail'],
    ['error', 'Error'],
    ['skip', 'Skip'],
    ['xfail', 'Expected fail'],
    ['xpass', 'Unexpected pass'],
    ['mixed', 'Results disagree'],
    ['none', 'Not in this run'],
  ]))

it('the name of a row has the parts in which the rows differ', () => {
  const rows = [row({}), row({ provider_id: 'n', repeat: 1 })]
  expect(rows.map((each) => rowParts(each, rows))).toEqual([
    ['m', 'trial 1'],
    ['n', 'trial 2'],
  ])
  expect(rowParts(row({}), [row({})])).toEqual([])
})

it('changedParts names what both runs recorded and what differs', () => {
  expect(changedParts(undefined, run({ prompts: 'a' }))).toEqual([])
  expect(changedParts(run({ prompts: 'a', asserts: 'x' }), run({ prompts: 'b', asserts: 'x' }))).toEqual(['prompts'])
  expect(changedParts(run({}), run({ prompts: 'b' }))).toEqual([])
})

it('values of a row have steps around its own median, and scores between 0 and 1', () => {
  expect(rampSteps([100, 50, 200, null, 10, 1_000, 100], false)).toEqual([4, 0, 8, null, 0, 8, 4])
  expect(rampSteps([0, 0, 5], false)).toEqual([4, 4, 8])
  expect(rampSteps([0, 0.5, 1, 7, null], true)).toEqual([0, 4, 8, 8, null])
  expect(rampSteps([], false)).toEqual([])
})
