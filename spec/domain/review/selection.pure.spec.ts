import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drawPairs, drawSample, expectedHalfWidthOf } from '../../../domain/review/selection.ts'

type Facts = Parameters<typeof drawSample>[0]
type Case = Facts['candidates'][number]

const NONE = { x1: 0, m1: 0, x0: 0, m0: 0 }
/** Case number n of the run 1. The judge passed the first six of ten, and is surest of the last. */
const aCase = (n: number, change: Partial<Case> = {}): Case => ({
  ...{ run: 0, run_id: 'run-1', run_no: 1, case_n: n, case_key: `key-${n}`, criterion: null },
  ...{ verdict: n < 6 ? 1 : 0, distance: n / 10, output: `output-${n}`, test: `test-${n}` },
  ...change,
})
const TEN = Array.from({ length: 10 }, (_, n) => aCase(n))
const draw = (selection: Facts['selection'], more: Partial<Facts> = {}) =>
  drawSample({
    ...{ selection, seed: 'seed', candidates: TEN, against: [], isSameRun: true, labelled: [], known: NONE },
    ...more,
  })
const drawn = (...asked: Parameters<typeof draw>) => {
  const found = draw(...asked)
  if (found.problem !== null) throw new Error(found.problem)
  return found
}
const casesOf = (...asked: Parameters<typeof draw>) => drawn(...asked).items.map(([, case_n]) => case_n)
const runs = ['run-1']
const decided = (case_n: number, pass: 0 | 1 | null, more = {}) => ({
  ...{ run_no: 1, case_n, final: pass === 1 ? 'pass' : pass === 0 ? 'fail' : null, final_pass: pass, targeted: false },
  ...more,
})

