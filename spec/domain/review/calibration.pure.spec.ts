import { describe, expect, it } from 'vitest'
import { calibrate, type Calibration, type CalibrationFacts } from '../../../domain/review/calibration.ts'
import type { CalibratedCase, LabelledRun } from '../../../domain/review/pool.ts'
import reference from '../statistics/review-known-answers.json' with { type: 'json' }

const DAY = 86_400_000
const NOW = 1_000 * DAY

/** What people said of how many cases: labelled as passes and fails, and not labelled. */
type Cell = readonly [passes: number, fails: number, none: number]
type Options = Partial<CalibratedCase> & {
  readonly queue?: number
  readonly given_at?: number
  readonly offset?: number
}

/** Cases of a verdict, each of its own test. */
const casesOf = (verdict: 0 | 1, [passes, fails, none]: Cell, options: Options = {}): CalibratedCase[] => {
  const { queue = 1, given_at = NOW - DAY, offset = 0, ...rest } = options
  return Array.from({ length: passes + fails + none }, (_, i) => ({
    test: `${verdict}/${offset + i}`,
    group: `${verdict}/${offset + i}`,
    verdict,
    score: null,
    criterion: null,
    label: i < passes + fails ? { pass: i < passes ? (1 as const) : (0 as const), score: null, queue, given_at } : null,
    ...rest,
  }))
}

const runOf = (cases: readonly CalibratedCase[]): LabelledRun => ({
  cases,
  passed: cases.filter(({ verdict }) => verdict === 1).length,
  failed: cases.filter(({ verdict }) => verdict === 0).length,
  is_deleted: false,
  is_stratified: true,
})

/** 60 items that two people labelled, of which they differ in 6. */
const people = Array.from({ length: 60 }, (_, i) => ({
  group: null,
  labels: i < 6 ? ([1, 0] as const) : i < 40 ? ([1, 1] as const) : ([0, 0] as const),
}))

const factsOf = (run: LabelledRun, changes: Partial<CalibrationFacts> = {}): CalibrationFacts => ({
  now: NOW,
  judge_id: 'c41e9b07',
  run: { ...run, as_is: { passed: 0, total: 0 } },
  pool: [],
  rubric: { valid_days: 90, meaning_changed_in: null },
  people,
  ...changes,
})

/** The run of answer 67: 900 of 1,000 passed, 200 of each verdict or all of it labelled. */
const known = { passes: [180, 20, 700], fails: [60, 40, 0] } as const
const answer = reference.vectors.find(({ id }) => id === 61)?.output as {
  estimate: number
  lower: number
  upper: number
}

/** A run of answer 61: 350 of 500 passed; people pass 45 of 50, and 10 of 50. */
const wellLabelled = (options: Options = {}): CalibratedCase[] => [
  ...casesOf(1, [45, 5, 300], options),
  ...casesOf(0, [10, 40, 100], options),
]
const unlabelled = (passed: number, failed: number): LabelledRun =>
  runOf([...casesOf(1, [0, 0, passed]), ...casesOf(0, [0, 0, failed])])

const codes = ({ reasons }: Calibration): string[] => reasons.map(({ state, code }) => `${state} ${code}`)

/** All numbers of an answer, wherever they are. */
const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : []

