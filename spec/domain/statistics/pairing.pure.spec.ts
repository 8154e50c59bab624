import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseKey } from '../../../domain/run/case-key.ts'
import type { CaseStatus } from '../../../domain/run/document.ts'
import {
  chooseJoin,
  countPairs,
  joinCases,
  mostTrials,
  pairUnits,
  pairingUnits,
  passInterval,
} from '../../../domain/statistics/pairing.ts'
import { bootstrapInterval, TESTS_SEED } from '../../../domain/statistics/bootstrap.ts'
import { clusteredMean } from '../../../domain/statistics/means.ts'
import { passRate } from '../../../domain/statistics/statistics.ts'
import type { CaseOutcome } from '../../../domain/statistics/pairing.ts'

const outcome = (test_id: string, fields: Partial<CaseOutcome> = {}): CaseOutcome => {
  const cell = { provider_id: 'x', prompt_id: 'p', test_id, repeat: 0, ...fields }
  const status: CaseStatus = fields.status ?? 'pass'
  return {
    ...cell,
    case_key: caseKey({ ...cell, provider_id: cell.provider_id ?? '', test_id, repeat: cell.repeat ?? 0 }),
    status,
    score: status === 'pass' ? 1 : 0,
    ...fields,
  }
}

describe('the join of two runs', () => {
  it('is by case key if they share a case', () =>
    expect(chooseJoin([[outcome('a'), outcome('b')], [outcome('b')]])).toBe('case_key'))
  it('is by test, prompt and repeat if their providers differ', () =>
    expect(chooseJoin([[outcome('a')], [outcome('a', { provider_id: 'y' })]])).toBe('test_prompt_repeat'))
  it('is by test and repeat if their prompts differ too', () => {
    const other = [outcome('a', { provider_id: 'y', prompt_id: 'q' })]
    expect(chooseJoin([[outcome('a')], other])).toBe('test_repeat')
    expect(chooseJoin([[outcome('a')], [outcome('a', { prompt_id: 'q' })]])).toBe('test_repeat')
  })
  it('is by case key if a test has several cases, since no other key identifies one', () => {
    const several = [outcome('a', { provider_id: 'y' }), outcome('a', { provider_id: 'z' })]
    expect(chooseJoin([[outcome('a')], several])).toBe('case_key')
  })
  it('is by case key if they share nothing, or are empty', () => {
    expect(chooseJoin([[outcome('a')], [outcome('b')]])).toBe('case_key')
    expect(chooseJoin([[], [outcome('b')]])).toBe('case_key')
  })
  it('is the same for many runs: each must share a case with the first', () => {
    const [x, y] = [[outcome('a')], [outcome('a', { provider_id: 'y' })]]
    expect(chooseJoin([x, x, y])).toBe('test_prompt_repeat')
    expect(chooseJoin([x, x, x])).toBe('case_key')
  })
  it('uses the key of a case without a test', () => {
    const bare = outcome('', { test_id: null, case_key: 'k' })
    expect(joinCases([bare], [{ ...bare, provider_id: 'y' }], 'test_repeat')).toMatchObject([{ key: 'k' }])
  })
})

describe('joined cases', () => {
  it('are in the order of the base, then those of the head alone', () => {
    const joined = joinCases([outcome('b'), outcome('a')], [outcome('c'), outcome('a')], 'test_repeat')
    expect(joined.map(({ base, head }) => [base?.test_id, head?.test_id])).toEqual([
      ['b', undefined],
      ['a', 'a'],
      [undefined, 'c'],
    ])
  })
  it('are counted by what happened to them', () => {
    const pairs: Array<[CaseStatus | null, CaseStatus | null]> = [
      ['pass', 'fail'],
      ['xpass', 'error'],
      ['error', 'pass'],
      ['pass', 'pass'],
      ['fail', 'error'],
      ['pass', 'skip'],
      ['fail', 'xfail'],
      ['skip', 'pass'],
      ['xfail', 'fail'],
      ['skip', 'xfail'],
      ['pass', null],
      [null, 'pass'],
      [null, 'fail'],
    ]
    const side = (at: 0 | 1) =>
      pairs.flatMap((pair, i) => {
        const status = pair[at]
        return status === null ? [] : [outcome(String(i), { status })]
      })
    expect(countPairs(joinCases(side(0), side(1), 'case_key'))).toEqual({
      shared: 10,
      base_only: 1,
      head_only: 2,
      pairs: 5,
      worse: 2,
      better: 1,
      still_passing: 1,
      still_failing: 1,
      left_out: 5,
      left_out_by: {
        passed_then_neutral: 1,
        failed_then_neutral: 1,
        neutral_then_passed: 1,
        neutral_then_failed: 1,
        neutral_in_both: 1,
      },
    })
  })
})

