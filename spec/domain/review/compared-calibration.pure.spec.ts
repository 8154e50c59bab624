import { describe, expect, it } from 'vitest'
import { compareCalibrated, type ComparisonFacts } from '../../../domain/review/compared-calibration.ts'
import type { CalibratedCase } from '../../../domain/review/pool.ts'
import { meanInterval } from '../../../domain/statistics/means.ts'
import reference from '../statistics/review-known-answers.json' with { type: 'json' }

type Bit = 0 | 1
type Pair = ComparisonFacts['pairs'][number]
const caseOf = (verdict: Bit, pass: Bit | null, group: string | null = null): CalibratedCase => ({
  test: null,
  group,
  verdict,
  score: null,
  criterion: null,
  label: pass === null ? null : { pass, score: null, queue: 1, given_at: 0 },
})

/** Cases of a verdict: passes and fails by people, and without a label. */
const cases = (verdict: Bit, passes: number, fails: number, none = 0): CalibratedCase[] =>
  Array.from({ length: passes + fails + none }, (_, i) =>
    caseOf(verdict, i < passes ? 1 : i < passes + fails ? 0 : null),
  )

const runOf = (all: readonly CalibratedCase[], is_stratified = false) => ({
  cases: all,
  passed: all.filter(({ verdict }) => verdict === 1).length,
  failed: all.filter(({ verdict }) => verdict === 0).length,
  is_stratified,
  is_deleted: false,
  judge_id: 'c41e',
})

const pair = (base: Bit, head: Bit, labels: readonly [Bit, Bit] | null = null): Pair => ({
  base: caseOf(base, labels?.[0] ?? null),
  head: caseOf(head, labels?.[1] ?? null),
})
const pairs = (better: number, worse: number, same: number): Pair[] => [
  ...Array.from({ length: better }, () => pair(0, 1)),
  ...Array.from({ length: worse }, () => pair(1, 0)),
  ...Array.from({ length: same }, () => pair(1, 1)),
]

/** The pool of answer 75: people pass 45 of 50 that the judge passed, and 10 of 50; it passed 380 of 500. */
const pooled = [...cases(1, 45, 5, 330), ...cases(0, 10, 40, 70)]

const factsOf = (changes: Partial<ComparisonFacts> = {}): ComparisonFacts => ({
  base: runOf([]),
  head: runOf([]),
  pairs: pairs(30, 12, 458),
  pool: [runOf(pooled)],
  people: 5,
  ...changes,
})
const everyFifth = (group: number): string => `${Math.floor(group / 5)}`