describe('a calibration by labels of the run itself', () => {
  it('has the known rate, and is good', () => {
    const found = calibrate(factsOf(runOf(wellLabelled())))
    expect(found).toMatchObject({ state: 'good', method: 'own', reasons: [], finding: 'no_clear_difference' })
    expect(found.rate).toBe(found.own)
    expect(found.rate).toMatchObject({ design_effect: null, groups: null, clipped: 0 })
    for (const limit of ['estimate', 'lower', 'upper'] as const)
      expect(Math.abs((found.rate.reason === null ? found.rate[limit] : NaN) - answer[limit])).toBeLessThan(1e-7)
    expect(found.sentence).toBe(
      'The judge passes 70.0%; people would pass about 68.8% (60.8% to 75.3%), by 100 labels in this run.',
    )
    expect(found.labels).toMatchObject({ x1: 45, m1: 50, x0: 10, m0: 50, total: 100, newest_at: NOW - DAY })
    expect(found.judge_alone).toMatchObject({ passed: 350, total: 500, rate: 0.7 })
  })
  it('is weighted by the verdicts of all cases, however the queue was drawn', () => {
    const found = calibrate(factsOf(runOf([...casesOf(1, known.passes), ...casesOf(0, known.fails)])))
    // 60 % of the labelled fails are fails for people; of all that people fail, the judge fails 40 of 130.
    expect(found.labels.of_failed.rate).toBe(0.6)
    expect(found.judge?.specificity.estimate).toBeCloseTo(40 / (40 + 900 * 0.1), 2)
  })
  it('says that the judge passes too much, and too little', () => {
    const mild = runOf([...casesOf(1, [30, 20, 300]), ...casesOf(0, [2, 48, 100])])
    const strict = runOf([...casesOf(1, [50, 0, 100]), ...casesOf(0, [25, 25, 300])])
    expect(calibrate(factsOf(mild)).finding).toBe('passes_too_much')
    expect(calibrate(factsOf(strict)).finding).toBe('passes_too_little')
  })
  it('keeps the status of cases without a judge', () => {
    const run = runOf(wellLabelled())
    const [plain, mixed] = [
      calibrate(factsOf(run)),
      calibrate({ ...factsOf(run), run: { ...run, as_is: { passed: 80, total: 100 } } }),
    ]
    if (plain.rate.reason !== null || mixed.rate.reason !== null) throw new Error('there is a rate')
    expect(mixed.rate.estimate).toBeCloseTo((500 * plain.rate.estimate + 80) / 600, 12)
    expect(mixed.rate.lower).toBeCloseTo((500 * plain.rate.lower + 80) / 600, 12)
    expect(mixed.judge_alone).toMatchObject({ passed: 430, total: 600 })
  })
  it('is wider where tests have trials', () => {
    const trials = (cases: readonly CalibratedCase[]) =>
      cases.map((each, i) => ({ ...each, group: `${each.verdict}/${Math.floor(i / 5)}` }))
    const [single, grouped] = [
      calibrate(factsOf(runOf(wellLabelled()))),
      calibrate(factsOf(runOf(trials(wellLabelled())))),
    ]
    if (single.rate.reason !== null || grouped.rate.reason !== null) throw new Error('there is a rate')
    expect(grouped.rate.groups).toBe(100)
    expect(grouped.rate.design_effect).toBeGreaterThan(1)
    expect(grouped.rate.estimate).toBe(single.rate.estimate)
    expect(grouped.rate.lower).toBeLessThan(single.rate.lower)
    expect(grouped.rate.upper).toBeGreaterThan(single.rate.upper)
    expect(grouped.judge?.kappa.lower).toBeLessThan(single.judge?.kappa.lower ?? -1)
  })
  it('is served where the judge passed all and all else is unknown, without a number that is none', () => {
    const found = calibrate(factsOf(runOf(casesOf(1, [40, 10, 50]))))
    expect(found.own.reason).toBeNull()
    expect(found.carried_over.reason).toBe('uninformative_judge')
    expect(found.method).toBe('own')
    expect(numbersIn(found).filter((n) => !Number.isFinite(n))).toEqual([])
  })
  it('is served for a judge that says nothing', () => {
    const found = calibrate(factsOf(runOf([...casesOf(1, [35, 15, 200]), ...casesOf(0, [34, 16, 200])])))
    expect([found.own.reason, found.carried_over.reason]).toEqual([null, 'uninformative_judge'])
  })
})

