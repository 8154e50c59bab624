import { describe, expect, it } from 'vitest'
import type { ComparedFacts, GatedCalibration, GatedRunFacts } from '../../../domain/gate/facts.ts'
import { decidingP, judge, unseenDrop } from '../../../domain/gate/judge.ts'
import { parseRule } from '../../../domain/gate/rules.ts'
import { clusteredMean } from '../../../domain/statistics/means.ts'
import { pairedDifference } from '../../../domain/statistics/paired-rates.ts'
import { mcnemar, passRate } from '../../../domain/statistics/statistics.ts'
import reference from '../statistics/statistics-reference.json' with { type: 'json' }

const NOTHING = { pairs: 0, base: null, head: null, ratio: null, from_cache: 0 }

const compared = (worse: number, better: number, pairs: number, more: Partial<ComparedFacts> = {}): ComparedFacts => ({
  pairs,
  worse,
  better,
  p_value: pairs === 0 ? null : mcnemar(worse, better).p_value,
  lower: pairedDifference(worse, better, pairs)?.lower ?? null,
  clustered: null,
  is_clustered: false,
  grouped_by: 'test',
  cost_usd: NOTHING,
  latency_ms: NOTHING,
  newly_failing: null,
  ...more,
})

const run = (passed: number, total: number, more: Partial<GatedRunFacts> = {}): GatedRunFacts => ({
  pass_rate: passRate(passed, total),
  errors: 0,
  score: null,
  clustered_pass_rate: null,
  is_clustered: false,
  ...more,
})

type Given = {
  readonly head?: GatedRunFacts
  readonly compared?: ComparedFacts | null
  readonly alpha?: number
  readonly q?: number
  readonly calibrations?: ReadonlyMap<string | null, GatedCalibration>
}

const judged = (
  rule: string,
  { head = run(1, 1), compared: facts = null, alpha = 0.05, q, calibrations = new Map() }: Given,
): string => {
  const { outcome, numbers } = judge(parseRule(rule), {
    head,
    compared: facts,
    calibrations,
    alpha,
    q_value: q ?? null,
  })
  return `${numbers}: ${outcome}`
}

describe('no-regression', () => {
  it('prints its numbers', () =>
    expect(judged('no-regression', { compared: compared(12, 3, 412) })).toBe(
      '12 worse, 3 better of 412 pairs, p = 0.035: failed',
    ))

  it('fails as the exact test of the reference says, and only for more worse than better', () => {
    for (const { regressions, fixes, p_value } of reference.mcnemar_exact.cases)
      expect([regressions, fixes, judged('no-regression', { compared: compared(regressions, fixes, 5000) })]).toEqual([
        regressions,
        fixes,
        expect.stringMatching(p_value < 0.05 && regressions > fixes ? /: failed$/ : /: holds$/),
      ])
    expect(judged('no-regression', { compared: compared(6, 0, 10) })).toMatch(/p = 0.031: failed$/)
    expect(judged('no-regression', { compared: compared(5, 0, 10) })).toMatch(/p = 0.063: holds$/)
    expect(judged('no-regression', { compared: compared(0, 6, 10) })).toMatch(/p = 0.031: holds$/)
  })

  it('takes another alpha, and the adjusted p-value of several runs', () => {
    expect(judged('no-regression', { compared: compared(5, 0, 10), alpha: 0.1 })).toMatch(/failed$/)
    expect(judged('no-regression', { compared: compared(6, 0, 10), alpha: 0.01 })).toMatch(/holds$/)
    expect(judged('no-regression', { compared: compared(6, 0, 10), q: 0.0625 })).toMatch(/p = 0.031, q = 0.063: holds$/)
    expect(judged('no-regression', { compared: compared(6, 0, 10), q: 0.04 })).toMatch(/q = 0.040: failed$/)
  })

  it('never shows a p-value as alpha that is not', () => {
    const near = (p_value: number) => judged('no-regression', { compared: compared(12, 3, 40, { p_value }) })
    expect(near(0.04999)).toMatch(/p = 0.04999: failed$/)
    expect(near(0.05001)).toMatch(/p = 0.05001: holds$/)
    expect(near(0.05)).toMatch(/p = 0.050: holds$/)
    expect(near(0.0004)).toMatch(/p < 0.001: failed$/)
  })

  const { base, head, groups } = reference.paired_scores
  const clustered = clusteredMean(
    head.map((value, i) => value - (base[i] ?? 0)),
    groups,
  )!

  it('uses the clustered interval where cases depend on each other: it fails if the interval lies below 0', () => {
    const with_ = (more: Partial<typeof clustered>, alpha = 0.05) =>
      judged('no-regression', {
        alpha,
        compared: compared(20, 1, 24, { is_clustered: true, clustered: { ...clustered, ...more } }),
      })
    // The reference: a mean of about -1.5 points, far from significant, although the exact test of 20 to 1 is.
    expect(with_({})).toContain('grouped by test (8 groups, few groups)')
    expect(with_({})).toMatch(/: holds$/)
    // By hand: t(0.975, 7) = 2.365; -10 ± 2.365 * 4 = -19.5 to -0.5, and with 0.01 3.499 * 4 = 14 reaches over 0.
    const drop = { mean: -0.1, se: 0.04, df: 7, p_value: 0.0414 }
    expect(with_(drop)).toContain('−10.0 points, 95% interval −19.5 to −0.5, p = 0.041')
    expect(with_(drop)).toMatch(/: failed$/)
    expect(with_(drop, 0.01)).toContain('99% interval −24.0 to 4.0')
    expect(with_(drop, 0.01)).toMatch(/: holds$/)
    expect(with_({ ...drop, mean: 0.1 })).toMatch(/: holds$/)
    expect(decidingP(compared(20, 1, 24, { is_clustered: true, clustered }))).toBe(clustered.p_value)
  })

  it('counts cases one by one where there is one group, and says so', () => {
    const one = compared(20, 0, 20, { is_clustered: true })
    expect(judged('no-regression', { compared: one })).toBe(
      '20 worse, 0 better of 20 pairs, counted one by one: grouped by test, there are fewer than 2 groups, p < 0.001: failed',
    )
    expect(decidingP(one)).toBe(one.p_value)
  })

  it('holds without pairs, and is not judged without a baseline', () => {
    expect(judged('no-regression', { compared: compared(0, 0, 0) })).toBe(
      'no case passed or failed in both runs: holds',
    )
    expect(judged('no-regression', {})).toBe('there is no baseline: not_judged')
  })
})

