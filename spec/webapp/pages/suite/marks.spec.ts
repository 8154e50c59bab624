import { describe, expect, it } from 'vitest'
import { changedParts, markClass, markWords, rowName, rowParts } from '../../../../webapp/pages/suite/grid/marks.ts'
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
    ['mixed', 'Trials disagree'],
    ['none', 'Not in this run'],
  ]))

describe('the name of a row', () => {
  it('is the name of the case, or the id of the test if that is shorter than a long name', () => {
    expect(rowName(row({ name: 'Greets' }))).toBe('Greets')
    expect(rowName(row({ name: 'A long sentence that says what the test is about', test_id: 'Greeting' }))).toBe(
      'Greeting',
    )
    expect(rowName(row({}))).toBe('t')
    expect(rowName(row({ test_id: null, name: '' }))).toBe('0123')
  })
  it('has the parts in which the rows differ', () => {
    const rows = [row({}), row({ provider_id: 'n', repeat: 1 })]
    expect(rows.map((each) => rowParts(each, rows))).toEqual([
      ['m', 'trial 1'],
      ['n', 'trial 2'],
    ])
    expect(rowParts(row({}), [row({})])).toEqual([])
  })
})

it('changedParts names what both runs recorded and what differs', () => {
  expect(changedParts(undefined, run({ prompts: 'a' }))).toEqual([])
  expect(changedParts(run({ prompts: 'a', asserts: 'x' }), run({ prompts: 'b', asserts: 'x' }))).toEqual(['prompts'])
  expect(changedParts(run({}), run({ prompts: 'b' }))).toEqual([])
})