describe('a calibration by labels of like runs', () => {
  const pool = [runOf(wellLabelled())]
  it('is carried over', () => {
    const many = runOf([...casesOf(1, [135, 15, 200]), ...casesOf(0, [20, 100, 30])])
    const found = calibrate(factsOf(unlabelled(330, 170), { pool: [many] }))
    expect(found).toMatchObject({ state: 'good', method: 'carried_over', pool: { passed: 350, total: 500 } })
    expect(found.own).toEqual({ reason: 'no_labels' })
    expect(found.sentence).toContain('by 270 labels of 1 run.')
    expect(found.coverage).toEqual({ tests: 500, in_pool: 480, other_criterion: 0 })
  })
  it('gives way to 50 labels of the run itself, 10 in each verdict', () => {
    const run = (passes: number, fails: number) =>
      runOf([...casesOf(1, [passes, 0, 300]), ...casesOf(0, [0, fails, 100])])
    const methods = [run(40, 9), run(40, 10), run(41, 9)].map((each) => calibrate(factsOf(each, { pool })).method)
    expect(methods).toEqual(['carried_over', 'own', 'carried_over'])
  })
  it('uses the labels of the run too, if they are few, and five runs at most', () => {
    const few = runOf([...casesOf(1, [10, 0, 300]), ...casesOf(0, [0, 10, 100])])
    const found = calibrate(factsOf(few, { pool: [...pool, ...pool, ...pool, ...pool, ...pool] }))
    expect(found).toMatchObject({ method: 'carried_over', labels: { total: 20 + 4 * 100, runs: 5 } })
  })
  it('allows for tests that several runs share', () => {
    const found = calibrate(factsOf(unlabelled(330, 170), { pool: [...pool, runOf(wellLabelled())] }))
    expect(found.rate).toMatchObject({ reason: null, groups: 520 })
  })
  it('has no rate that no error rates explain', () => {
    const strict = runOf([...casesOf(1, [40, 10, 300]), ...casesOf(0, [10, 40, 100])])
    expect(calibrate(factsOf(unlabelled(490, 10), { pool: [strict] })).rate).toEqual({ reason: 'outside_calibration' })
  })
  it('says how much of a rate near 1 had to be cut', () => {
    const { rate } = calibrate(factsOf(unlabelled(450, 50), { pool }))
    expect(rate).toMatchObject({ reason: null, upper: 1 })
    expect(rate.reason === null ? rate.clipped : 0).toBeCloseTo(0.334, 3)
    expect(calibrate(factsOf(unlabelled(460, 40), { pool })).rate).toEqual({ reason: 'outside_calibration' })
  })
  it('needs a judge whose J is clearly above 0.1', () => {
    // The lower limits of J are 0.079 and 0.113.
    const poor = (x1: number, x0: number) =>
      runOf([...casesOf(1, [x1, 50 - x1, 300]), ...casesOf(0, [x0, 50 - x0, 100])])
    const reasons = [poor(36, 22), poor(36, 20)].map(
      (run) => calibrate(factsOf(unlabelled(350, 150), { pool: [run] })).rate.reason,
    )
    expect(reasons).toEqual(['uninformative_judge', null])
  })
  it('leaves out runs without a label', () => {
    const found = calibrate(factsOf(unlabelled(330, 170), { pool: [unlabelled(10, 490), ...pool] }))
    expect(found).toMatchObject({ pool: { passed: 350, total: 500 }, labels: { runs: 1 } })
  })
  it.each([
    ['judge_unknown', factsOf(unlabelled(300, 200), { pool, judge_id: null })],
    ['no_labels', factsOf(unlabelled(300, 200))],
    ['few_cases', factsOf(unlabelled(15, 4), { pool })],
    [
      'few_labels',
      factsOf(unlabelled(300, 200), { pool: [runOf([...casesOf(1, [80, 11, 200]), ...casesOf(0, [2, 7, 100])])] }),
    ],
  ])('has no rate: %s', (reason, facts) => expect(calibrate(facts).rate).toEqual({ reason }))
  it('leaves out labels of tests that are judged by another criterion now', () => {
    const before = runOf(wellLabelled({ criterion: 'old' }))
    const cases = unlabelled(350, 150).cases.map((each, i) => ({ ...each, criterion: i < 10 ? 'new' : 'old' }))
    const found = calibrate(factsOf(runOf(cases), { pool: [before] }))
    expect(found.labels).toMatchObject({ total: 90, other_criterion: 10, x1: 35, m1: 40 })
    expect(found.coverage).toEqual({ tests: 500, in_pool: 500, other_criterion: 10 })
    // What is not known is not another criterion.
    const unknown = calibrate(factsOf(unlabelled(350, 150), { pool: [before] }))
    expect(unknown.labels).toMatchObject({ total: 100, other_criterion: 0 })
  })
})