describe('non-inferior', () => {
  it('fails if the lower limit of the reference is below the margin', () => {
    for (const { regressions, fixes, pairs, lower } of reference.paired_difference.cases) {
      const facts = compared(regressions, fixes, pairs)
      for (const margin of [0.01, 0.05, 0.2])
        expect([regressions, fixes, pairs, margin, judged(`non-inferior:${margin}`, { compared: facts })]).toEqual([
          regressions,
          fixes,
          pairs,
          margin,
          expect.stringMatching(lower < -margin ? /: failed$/ : /: holds$/),
        ])
    }
    expect(judged('non-inferior:2%', { compared: compared(0, 0, 100) })).toBe(
      '0.0 points over 100 pairs, lower limit −2.7: a drop of 2.0 points cannot be ruled out: failed',
    )
    expect(judged('non-inferior:3%', { compared: compared(0, 0, 100) })).toMatch(/is ruled out: holds$/)
  })

  it('uses the clustered limit where cases depend on each other', () => {
    const clustered = { mean: -0.01, se: 0.02, df: 30, p_value: 0.62, groups: 31, few_groups: false }
    // t(0.975, 30) = 2.042: -1 - 4.1 = -5.1 points.
    const facts = compared(3, 2, 100, { is_clustered: true, clustered })
    expect(judged('non-inferior:5%', { compared: facts })).toMatch(
      /grouped by test \(31 groups\), lower limit −5.1: .*failed$/,
    )
    expect(judged('non-inferior:6%', { compared: facts })).toMatch(/holds$/)
  })

  it('cannot rule out anything without pairs', () =>
    expect(judged('non-inferior:50%', { compared: compared(0, 0, 0) })).toMatch(/: failed$/))
})

it('no-newly-failing counts cases that are not flaky', () => {
  const facts = (cases: number, flaky: number) => compared(cases, 0, 50, { newly_failing: { cases, flaky } })
  expect(judged('no-newly-failing', { compared: facts(0, 0) })).toBe('0 newly failing (at most 0): holds')
  expect(judged('no-newly-failing', { compared: facts(3, 2) })).toBe(
    '1 newly failing, 2 flaky not counted (at most 0): failed',
  )
  expect(judged('no-newly-failing:1', { compared: facts(3, 2) })).toMatch(/holds$/)
  expect(judged('no-newly-failing:2', { compared: facts(3, 0) })).toMatch(/failed$/)
})