describe('the trials of a test', () => {
  const trials = [
    outcome('a'),
    outcome('a', { repeat: 1, status: 'fail' }),
    outcome('a', { repeat: 2, status: 'skip' }),
  ]
  it('are one unit with the means of what was decided', () => {
    const units = pairingUnits(trials, 'case_key')
    expect([...units.values()]).toMatchObject([{ trials: 2, passed: 1, scored: 2, score: 1 }])
    expect([mostTrials(units), mostTrials(pairingUnits([], 'case_key'))]).toEqual([2, 0])
    expect(pairUnits(units, pairingUnits([outcome('a'), outcome('b')], 'case_key'))).toMatchObject([
      { base_pass: 0.5, head_pass: 1, base_score: 0.5, head_score: 1 },
    ])
  })
  it('are units by column, unless the runs are joined by test', () => {
    const columns = [outcome('a'), outcome('a', { prompt_id: 'q' })]
    expect(pairingUnits(columns, 'case_key').size).toBe(2)
    expect(pairingUnits(columns, 'test_repeat').size).toBe(1)
  })
  it('have no score if no trial has one', () => {
    const bare = pairingUnits([outcome('a', { score: null })], 'case_key')
    expect(pairUnits(bare, bare)).toMatchObject([{ base_score: null, head_score: null }])
  })
})

describe('the interval of a pass rate over tests', () => {
  const trials = (test_id: string, statuses: readonly CaseStatus[]): CaseOutcome[] =>
    statuses.map((status, repeat) => outcome(test_id, { status, repeat }))

  it('is none where each test has one case, in each column', () => {
    expect(passInterval([])).toBeNull()
    expect(
      passInterval([outcome('a'), outcome('a', { prompt_id: 'q' }), outcome('a', { provider_id: 'y' })]),
    ).toBeNull()
    const bare = ['k', 'l'].map((case_key) => outcome('', { test_id: null, case_key }))
    expect(passInterval(bare)).toBeNull()
  })

  it('resamples the shares of tests, where these have equally many trials', () => {
    const share = fc.array(fc.constantFrom<CaseStatus>('pass', 'fail', 'error'), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(share, { minLength: 2, maxLength: 30 }), (tests) => {
        const shares = tests.map((statuses) => statuses.filter((status) => status === 'pass').length / 3)
        fc.pre(new Set(shares).size > 1)
        const found = passInterval(tests.flatMap((statuses, i) => trials(`t${i}`, statuses)))
        const expected = bootstrapInterval(shares, TESTS_SEED)
        expect(found?.lower).toBeCloseTo(expected?.lower ?? Number.NaN, 12)
        expect(found?.upper).toBeCloseTo(expected?.upper ?? Number.NaN, 12)
      }),
      { numRuns: 30 },
    )
  })

  it('has the error of a mean whose residuals are summed by test, for more than 1,000 tests of unequal numbers of trials', () => {
    const statuses: CaseStatus[] = ['pass', 'pass', 'fail', 'skip', 'pass', 'error', 'fail']
    const cases = Array.from({ length: 1_001 }, (_, i) =>
      trials(
        `t${i}`,
        Array.from({ length: 1 + (i % 4) }, (__, k) => statuses[(i * i + k) % 7] ?? 'pass'),
      ),
    ).flat()
    const expected = clusteredMean(
      cases.map(({ status }) => (status === 'pass' ? 1 : 0)),
      cases.map(({ test_id }) => test_id),
    )
    expect(passInterval(cases)?.lower).toBeCloseTo(expected?.lower ?? Number.NaN, 12)
    expect(passInterval(cases)?.upper).toBeCloseTo(expected?.upper ?? Number.NaN, 12)
  })

  it('holds the pass rate of all cases, also with skipped ones and unequal numbers of trials', () => {
    const statuses = fc.array(fc.constantFrom<CaseStatus>('pass', 'fail', 'skip', 'xfail', 'xpass', 'error'), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(fc.array(statuses, { minLength: 1, maxLength: 20 }), (tests) => {
        const cases = tests.flatMap((each, i) => trials(`t${i}`, each))
        const found = passInterval(cases)
        expect(found === null).toBe(tests.every(({ length }) => length === 1))
        if (found === null) return
        const rate = cases.filter(({ status }) => status === 'pass').length / cases.length
        expect(found.lower).toBeGreaterThanOrEqual(0)
        expect(found.lower).toBeLessThanOrEqual(rate + 1e-12)
        expect(found.upper).toBeGreaterThanOrEqual(rate - 1e-12)
        expect(found.upper).toBeLessThanOrEqual(1)
        expect(found.upper).toBeGreaterThan(found.lower)
      }),
    )
  })

  it('is that of Wilson for as many cases as there are tests, where all tests have the same share', () => {
    const both = ['a', 'b', 'c'].flatMap((test) => trials(test, ['pass', 'pass']))
    const { lower, upper } = passRate(3, 3)
    expect(passInterval(both)).toEqual({ lower, upper })
    const half = passRate(0.5, 1)
    expect(passInterval(trials('a', ['pass', 'fail']))).toEqual({ lower: half.lower, upper: half.upper })
  })
})