describe('the state of a calibration', () => {
  const state = (facts: CalibrationFacts) => {
    const { state: name, reasons } = calibrate(facts)
    return [name, ...reasons.map(({ text }) => text)]
  }
  it('is none without labels, and for a judge that is not known', () => {
    expect(state(factsOf(unlabelled(300, 200)))).toEqual(['none', 'no case was labelled by people'])
    expect(state(factsOf(runOf(wellLabelled()), { judge_id: null }))).toEqual([
      'none',
      'it is not known which model judged',
    ])
    expect(calibrate(factsOf(unlabelled(300, 200))).sentence).toBe(
      'Not checked by people: no case was labelled by people.',
    )
  })
  it('is stale a moment after the days that the rubric allows', () => {
    const aged = (age: number) => state(factsOf(runOf(wellLabelled({ given_at: NOW - age }))))
    expect(aged(90 * DAY)).toEqual(['good'])
    expect(aged(90 * DAY + 1)).toEqual(['stale', 'newest label 90 days old; rubric allows 90'])
    expect(aged(112 * DAY)).toEqual(['stale', 'newest label 112 days old; rubric allows 90'])
  })
  it('is stale after the rubric changed its meaning', () =>
    expect(state(factsOf(runOf(wellLabelled()), { rubric: { valid_days: 90, meaning_changed_in: 4 } }))).toEqual([
      'stale',
      'version 4 of the rubric changed its meaning after these labels',
    ]))
  it('is stale if the pool knows too little of the run, or another criterion', () => {
    const other = runOf([...casesOf(1, [0, 0, 350], { offset: 141 }), ...casesOf(0, [0, 0, 150], { offset: 60 })])
    expect(codes(calibrate(factsOf(other, { pool: [runOf(wellLabelled())] })))).toEqual(['stale few_tests_known'])
    const changed = unlabelled(350, 150).cases.map((each, i) => ({ ...each, criterion: i % 4 === 0 ? 'new' : 'old' }))
    const facts = factsOf(runOf(changed), { pool: [runOf(wellLabelled({ criterion: 'old' }))] })
    expect(codes(calibrate(facts))[0]).toBe('stale criteria_changed')
  })
  it('is stale if labels of the newest queue differ from the older ones', () => {
    const drifted = [
      ...casesOf(1, [45, 5, 0]),
      ...casesOf(1, [10, 15, 300], { queue: 2, offset: 50 }),
      ...casesOf(0, [10, 40, 100]),
    ]
    const found = calibrate(factsOf(runOf(drifted)))
    expect(found.drift).toMatchObject({ p_failed: null, drifted: true })
    expect(codes(found)).toEqual(['stale drift'])
    const steady = [
      ...casesOf(1, [45, 5, 0]),
      ...casesOf(1, [22, 3, 300], { queue: 2, offset: 50 }),
      ...casesOf(0, [10, 40, 100]),
    ]
    expect(calibrate(factsOf(runOf(steady))).state).toBe('good')
  })
  it('takes labels as different below a p-value of 0.005', () => {
    const fails = (count: number) =>
      runOf([
        ...casesOf(1, [45, 5, 0]),
        ...casesOf(1, [25 - count, count, 300], { queue: 2, offset: 50 }),
        ...casesOf(0, [10, 40, 100]),
      ])
    // p = 0.0045 and 0.0109.
    expect([fails(10), fails(9)].map((run) => calibrate(factsOf(run)).drift?.drifted)).toEqual([true, false])
  })
  it('is weak with few labels, a wide interval, and few items labelled twice', () => {
    const few = runOf([...casesOf(1, [15, 5, 300]), ...casesOf(0, [6, 14, 100])])
    const found = calibrate(factsOf(few, { people: people.slice(0, 29) }))
    expect(codes(found)).toEqual(['weak few_labels', 'weak wide', 'weak few_labelled_twice'])
    expect(found.reasons[0]?.text).toBe('40 labels; it needs 50')
    expect(found.sentence).toContain('The calibration is weak: 40 labels; it needs 50.')
  })
  it('is weak if people may not agree, or if that is not known', () => {
    const run = runOf(wellLabelled())
    const disagreeing = Array.from({ length: 60 }, (_, i) => ({
      group: null,
      labels: i % 2 === 0 ? ([1, 0] as const) : ([1, 1] as const),
    }))
    const same = Array.from({ length: 60 }, () => ({ group: null, labels: [1, 1] as const }))
    expect(codes(calibrate(factsOf(run, { people: disagreeing })))).toEqual(['weak people_disagree'])
    // The lower limits of AC1 are 0.436 and 0.397.
    const differing = (count: number) =>
      people.map(({ group }, i) => ({
        group,
        labels: i < count ? ([1, 0] as const) : i < 40 ? ([1, 1] as const) : ([0, 0] as const),
      }))
    const states = [10, 11].map((count) => calibrate(factsOf(run, { people: differing(count) })).state)
    expect(states).toEqual(['good', 'weak'])
    expect(codes(calibrate(factsOf(run, { people: same })))).toEqual(['weak agreement_unknown'])
  })
  it('is weak without the tests of a run that was deleted, if tests have trials', () => {
    const deleted: LabelledRun = {
      ...runOf(
        wellLabelled()
          .filter(({ label }) => label !== null)
          .map((each) => ({ ...each, test: null, group: null })),
      ),
      passed: 350,
      failed: 150,
      is_deleted: true,
    }
    const run = unlabelled(350, 150)
    expect(calibrate(factsOf(run, { pool: [deleted] }))).toMatchObject({
      state: 'good',
      rate: { groups: null, design_effect: null },
      coverage: null,
    })
    const trials = runOf(run.cases.map((each, i) => ({ ...each, group: `${Math.floor(i / 5)}` })))
    expect(codes(calibrate(factsOf(trials, { pool: [deleted] })))).toEqual(['weak tests_deleted'])
  })
  it('lists what makes it stale before what makes it weak', () => {
    const few = runOf([...casesOf(1, [20, 5, 300], { given_at: 0 }), ...casesOf(0, [5, 15, 100], { given_at: 0 })])
    expect(codes(calibrate(factsOf(few)))).toEqual(['stale old', 'weak few_labels', 'weak wide'])
  })
})

