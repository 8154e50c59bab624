import type { CaseStatus } from '../run/document.ts'
import { bootstrapInterval, TESTS_SEED } from './bootstrap.ts'
import { decisionOf } from './comparison.ts'
import { meanInterval } from './means.ts'
import { passRate, type Limits } from './statistics.ts'

/** What the statistics of runs need of a case. */
export type CaseOutcome = {
  readonly case_key: string
  readonly provider_id: string | null
  readonly prompt_id: string | null
  readonly test_id: string | null
  readonly repeat: number | null
  readonly status: CaseStatus
  readonly score: number | null
}

/**
 * What identifies a case across runs. Keys contain the provider, so runs of different providers share none; their cases
 * are joined by test, prompt and repeat, and by test and repeat alone if their prompts differ too.
 */
export const JOINS = ['case_key', 'test_prompt_repeat', 'test_repeat'] as const
export type Join = (typeof JOINS)[number]

const isMissing = (text: string | null): boolean => text === null || text === ''

/** The key of a case in a join; its case key if it has no test. Stored text never contains NUL. */
export const joinKey = ({ case_key, test_id, prompt_id, repeat }: CaseOutcome, join: Join): string => {
  if (join === 'case_key' || isMissing(test_id)) return case_key
  return join === 'test_repeat' ? `${test_id}\0${repeat ?? 0}` : `${test_id}\0${prompt_id ?? ''}\0${repeat ?? 0}`
}

type CaseOfTest = Pick<CaseOutcome, 'case_key' | 'provider_id' | 'test_id'> & {
  readonly prompt_id?: string | null | undefined
}

/** The key of the trials of one test in one column. */
const unitKey = ({ case_key, provider_id, prompt_id, test_id }: CaseOfTest, join: Join): string => {
  if (isMissing(test_id)) return case_key
  if (join === 'test_repeat') return test_id ?? ''
  return join === 'case_key' ? `${test_id}\0${prompt_id ?? ''}\0${provider_id ?? ''}` : `${test_id}\0${prompt_id ?? ''}`
}

/**
 * Chooses how to join runs: the first join by which each run shares a case with the first run. A join other than by key
 * must also identify each case of each run; a run of several models has several cases of one test. If no join fits, the
 * runs are joined by key and share nothing.
 */
export const chooseJoin = (runs: ReadonlyArray<readonly CaseOutcome[]>): Join => {
  const [first = [], ...others] = runs
  const fits = (join: Join): boolean => {
    const sets = runs.map((run) => new Set(run.map((outcome) => joinKey(outcome, join))))
    if (join !== 'case_key' && sets.some((keys, i) => keys.size !== runs[i]?.length)) return false
    const [base] = sets
    return others.every((run) => run.some((outcome) => base?.has(joinKey(outcome, join))))
  }
  return first.length === 0 ? 'case_key' : (JOINS.find(fits) ?? 'case_key')
}

export type JoinedCase<O> = { readonly key: string; readonly base: O | null; readonly head: O | null }

/** Joins the cases of two runs: in the order of the base, then the cases of the head alone. */
export const joinCases = <O extends CaseOutcome>(
  base: readonly O[],
  head: readonly O[],
  join: Join,
): Array<JoinedCase<O>> => {
  const left = new Map(head.map((outcome) => [joinKey(outcome, join), outcome]))
  const joined = base.map((outcome): JoinedCase<O> => {
    const key = joinKey(outcome, join)
    const partner = left.get(key) ?? null
    left.delete(key)
    return { key, base: outcome, head: partner }
  })
  return [...joined, ...[...left].map(([key, outcome]) => ({ key, base: null, head: outcome }))]
}

/**
 * A test in a column: how many of its trials passed, and the sum of their scores. Trials that decided nothing are left
 * out.
 */
export type Unit<O> = {
  readonly first: O
  trials: number
  passed: number
  scored: number
  score: number
}

export const pairingUnits = <O extends CaseOutcome>(outcomes: readonly O[], join: Join): Map<string, Unit<O>> => {
  const units = new Map<string, Unit<O>>()
  for (const outcome of outcomes) {
    const decision = decisionOf(outcome.status)
    if (decision === 'neutral') continue
    const key = unitKey(outcome, join)
    let unit = units.get(key)
    if (!unit) units.set(key, (unit = { first: outcome, trials: 0, passed: 0, scored: 0, score: 0 }))
    unit.trials++
    if (decision === 'passing') unit.passed++
    if (outcome.score === null) continue
    unit.scored++
    unit.score += outcome.score
  }
  return units
}

/** The largest number of trials of a test in a column. */
export const mostTrials = <O>(units: ReadonlyMap<string, Unit<O>>): number => {
  let most = 0
  for (const { trials } of units.values()) most = Math.max(most, trials)
  return most
}

/** Smaller differences are those of rounding. */
const NO_DIFFERENCE = 1e-12

