import { describe, expect, it } from 'vitest'
import type { CaseDetail } from '../../../../queries/cases/cases.ts'
import {
  flipTitle,
  flipWords,
  sharedNameIds,
  type ComparedCase,
} from '../../../../webapp/pages/compare/cases/changes.ts'
import {
  assertionName,
  assertionPairs,
  callText,
  fromFirstFailure,
  scoreText,
  thresholdText,
} from '../../../../webapp/pages/compare/cases/flips.ts'
import { compareSettings } from '../../../../webapp/pages/compare/config/settings.ts'
import { comparePage, runsIn, runsText } from '../../../../webapp/runs/compared-runs.ts'
import { chanceWords, formatP, formatPoints, formatSigned } from '../../../../webapp/text/signed.ts'

type Assertion = CaseDetail['asserts'][number]
const assertion = (status: Assertion['status'], others: Partial<Assertion> = {}): Assertion => ({
  kind: 'llm-rubric',
  status,
  score: status === 'pass' ? 1 : 0,
  weight: 1,
  reason: '',
  cached: false,
  ...others,
})

it.each([
  ['with a name of its own', [['a', 'tests/one']], []],
  [
    'whose name others have',
    [
      ['a', 'tests/one'],
      ['b', 'two'],
      ['a', 'tests::three'],
    ],
    ['one', 'three'],
  ],
  [
    'whose ids end alike',
    [
      ['a', 'x/one'],
      ['a', 'y/one'],
    ],
    ['x/one', 'y/one'],
  ],
  [
    'of one test',
    [
      ['a', 'one'],
      ['a', 'one'],
    ],
    [],
  ],
  [
    'whose test has no name',
    [
      [null, 'one'],
      [null, 'two'],
    ],
    [],
  ],
] as const)('a case %s: %j has after its name %j', (_, cases, ids) => {
  const items = cases.map(([name, test_id]) => ({ name, test_id }) as ComparedCase)
  expect([...sharedNameIds(items).values()]).toEqual(ids)
})

describe('assertions of two cases', () => {
  it('are paired, with those that flipped first', () => {
    const [same, flipped] = [assertion('fail'), assertion('pass', { kind: 'contains' })]
    const pairs = assertionPairs([same, flipped], [same, { ...flipped, status: 'fail' }])
    expect(pairs.map(({ base, isFlipped }) => [base.kind, isFlipped])).toEqual([
      ['contains', true],
      ['llm-rubric', false],
    ])
  })
  it('are named by their criteria or metric, then by their judge, and by their kind only without a name', () => {
    expect(assertionName(assertion('pass', { criteria: { name: 'complete' }, details: { judge: 'o3' } }))).toEqual({
      name: 'complete',
      judge: 'o3',
    })
    expect(assertionName(assertion('pass', { details: { metric: 'accuracy' } }))).toEqual({
      name: 'accuracy',
      judge: null,
    })
    expect(assertionName(assertion('pass'))).toEqual({ name: 'llm-rubric', judge: null })
  })
  it('show three decimals only where two would reach the threshold that was missed', () => {
    const failed = assertion('fail', { criteria: { threshold: 0.8 } })
    expect([scoreText(0.798, failed), scoreText(0.62, failed), scoreText(0.798, assertion('fail'))]).toEqual([
      '0.798',
      '0.62',
      '0.80',
    ])
  })
  it('say what they need, where a score decides', () => {
    const needs = (threshold?: number) => assertion('fail', threshold === undefined ? {} : { criteria: { threshold } })
    const words = [
      [needs(0.8), needs(0.8)],
      [needs(0.7), needs(0.8)],
      [needs(), needs(0.5)],
      [needs(0.5), needs()],
      [needs(), needs()],
    ].map(([base, head]) => thresholdText({ base: base!, head: head! }))
    expect(words).toEqual(['needs 0.80', 'needed 0.70, now 0.80', 'needs 0.50', 'needed 0.50, now no threshold', ''])
  })
  it('show a reason from its first line about a failure on', () => {
    expect(fromFirstFailure('- Pass: a\n- **Fail** b\n\n\nbecause')).toEqual({
      text: '- **Fail** b\nbecause',
      isCut: true,
    })
    expect(fromFirstFailure('all good')).toEqual({ text: 'all good', isCut: false })
  })
  it('are counted by label in a row', () =>
    expect(
      flipWords([
        { label: 'complete', kind: 'k' },
        { label: '', kind: 'is\u202ejson' },
        { label: 'complete', kind: 'k' },
      ]),
    ).toBe('complete ×2, is⟨U+202E⟩json'))

  it('names the criteria that flipped, with their judges in full', () => {
    const flips = [
      { label: 'llm-rubric', kind: 'llm-rubric', name: 'accuracy · opus', base_passed: true },
      { label: 'llm-rubric', kind: 'llm-rubric', name: 'accuracy · sonnet', base_passed: false },
      { label: 'contains', kind: 'contains', name: null, base_passed: false },
    ]
    expect(flipWords(flips)).toBe('accuracy ×2, contains')
    expect(flipTitle(flips)).toBe(
      'accuracy · opus passed, now fails\naccuracy · sonnet failed, now passes\ncontains failed, now passes',
    )
  })
})