describe('what else a calibration says', () => {
  it('plans the next queue: what is missing of each verdict', () => {
    // 78 % of 500 passed; people pass 119 of 140, and 15 of 72.
    const run = runOf([...casesOf(1, [119, 21, 251]), ...casesOf(0, [15, 57, 37])])
    const found = calibrate(factsOf(run))
    expect(found.plans.map(({ half_width, labels, more, reason }) => ({ half_width, labels, more, reason }))).toEqual([
      { half_width: 0.04, labels: 495, more: { passed: 246, failed: 37 }, reason: null },
      { half_width: 0.03, labels: 1397, more: null, reason: 'too_few_cases' },
      { half_width: 0.02, labels: null, more: null, reason: 'run_too_small' },
    ])
    expect(calibrate(factsOf(unlabelled(700, 300))).plans[2]).toMatchObject({
      half_width: 0.05,
      labels: 385,
      more: { passed: 270, failed: 115 },
      reason: null,
    })
  })
  it('estimates the mean score of people from 50 labels with scores', () => {
    const scored = (count: number) =>
      wellLabelled().map((each, i) => ({
        ...each,
        score: ((i * 7) % 100) / 100,
        label:
          i < count
            ? { pass: each.verdict, score: i % 20 === 0 ? 0 : ((i * 7) % 100) / 100, queue: 1, given_at: NOW }
            : null,
      }))
    const of = (count: number, is_stratified: boolean) =>
      calibrate(factsOf({ ...runOf(scored(count)), is_stratified })).score
    expect(of(49, false)).toBeNull()
    expect(of(350, false)).toMatchObject({ labels: 350, skewed: false })
    // None of the failed cases has a score by people, so a sample by verdict says nothing of them.
    expect(of(350, true)).toBeNull()
    const found = of(60, false)
    expect(found?.skewness).toBeLessThan(-1)
    expect(found?.skewed).toBe(true)
  })
  it('counts people with two labels, and says that passes are many', () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      group: null,
      labels: i < 4 ? ([1, 0] as const) : ([1, 1] as const),
    }))
    const found = calibrate(factsOf(runOf(wellLabelled()), { people: [...many, { group: null, labels: [1] }] }))
    expect(found.people).toMatchObject({ items: 60, many_passes: true, pass_share: 116 / 120 })
    expect(found.people.percent?.estimate).toBeCloseTo(56 / 60, 12)
    expect(found.people.alpha?.estimate).toBeLessThan(0.1)
    expect(found.people.ac1?.estimate).toBeGreaterThan(0.9)
  })
})