describe('a sample', () => {
  const byHash = (cases: readonly number[], seed = 'seed') => {
    const keyOf = (n: number) => createHash('sha256').update(`${seed}\0run-1\0key-${n}`).digest('hex')
    return cases.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  const all = TEN.map(({ case_n }) => case_n)

  it('is the first cases by the hash of the seed, the run and the case, in whichever order they are given', () => {
    const random = { kind: 'random', runs, count: 4 } as const
    expect(casesOf(random)).toEqual(byHash(all).slice(0, 4))
    expect(casesOf(random, { candidates: TEN.toReversed() })).toEqual(byHash(all).slice(0, 4))
    expect(casesOf(random, { seed: 'other' })).toEqual(byHash(all, 'other').slice(0, 4))
  })

  it('of many cases is the same as the beginning of all of them in order', () => {
    const many = Array.from({ length: 500 }, (_, n) => aCase(n, { verdict: n % 3 === 0 ? 0 : 1 }))
    const order = byHash(many.map(({ case_n }) => case_n))
    for (const count of [1, 37, 499, 500])
      expect(casesOf({ kind: 'random', runs, count }, { candidates: many })).toEqual(order.slice(0, count))
  })

  it('by verdict takes the first of each, in one order, so that the order says nothing of the verdict', () => {
    const found = drawn({ kind: 'by_verdict', runs, passed: 2, failed: 3 })
    const passed = byHash(all.slice(0, 6)).slice(0, 2)
    const failed = byHash(all.slice(6)).slice(0, 3)
    expect(found.items.map(([, case_n]) => case_n)).toEqual(byHash([...passed, ...failed]))
    expect(found).toMatchObject({
      ...{ targeted: false, selection: { kind: 'by_verdict', passed: 2, failed: 3, half_width: null } },
      groups: { passed: { cases: 6, taken: 2 }, failed: { cases: 4, taken: 3 } },
    })
  })

  it('leaves out cases with a final label of an untargeted queue, whatever it says', () => {
    const labelled = [
      decided(0, 1),
      decided(1, null, { final: 'cannot_tell' }),
      decided(2, null),
      decided(3, 0, { targeted: true }),
    ]
    expect(new Set(casesOf({ kind: 'random', runs, count: 8 }, { labelled }))).toEqual(new Set(all.slice(2)))
    expect(draw({ kind: 'random', runs, count: 9 }, { labelled }).problem).toBe('9 cases are asked for; there are 8')
    expect(draw({ kind: 'by_verdict', runs, passed: 5 }, { labelled }).problem).toBe(
      '5 passed and 0 failed cases are asked for; there are 4 and 4',
    )
  })

  it('for a half width says that no number of labels reaches it', () =>
    expect(draw({ kind: 'by_verdict', runs, half_width: 0.001 }).problem).toBe(
      'no number of labels brings these runs to a half width of 0.001',
    ))

  it('has a case of two judges once, and cases of several runs with the number of their run', () => {
    const twice = [...TEN, aCase(0, { verdict: 0, run: 1 })]
    expect(casesOf({ kind: 'random', runs, count: 10 }, { candidates: twice }).toSorted((a, b) => a - b)).toEqual(all)
    const other = { run: 1, run_id: 'run-2', run_no: 2 }
    const two = [...TEN, ...TEN.map((each) => ({ ...each, ...other }))]
    const items = drawn({ kind: 'random', runs: ['run-1', 'run-2'], count: 20 }, { candidates: two }).items
    expect(items.filter(([run]) => run === 1)).toHaveLength(10)
  })
})

describe('a targeted sample', () => {
  it('takes the nearest to the threshold, and none without a score', () => {
    const candidates = [...TEN.slice(1), aCase(0, { distance: null })]
    const found = drawn({ kind: 'near_threshold', runs, count: 3 }, { candidates })
    expect([found.targeted, new Set(found.items.map(([, case_n]) => case_n))]).toEqual([true, new Set([1, 2, 3])])
  })

  it('takes cases with another verdict for the same test and output in another run, and of another metric', () => {
    const asked = { kind: 'disagreement', runs, count: 10, with_run: 'run-2' } as const
    const against = [
      aCase(90, { run_no: 2, test: 'test-0', output: 'output-0', verdict: 0 }),
      aCase(91, { run_no: 2, test: 'test-1', output: 'output-1', verdict: 1 }),
      aCase(92, { run_no: 2, test: 'test-2', output: 'another', verdict: 0 }),
      aCase(93, { run_no: 2, test: 'test-3', output: null, verdict: 0 }),
    ]
    expect(casesOf(asked, { against, isSameRun: false })).toEqual([0])
    expect(casesOf(asked, { against: [aCase(4, { verdict: 0 }), aCase(5)] })).toEqual([4])
  })

  it('takes what people judged otherwise than the judge, and equal outputs with opposite labels', () => {
    const candidates = [
      ...TEN.slice(0, 8),
      aCase(8, { test: 't', output: 'same' }),
      aCase(9, { test: 't', output: 'same' }),
    ]
    const labelled = [decided(0, 0), decided(1, 1), decided(8, 0), decided(9, 1)]
    expect(new Set(casesOf({ kind: 'suspected', runs, count: 10 }, { candidates, labelled }))).toEqual(
      new Set([0, 8, 9]),
    )
    // The judge was surest of the last.
    expect(casesOf({ kind: 'suspected', runs, count: 1 }, { candidates, labelled })).toEqual([9])
  })

  it('takes named cases once, and names one that it does not have', () => {
    const named = (...ns: number[]) =>
      ({ kind: 'list', cases: ns.map((n) => ({ run_id: 'run-1', case_key: `key-${n}` })) }) as const
    expect(drawn(named(3, 7, 3))).toMatchObject({ targeted: true, selection: { kind: 'list', count: 2 } })
    expect(draw(named(3, 70)).problem).toBe('the run run-1 has no judged case key-70')
  })

  it('is refused without a case', () =>
    expect(draw({ kind: 'suspected', runs, count: 1 }).problem).toBe('there is no such case'))
})

it('the half width to expect narrows with labels, and is not known for runs without verdicts', () => {
  const run = { run_no: 1, document_sha256: '', judge_id: 'j', passed: 700, failed: 300, other: 0 }
  const items = (each: number) =>
    [1, 0].flatMap((verdict) => Array.from({ length: each }, (_, n) => [0, n, verdict as 0 | 1, null] as const))
  const [few, many] = [20, 200].map((each) => expectedHalfWidthOf(NONE, [run], items(each)) ?? NaN) as [number, number]
  expect(many).toBeLessThan(few)
  expect(few).toBeLessThan(0.5)
  expect(expectedHalfWidthOf(NONE, [{ ...run, passed: 0, failed: 0 }], [])).toBeNull()
})

describe('pairs', () => {
  const pairs = TEN.map(({ run_id, case_key, case_n }) => ({ run_id, case_key, case_n, second_case_n: 9 - case_n }))
  const keyOf = (n: number) => createHash('sha256').update(`seed\0run-1\0key-${n}`).digest('hex')

  it('are the first ones by the hash of their first cases, each with the second case of its test', () => {
    const expected = TEN.map(({ case_n }) => case_n).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    expect(drawPairs('seed', pairs.toReversed(), 4)).toEqual({
      problem: null,
      items: expected.slice(0, 4).map((n) => [0, n, null, null, 1, 9 - n, null, null]),
    })
  })

  it('are not more than the runs share', () => {
    expect(drawPairs('seed', pairs, 11)).toEqual({
      problem: '11 pairs are asked for; the runs share 10 tests with different outputs',
    })
  })
})