it('writes tool calls with a line for each argument', () =>
  expect(
    callText([
      { name: 'book', arguments: { from: 'NYC', seats: 2 } },
      { name: 'done', arguments: {} },
    ] as CaseDetail['tool_calls']),
  ).toBe('book\n  from: "NYC"\n  seats: 2\ndone'))

describe('settings of two configurations', () => {
  it('are compared by path', () =>
    expect(
      compareSettings({ model: { name: 'a', t: 0 }, tags: ['x'] }, { model: { name: 'b', t: 0 }, tags: ['x', 'y'] }),
    ).toEqual({
      other: [
        { path: 'model.name', base: 'a', head: 'b' },
        { path: 'tags[1]', base: null, head: 'y' },
      ],
      same: [
        { path: 'model.t', base: '0', head: '0' },
        { path: 'tags[0]', base: 'x', head: 'x' },
      ],
    }))
  it('are none if nothing was recorded', () =>
    expect(compareSettings(null, undefined)).toEqual({ other: [], same: [] }))
})

describe('runs in an address', () => {
  it('are read back as they were written, whatever their ids are', () => {
    const ids = ['a,b', 'c%2Cd', 'é/ü']
    expect(runsIn(runsText(ids))).toEqual(ids)
  })
  it.each(['a', 'a,a', 'a,', '%zz,b', 'a,b,c,d,e,f,g,h,i', undefined])('are rejected: %s', (value) =>
    expect(runsIn(value)).toBeNull(),
  )
  it('open the page for two runs or for more', () => {
    expect(comparePage(['a', 'b'])).toEqual({ name: 'compare', params: { base: 'a', head: 'b' } })
    expect(comparePage(['a', 'b', 'c'])).toEqual({ name: 'compare-many', query: { runs: 'a,b,c' } })
  })
})

describe('signed numbers and probabilities', () => {
  it('have a true minus, and no sign if they round to 0', () => {
    expect([formatPoints(1 / 6), formatPoints(-0.077), formatPoints(-0.0001)]).toEqual(['+16.7', '−7.7', '0.0'])
    expect(formatSigned(0.027, 3)).toBe('+0.027')
  })
  it('are exact down to 0.001', () => expect([formatP(0.2891), formatP(0.0004)]).toEqual(['p = 0.289', 'p < 0.001']))
  it.each([
    [1, 'almost always'],
    [0.2890625, 'about 2 times in 7'],
    [0.5, 'about 1 time in 2'],
    [0.0312, 'about 1 time in 32'],
    [0.00001, 'less than 1 time in 10,000'],
  ])('are said in words: %s', (p, words) => expect(chanceWords(p)).toBe(words))
})