/**
 * The 95 % interval of the share of cases that pass, where tests have several trials in a column, which depend on each
 * other: that of the leaderboard, which resamples tests, or is Student's t of more than 1,000. With unequal numbers of
 * trials a test counts by its residuals, as `clusteredMean` has it, so that the interval is of the share of all cases.
 * Where all tests have the same share, their spread says nothing; the interval is then Wilson's, of as many cases as there
 * are tests. Null if no test has several cases: then it is Wilson's of the cases.
 */
export const passInterval = (
  cases: ReadonlyArray<CaseOfTest & Pick<CaseOutcome, 'status'>>,
  isPass: (status: CaseStatus) => boolean = (status) => status === 'pass',
): Limits | null => {
  // Most runs have no trials, and end here: half the time, which each upload takes.
  if (new Set(cases.map(({ test_id }) => test_id)).size === cases.length) return null
  const tests = new Map<string, { trials: number; passed: number }>()
  let all = 0
  for (const each of cases) {
    const key = unitKey(each, 'case_key')
    const test = tests.get(key) ?? { trials: 0, passed: 0 }
    tests.set(key, test)
    const passed = isPass(each.status) ? 1 : 0
    test.trials++
    test.passed += passed
    all += passed
  }
  if (tests.size === cases.length) return null
  const rate = all / cases.length
  const values = [...tests.values()].map(
    ({ trials, passed }) => rate + ((passed - rate * trials) * tests.size) / cases.length,
  )
  const isSpread = values.some((value) => Math.abs(value - rate) > NO_DIFFERENCE)
  const { lower, upper } =
    (isSpread ? (bootstrapInterval(values, TESTS_SEED) ?? meanInterval(values)) : null) ??
    passRate(rate * tests.size, tests.size)
  return { lower: Math.max(0, lower), upper: Math.min(1, upper) }
}

/** The mean values of a unit in two runs. The scores are null if a run has none. */
export type PairedUnit<O> = {
  readonly first: O
  readonly base_pass: number
  readonly head_pass: number
  readonly base_score: number | null
  readonly head_score: number | null
}

/** Pairs the units that both runs have, in the order of the base. */
export const pairUnits = <O>(
  base: ReadonlyMap<string, Unit<O>>,
  head: ReadonlyMap<string, Unit<O>>,
): Array<PairedUnit<O>> => {
  const paired: Array<PairedUnit<O>> = []
  for (const [key, before] of base) {
    const after = head.get(key)
    if (!after) continue
    paired.push({
      first: before.first,
      base_pass: before.passed / before.trials,
      head_pass: after.passed / after.trials,
      base_score: before.scored === 0 ? null : before.score / before.scored,
      head_score: after.scored === 0 ? null : after.score / after.scored,
    })
  }
  return paired
}

/** How the cases that both runs have went. `neutral`: skipped, or failed as expected. */
export type PairCounts = {
  readonly shared: number
  readonly base_only: number
  readonly head_only: number
  readonly pairs: number
  readonly worse: number
  readonly better: number
  readonly still_passing: number
  readonly still_failing: number
  readonly left_out: number
  readonly left_out_by: {
    readonly passed_then_neutral: number
    readonly failed_then_neutral: number
    readonly neutral_then_passed: number
    readonly neutral_then_failed: number
    readonly neutral_in_both: number
  }
}

type Side = 'passing' | 'failing' | 'neutral'
const PAIR = {
  passing: { passing: 'still_passing', failing: 'worse', neutral: 'passed_then_neutral' },
  failing: { passing: 'better', failing: 'still_failing', neutral: 'failed_then_neutral' },
  neutral: { passing: 'neutral_then_passed', failing: 'neutral_then_failed', neutral: 'neutral_in_both' },
} as const satisfies Record<Side, Record<Side, string>>

/** Counts joined cases by what happened to them. */
export const countPairs = (joined: ReadonlyArray<JoinedCase<CaseOutcome>>): PairCounts => {
  const counts = {
    still_passing: 0,
    worse: 0,
    passed_then_neutral: 0,
    better: 0,
    still_failing: 0,
    failed_then_neutral: 0,
    neutral_then_passed: 0,
    neutral_then_failed: 0,
    neutral_in_both: 0,
  }
  let [base_only, head_only] = [0, 0]
  for (const { base, head } of joined)
    if (!head) base_only++
    else if (!base) head_only++
    else counts[PAIR[decisionOf(base.status)][decisionOf(head.status)]]++
  const { worse, better, still_passing, still_failing, ...left_out_by } = counts
  const pairs = worse + better + still_passing + still_failing
  const left_out = Object.values(left_out_by).reduce((sum, n) => sum + n, 0)
  return {
    shared: pairs + left_out,
    base_only,
    head_only,
    pairs,
    worse,
    better,
    still_passing,
    still_failing,
    left_out,
    left_out_by,
  }
}