describe('pass-rate and score', () => {
  it('compare the rate, or the lower limit of Wilson', () => {
    // The reference: 15 of 148 has the interval 6.2 to 16.0 %.
    const known = reference.wilson.cases.find(({ passed, total }) => passed === 15 && total === 148)
    expect(known?.lower).toBeCloseTo(0.0624, 4)
    const head = run(15, 148)
    expect(judged('pass-rate:10%', { head })).toBe('10.1% (15 of 148), at least 10.0%: holds')
    expect(judged('pass-rate:0.11', { head })).toMatch(/failed$/)
    expect(judged('pass-rate:lower:6.2%', { head })).toBe('10.1% (15 of 148), lower limit 6.2%, at least 6.2%: holds')
    expect(judged('pass-rate:lower:0.07', { head })).toMatch(/failed$/)
    expect(judged('pass-rate:0', { head: run(0, 0) })).toBe('the run has no cases: failed')
  })

  it('take the limit over groups where cases depend on each other', () => {
    const head = run(90, 100, { is_clustered: true, clustered_pass_rate: { lower: 0.7 } })
    expect(judged('pass-rate:lower:0.8', { head })).toMatch(/lower limit 70.0%.*failed$/)
    expect(judged('pass-rate:lower:0.8', { head: { ...head, clustered_pass_rate: null } })).toMatch(/82.6%.*holds$/)
  })

  it('compare the mean score, or its lower limit', () => {
    const head = run(1, 1, { score: { mean: 0.8, lower: 0.75 } })
    expect(judged('score:0.8', { head })).toBe('mean 0.800, at least 0.8: holds')
    expect(judged('score:0.81', { head })).toMatch(/failed$/)
    expect(judged('score:lower:0.75', { head })).toBe('mean 0.800, lower limit 0.750, at least 0.75: holds')
    expect(judged('score:lower:76%', { head })).toMatch(/failed$/)
    expect(judged('score:0', { head: run(1, 1) })).toBe('no case has a score: failed')
    const errored = run(1, 2, { score: { mean: 0.95, lower: 0.9 }, errors: 1 })
    expect(judged('score:0.9', { head: errored })).toBe(
      'mean 0.950, at least 0.9; 1 case ended with an error, so the mean is not known: failed',
    )
    expect(judged('score:lower:0.9', { head: { ...errored, errors: 2 } })).toBe(
      'mean 0.950, lower limit 0.900, at least 0.9; 2 cases ended with an error, so the mean is not known: failed',
    )
    expect(judged('score:lower:0', { head: run(1, 1, { score: { mean: 1, lower: null } }) })).toMatch(/failed$/)
  })
})

describe('cost, latency and errors', () => {
  const cost = (base: number | null, head: number | null) => ({
    compared: compared(0, 0, 9, { cost_usd: { ...NOTHING, pairs: 9, base, head } }),
  })

  it('compare with the baseline', () => {
    expect(judged('cost:+20%', cost(0.1, 0.12))).toBe('$0.1000 → $0.1200 over 9 pairs, +20.0% (at most +20%): holds')
    expect(judged('cost:+20%', cost(0.1, 0.1201))).toMatch(/\+20.1% .*: failed$/)
    expect(judged('cost:+0%', cost(0.1, 0.05))).toMatch(/−50.0% .*: holds$/)
    expect(judged('cost:+20%', cost(0, 0))).toMatch(/: holds$/)
    expect(judged('cost:+20%', cost(0, 0.01))).toMatch(/from nothing .*: failed$/)
    const latency = compared(0, 0, 9, { latency_ms: { ...NOTHING, pairs: 9, base: 800, head: 961 } })
    expect(judged('latency:+20%', { compared: latency })).toBe(
      '800 ms → 961 ms over 9 pairs, +20.1% (at most +20%): failed',
    )
  })

  it('do not hold where nothing was recorded', () => {
    expect(judged('cost:+20%', cost(null, null))).toBe('no case recorded its cost in both runs: failed')
    expect(judged('latency:+20%', { compared: compared(0, 0, 9) })).toMatch(/its latency in both runs: failed$/)
  })

  it('fail by the ratio only where its whole interval is above the limit', () => {
    const dearer = (lower: number, from_cache = 0) => ({
      compared: compared(0, 0, 180, {
        cost_usd: { ...NOTHING, ratio: { estimate: 1.4, lower, upper: 1.5, pairs: 180 }, from_cache },
      }),
    })
    expect(judged('cost:clear:+20%', dearer(1.31, 3))).toBe(
      '1.40 times over 180 pairs, 95% interval 1.31 to 1.50, 3 pairs read from a cache not counted (not clearly above +20%): failed',
    )
    expect(judged('cost:clear:+20%', dearer(1.2))).toMatch(/: holds$/)
    expect(judged('cost:clear:+20%', dearer(0.9))).toMatch(/: holds$/)
  })

  it('do not judge by the ratio what was read from a cache, and do not hold without a ratio otherwise', () => {
    const cached = {
      compared: compared(0, 0, 9, { latency_ms: { ...NOTHING, pairs: 9, base: 5, head: 9, from_cache: 9 } }),
    }
    expect(judged('latency:clear:+20%', cached)).toBe('nothing to judge, 9 pairs read from a cache not counted: holds')
    expect(judged('latency:clear:+20%', { compared: compared(0, 0, 9) })).toBe(
      'fewer than two tests recorded their latency in both runs: failed',
    )
  })

  it('count errors', () => {
    expect(judged('errors:1', { head: run(1, 3, { errors: 1 }) })).toBe('1 error (at most 1): holds')
    expect(judged('errors:1', { head: run(1, 3, { errors: 2 }) })).toBe('2 errors (at most 1): failed')
  })
})

