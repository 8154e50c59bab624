import { expect, it } from 'vitest'
import { judgedCases, judgeSlots } from '../../../domain/review/judged-cases.ts'
import { criterionDigest } from '../../../domain/review/judge-id.ts'

type Fields = Readonly<Record<string, unknown>>
const SNAPSHOT = { grader: { provider: { type: 'openai', model: 'm' } } }
const assertion = (
  { kind = 'llm-rubric', status = 'pass', score = 1, weight = 1, ...criteria }: Fields = {},
  details?: Fields,
) => ({ kind, status, score, weight, criteria, ...(details && { details }) }) as never
const slotsOf = (cases: ReadonlyArray<readonly never[]>, snapshot: unknown = SNAPSHOT) => {
  const judges = judgeSlots(snapshot)
  for (const [n, asserts] of cases.entries()) judges.add(n, asserts)
  return judges.slots()
}
const shown = (cases: ReadonlyArray<readonly never[]>, snapshot?: unknown) =>
  slotsOf(cases, snapshot).map(({ metric, kind, judge, judge_id, passed, failed, other, cases: bytes }) => ({
    slot: `${kind} ${metric} ${judge_id === null ? 'unknown' : judge.model}`,
    counts: [passed, failed, other],
    cases: [...judgedCases(bytes)].map(({ n, verdict, score }) => [n, verdict, score]),
  }))

it('a slot has the verdict and the score of each case', () =>
  expect(
    shown([
      [assertion({ score: 0.9 })],
      [assertion({ kind: 'contains' })],
      [assertion({ status: 'fail', score: 0.2 })],
    ]),
  ).toEqual([
    {
      slot: 'llm-rubric llm-rubric m',
      counts: [1, 1, 0],
      cases: [
        [0, 1, 0.9],
        [2, 0, 0.2],
      ],
    },
  ]))

it('several assertions of a slot must all pass, with the weighted mean as their score', () => {
  const [slot] = shown([
    [assertion({ score: 1, weight: 3 }), assertion({ status: 'fail', score: 0, weight: 1 })],
    [assertion({ score: 1 }), assertion({ status: 'error', score: 0 })],
    [assertion({ status: 'fail', score: 0 }), assertion({ status: 'error', score: 0 })],
    [assertion({ score: 0.4, weight: 0 }), assertion({ score: 0.8, weight: 0 })],
  ])
  expect(slot?.counts).toEqual([1, 2, 1])
  expect(slot?.cases).toEqual([
    [0, 0, 0.75],
    [1, null, null],
    [2, 0, 0],
    [3, 1, expect.closeTo(0.6)],
  ])
})

it('a metric with several judges has a slot for each, and metrics are apart', () =>
  expect(
    shown([
      [assertion({ name: 'tone' }, { judge: { model: 'a' } }), assertion({ name: 'facts' }, { judge: { model: 'a' } })],
      [assertion({ name: 'tone' }, { judge: { model: 'b' } })],
    ]).map(({ slot, counts }) => [slot, ...counts]),
  ).toEqual([
    ['llm-rubric tone a', 1, 0, 0],
    ['llm-rubric tone b', 1, 0, 0],
    ['llm-rubric facts a', 1, 0, 0],
  ]))

it('a judge that did not answer is that which answered elsewhere, else the one that was asked', () => {
  expect(
    shown([
      [assertion({ status: 'error', score: 0 })],
      [assertion({}, { judge: { model: 'm-2' } })],
      [assertion({ status: 'skipped', score: 0 })],
    ]),
  ).toEqual([
    {
      slot: 'llm-rubric llm-rubric m-2',
      counts: [1, 0, 2],
      cases: [
        [0, null, null],
        [1, 1, 1],
        [2, null, null],
      ],
    },
  ])
  expect(shown([[assertion({ status: 'error', score: 0 })]])).toMatchObject([
    { slot: 'llm-rubric llm-rubric m', counts: [0, 0, 1] },
  ])
})

it('keeps the digest of each criterion', () => {
  const [slot] = slotsOf([
    [assertion({ value: 'a' })],
    [assertion({ value: 'b' })],
    [assertion()],
    [assertion({ value: 'a' }), assertion({ value: 'b' })],
  ])
  const digests = [...judgedCases(slot?.cases ?? Buffer.alloc(0))].map(({ criterion }) => criterion)
  expect(digests.slice(0, 3)).toEqual([
    criterionDigest({ criteria: { value: 'a' } as never }),
    criterionDigest({ criteria: { value: 'b' } as never }),
    null,
  ])
  expect(digests[3]).toMatch(/^[0-9a-f]{16}$/)
  expect(digests.slice(0, 3)).not.toContain(digests[3])
})

it('a metric with too many judges has none that is known, and its cases are together', () => {
  const cases = Array.from({ length: 40 }, (_, n) => [
    assertion({ kind: 'exec', command: ['check'], config: { n }, status: n % 4 === 0 ? 'fail' : 'pass' }),
  ])
  const [slot, ...others] = shown(cases)
  expect(others).toEqual([])
  expect(slot?.slot).toBe('exec exec unknown')
  expect(slot?.counts).toEqual([30, 10, 0])
  expect(slot?.cases.map(([n]) => n)).toEqual(cases.map((_, n) => n))
})

it('leaves out metrics beyond a bound', () =>
  expect(slotsOf(Array.from({ length: 400 }, (_, n) => [assertion({ name: `metric ${n}` })]))).toHaveLength(256))