describe('two runs of one judge', () => {
  it('have the known corrected difference', () => {
    const known = reference.vectors.find(({ id }) => id === 75)?.output as {
      estimate: number
      lower: number
      upper: number
    }
    const found = compareCalibrated(factsOf())
    expect(found).toMatchObject({ method: 'same_judge', reason: null, labels: 100, pairs: 500, errs_alike: null })
    for (const limit of ['estimate', 'lower', 'upper'] as const)
      expect(Math.abs((found.corrected?.[limit] ?? NaN) - known[limit])).toBeLessThan(1e-7)
    expect(found.judge_alone).toMatchObject({ verdict: 'better', difference: { estimate: 0.036 } })
    expect(found.sentence).toBe(
      'Judge alone: 3.6 points better (p = 0.008). Corrected for its errors: 5.6 points better (1.6 to 10.5), by 100 labels of 5 people.',
    )
  })
  it('keep the sign of the judge', () => {
    const found = compareCalibrated(factsOf({ pairs: pairs(8, 22, 270), people: 1 }))
    expect(found.corrected?.estimate).toBeLessThan(0)
    expect(found.sentence).toContain('points worse (−')
    expect(found.sentence).toContain('by 100 labels of 1 person.')
  })
  it('are wider where tests have trials', () => {
    const single = factsOf()
    const grouped = factsOf({
      pairs: single.pairs.map(({ base, head }, i) => ({ base: { ...base, group: everyFifth(i) }, head })),
      pool: [runOf(pooled.map((each, i) => ({ ...each, group: everyFifth(i) })))],
    })
    const [alone, together] = [compareCalibrated(single).corrected, compareCalibrated(grouped).corrected]
    const width = (limits: typeof alone): number => (limits?.upper ?? NaN) - (limits?.lower ?? NaN)
    expect(width(together)).toBeGreaterThan(1.3 * width(alone))
    // A test is one group in the pairs and in the pool.
    const apart = grouped.pool.map(({ cases: all }) =>
      runOf(all.map((each) => ({ ...each, group: `pool ${each.group}` }))),
    )
    expect(width(compareCalibrated({ ...grouped, pool: apart }).corrected)).not.toBeCloseTo(width(together), 4)
  })
  it('have the error of the tests if cases of a test are equal, and nearly all else is known', () => {
    // Ten tests of 50 equal trials: three better, one worse. The labels are so many that J hardly varies.
    const tests = [1, 1, 1, -1, 0, 0, 0, 0, 0, 0]
    const trials = tests.flatMap((moved, group) =>
      Array.from({ length: 50 }, () => {
        const { base, head } = pair(moved === 1 ? 0 : 1, moved === -1 ? 0 : 1)
        return { base: { ...base, group: `${group}` }, head }
      }),
    )
    const sure = runOf([...cases(1, 38_000, 2_000), ...cases(0, 1_000, 9_000)])
    const found = compareCalibrated(factsOf({ pairs: trials, pool: [sure] })).corrected
    const alone = meanInterval(tests)
    const j = 0.95 * 0.8 + 0.1 * 0.2
    const youden = (0.8 * 0.2 * 0.85) / (j * (1 - j))
    expect(found?.estimate).toBeCloseTo(0.2 / youden, 3)
    expect((found?.upper ?? NaN) - (found?.lower ?? NaN)).toBeCloseTo(
      ((alone?.upper ?? NaN) - (alone?.lower ?? NaN)) / youden,
      2,
    )
  })
  it('are not corrected if the judge errs otherwise in one of them', () => {
    const found = compareCalibrated(factsOf({ base: runOf(cases(1, 45, 5)), head: runOf(cases(1, 35, 15)) }))
    expect(found).toMatchObject({
      method: null,
      corrected: null,
      reason: 'judge_favours',
      errs_alike: { favours: true, p_failed: null },
    })
    expect(found.errs_alike?.p_passed).toBeCloseTo(0.02283, 5)
    const alike = compareCalibrated(factsOf({ base: runOf(cases(1, 45, 5)), head: runOf(cases(1, 36, 14)) }))
    expect(alike).toMatchObject({ method: 'same_judge', errs_alike: { favours: false } })
  })
  it.each([
    ['no_pairs', { pairs: [] }, 'Not corrected: no case was judged in both runs.'],
    ['judge_unknown', { base: { ...runOf([]), judge_id: null } }, 'it is not known which model judged'],
    ['judge_changed', { head: { ...runOf([]), judge_id: '77aa' } }, 'another judge judged the other run'],
    ['no_labels', { pool: [runOf([...cases(1, 0, 0, 9), ...cases(0, 0, 0, 9)])] }, 'no case was labelled by people'],
    ['few_labels', { pool: [runOf([...cases(1, 45, 5, 330), ...cases(0, 2, 7, 70)])] }, 'fewer than 10 labels'],
    ['uninformative_judge', { pool: [runOf([...cases(1, 30, 20, 330), ...cases(0, 25, 25, 70)])] }, 'say too little'],
  ] as const)('are not corrected: %s', (reason, changes, words) => {
    const found = compareCalibrated(factsOf(changes))
    expect(found).toMatchObject({ method: null, corrected: null, reason })
    expect(found.sentence).toContain(words)
  })
})

describe('two runs with labels in both', () => {
  // The judge finds 30 of 100 better; people find 10 better in fact, all among those.
  const labelled = (count: number): Pair[] => [
    ...Array.from({ length: 100 }, (_, i) => pair(0, i % 10 < 3 ? 1 : 0, i < count ? [0, i % 10 < 1 ? 1 : 0] : null)),
  ]
  it('are compared by these, whatever judge there was', () => {
    const found = compareCalibrated(
      factsOf({ pairs: labelled(50), head: { ...runOf([]), judge_id: '77aa' }, pool: [] }),
    )
    expect(found).toMatchObject({ method: 'labels_in_both', labels: 100, reason: null })
    expect(found.corrected?.estimate).toBeCloseTo(0.1, 2)
    expect(found.corrected?.lower).toBeGreaterThan(0)
    expect(found.judge_alone.difference?.estimate).toBeCloseTo(0.3, 12)
  })
  it('need 30 tests', () => {
    expect(compareCalibrated(factsOf({ pairs: labelled(30) })).method).toBe('labels_in_both')
    expect(compareCalibrated(factsOf({ pairs: labelled(29) })).method).toBe('same_judge')
  })
  it('weigh the verdicts of both as they are in all pairs, if they were drawn by verdict', () => {
    // Half of the labels are of the tenth that the judge finds better: people find 15 of 20 of these better, and 2 of 20 others.
    const drawn = [
      ...Array.from({ length: 50 }, (_, i) => pair(0, 1, i < 20 ? [0, i < 15 ? 1 : 0] : null)),
      ...Array.from({ length: 450 }, (_, i) => pair(0, 0, i < 20 ? [0, i < 2 ? 1 : 0] : null)),
    ]
    const found = compareCalibrated(factsOf({ pairs: drawn, head: runOf([], true) }))
    expect(found.corrected?.estimate).toBeCloseTo(0.1 * 0.75 + 0.9 * 0.1, 12)
    const missing = drawn.map((each, i) => (i < 20 && i > 0 ? pair(0, 1) : each))
    const more = missing.map((each, i) => (i >= 50 && i < 100 ? pair(0, 0, [0, 0]) : each))
    expect(compareCalibrated(factsOf({ pairs: more, head: runOf([], true) })).method).toBe('same_judge')
  })
})