describe('unseenDrop', () => {
  it('says that a drop of 5 points could not be seen, and which could', () => {
    // The reference: with 10 % discordance 5 points need 312 pairs, and 300 pairs show 5.1.
    expect(reference.planning.pairs_needed[0]).toMatchObject({ delta: 0.05, discordance: 0.1, pairs: 312 })
    expect(unseenDrop({ pairs: 300, worse: 15, better: 15 })).toBe(
      'a drop of 5 points could not be seen with 300 pairs: it needs about 312, and these show drops of about 5.1 points or more',
    )
    expect(unseenDrop({ pairs: 320, worse: 16, better: 16 })).toBeNull()
    expect(unseenDrop({ pairs: 20, worse: 1, better: 1 })).toBe(
      'a drop of 5 points could not be seen with 20 pairs: it needs about 312',
    )
  })

  it('counts at least the cases that such a drop changes, and nothing without pairs', () => {
    // By hand: (1.95996 sqrt(0.05) + 0.84162 sqrt(0.05 - 0.0025))^2 / 0.0025 = 154.6.
    expect(unseenDrop({ pairs: 154, worse: 0, better: 0 })).toContain('it needs about 155')
    expect(unseenDrop({ pairs: 155, worse: 0, better: 0 })).toBeNull()
    expect(unseenDrop({ pairs: 0, worse: 0, better: 0 })).toBeNull()
  })
})

describe('rules about a judge', () => {
  const calibration = (more: Partial<GatedCalibration> = {}): GatedCalibration => ({
    state: 'good',
    reasons: [],
    rate: { estimate: 0.709, lower: 0.651, upper: 0.762 },
    agreement: {
      ac1: { estimate: 0.75, lower: 0.62, upper: 0.84 },
      kappa: { estimate: 0.6, lower: 0.41, upper: 0.72 },
    },
    labels: 212,
    ...more,
  })
  const by = (rule: string, more: Partial<GatedCalibration> = {}, metric: string | null = null): string =>
    judged(rule, { calibrations: new Map([[metric, calibration(more)]]) })

  it('compares the estimate, or the lower limit, with the share', () => {
    expect(by('calibrated-pass-rate:0.7')).toBe('70.9% (65.1% to 76.2%) by 212 labels, at least 70.0%: holds')
    expect(by('calibrated-pass-rate:0.71')).toMatch(/: failed$/)
    expect(by('calibrated-pass-rate:lower:0.7')).toBe(
      '70.9% (65.1% to 76.2%) by 212 labels, lower limit at least 70.0%: failed',
    )
    expect(by('calibrated-pass-rate:lower:0.651')).toMatch(/: holds$/)
    expect(by('judge-agreement:0.75')).toBe('AC1 0.75 (0.62 to 0.84) by 212 labels, at least 0.75: holds')
    expect(by('judge-agreement:lower:0.75')).toMatch(/: failed$/)
    expect(by('judge-agreement:kappa:0.75')).toBe('kappa 0.60 (0.41 to 0.72) by 212 labels, at least 0.75: failed')
    expect(by('judge-agreement:kappa:lower:0.4@tone', {}, 'tone')).toMatch(/: holds$/)
  })

  it('is neither a pass nor a failure without a good calibration, and says why', () => {
    const reasons = ['newest label 112 days old; rubric allows 90']
    for (const least of ['0', '1'])
      expect(by(`calibrated-pass-rate:${least}`, { state: 'stale', reasons })).toBe(
        'cannot be judged: the calibration is stale (newest label 112 days old; rubric allows 90): not_calibrated',
      )
    expect(by('judge-agreement:0.5', { state: 'weak', reasons: ['12 labels; it needs 50'], rate: null })).toBe(
      'cannot be judged: the calibration is weak (12 labels; it needs 50): not_calibrated',
    )
    expect(by('judge-agreement:0.5', { state: 'none', reasons: ['no case was labelled by people'] })).toBe(
      'cannot be judged: there is no calibration (no case was labelled by people): not_calibrated',
    )
  })
})
