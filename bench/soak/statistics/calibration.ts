import { gwet } from '../../../domain/statistics/agreement.ts'
import { dependenceOf } from '../../../domain/statistics/dependence.ts'
import {
  carriedOverRate,
  correctedDifference,
  countLabelled,
  judgeMeasures,
  ownCalibratedRate,
  posteriorOf,
  rememberedDraws,
  residualsOf,
  type LabelledCase,
} from '../../../domain/statistics/judge.ts'
import { pairedNormal } from '../../../domain/statistics/paired-rates.ts'
import { ppiMean } from '../../../domain/statistics/ppi.ts'
import { normalQuantile } from '../../../domain/statistics/quantiles.ts'
import { passRate } from '../../../domain/statistics/statistics.ts'
import { randomOf } from '../../documents.ts'
import { setting, type SoakContext } from '../soak.ts'
import { roganGladen } from './rogan-gladen.ts'

/** Coverage of a 95 % interval that is good enough. */
const [LEAST, MOST] = [0.93, 0.97]
const CASES = 500

type Random = () => number
type Limits = { readonly lower: number; readonly upper: number }
/** A judge: how often it passes what people pass, and fails what they fail. */
type Judge = { readonly q1: number; readonly q0: number }

/** What a cell of the table makes: an interval, and the value that it should contain; null where there is none. */
type Cell = { readonly name: string; readonly once: (random: Random) => readonly [Limits | null, truth: number] }

// A simulation counts the same numbers again and again.
const draw = rememberedDraws()

const bit = (random: Random, share: number): 0 | 1 => (random() < share ? 1 : 0)

/** Draws of the trials of one test: each is that of the test with the square root of their correlation, else its own. */
const trialsOf = (random: Random, share: number, icc: number): (() => 0 | 1) => {
  const shared = bit(random, share)
  return () => (random() < Math.sqrt(icc) ? shared : bit(random, share))
}

type Suite = { readonly rate: number; readonly judge: Judge; readonly trials?: number; readonly icc?: number }

/** Cases with the verdict of the judge, and what people would say of each. */
const suiteOf = (
  random: Random,
  { rate, judge, trials = 1, icc = 0 }: Suite,
  offset = 0,
): Array<LabelledCase & { readonly truth: 0 | 1 }> =>
  Array.from({ length: CASES / trials }, (_, test) => {
    const human = trialsOf(random, rate, icc)
    const [kept, caught] = [trialsOf(random, judge.q1, icc), trialsOf(random, judge.q0, icc)]
    return Array.from({ length: trials }, () => {
      const truth = human()
      const verdict: 0 | 1 = truth === 1 ? kept() : caught() === 1 ? 0 : 1
      return { group: test + offset, verdict, label: null, truth }
    })
  }).flat()

/** Labels `count` cases at random, or as many of each verdict as there are, up to half. */
const labelled = (
  random: Random,
  cases: ReadonlyArray<LabelledCase & { readonly truth: 0 | 1 }>,
  count: number,
  isStratified: boolean,
): LabelledCase[] => {
  const order = cases.map((each, i) => ({ at: random(), i, verdict: each.verdict })).sort((a, b) => a.at - b.at)
  const chosen = isStratified
    ? [1, 0].flatMap((side) => order.filter(({ verdict }) => verdict === side).slice(0, count / 2))
    : order.slice(0, count)
  const picked = new Set(chosen.map(({ i }) => i))
  return cases.map(({ group, verdict, truth }, i) => ({ group, verdict, label: picked.has(i) ? truth : null }))
}

const judgedOf = (cases: readonly LabelledCase[]) => ({
  passed: cases.filter(({ verdict }) => verdict === 1).length,
  total: cases.length,
})

type Sampling = { readonly labels: number; readonly isStratified: boolean }

const own = (name: string, suite: Suite, { labels, isStratified }: Sampling): Cell => ({
  name,
  once: (random) => {
    const cases = labelled(random, suiteOf(random, suite), labels, isStratified)
    const counts = countLabelled(cases)
    const run = judgedOf(cases)
    const posterior = posteriorOf(counts, run, run, draw)
    const shares = { run: run.total, pool: run.total, ...counts }
    const dependence = (suite.trials ?? 1) === 1 ? null : dependenceOf(residualsOf(cases, posterior.point, shares))
    return [ownCalibratedRate(posterior, dependence), suite.rate]
  },
})

const carried = (name: string, suite: Suite, rate: number, { labels, isStratified }: Sampling): Cell => ({
  name,
  once: (random) => {
    const pool = labelled(random, suiteOf(random, suite), labels, isStratified)
    const run = suiteOf(random, { ...suite, rate }, CASES)
    const counts = countLabelled(pool)
    const posterior = posteriorOf(counts, judgedOf(pool), judgedOf(run), draw)
    const rows = function* () {
      yield* residualsOf(pool, posterior.point, { run: null, pool: CASES, ...counts })
      yield* residualsOf(run, posterior.point, { run: CASES, pool: null, ...counts })
    }
    const found = carriedOverRate(posterior, (suite.trials ?? 1) === 1 ? null : dependenceOf(rows()))
    return [found.reason === null ? found : null, rate]
  },
})

const difference = (name: string, suite: Suite, delta: number, { labels, isStratified }: Sampling): Cell => ({
  name,
  once: (random) => {
    const pool = labelled(random, suiteOf(random, suite), labels, isStratified)
    const { q1, q0 } = suite.judge
    let [worse, better] = [0, 0]
    for (let i = 0; i < CASES; i++) {
      // Most tests go alike in both runs.
      const base = bit(random, suite.rate)
      const head = base === 1 ? 1 : bit(random, delta / (1 - suite.rate))
      const [before, after] = [base, head].map((truth) => (truth === 1 ? bit(random, q1) : bit(random, 1 - q0)))
      if (before === after) continue
      if (after === 1) better++
      else worse++
    }
    const judge = posteriorOf(countLabelled(pool), judgedOf(pool), undefined, draw)
    return [correctedDifference(pairedNormal(worse, better, CASES), judge), delta]
  },
})

const measures = (name: string, suite: Suite, { labels, isStratified }: Sampling): Cell => {
  const { rate, judge } = suite
  const pass = rate * judge.q1 + (1 - rate) * (1 - judge.q0)
  const chance = pass * rate + (1 - pass) * (1 - rate)
  const kappa = (rate * judge.q1 + (1 - rate) * judge.q0 - chance) / (1 - chance)
  return {
    name,
    once: (random) => {
      const cases = labelled(random, suiteOf(random, suite), labels, isStratified)
      return [judgeMeasures(posteriorOf(countLabelled(cases), judgedOf(cases), undefined, draw)).kappa, kappa]
    },
  }
}

/** Scores of people around 0.6, and of a judge that is too mild and imprecise. */
const scores = (name: string, labels: number): Cell => ({
  name,
  once: (random) => {
    const normal = (): number => normalQuantile(Math.max(random(), 1e-12))
    const cases = Array.from({ length: CASES }, (_, i) => {
      const score = 0.6 + 0.15 * normal()
      return { group: i, judged: score + 0.08 + 0.1 * normal(), label: i < labels ? score : null }
    })
    return [ppiMean([cases]), 0.6]
  },
})

/** Two people who each err in a tenth of the items. */
const people = (name: string, items: number, rate: number, error: number): Cell => {
  const pass = rate * (1 - error) + (1 - rate) * error
  const [agree, chance] = [(1 - error) ** 2 + error ** 2, 2 * pass * (1 - pass)]
  return {
    name,
    once: (random) => {
      const labels = Array.from({ length: items }, () => {
        const truth = bit(random, rate)
        return [0, 1].map(() => (random() < error ? 1 - truth : truth))
      })
      return [gwet(labels), (agree - chance) / (1 - chance)]
    },
  }
}

const good = { q1: 0.9, q0: 0.9 }
const mild = { q1: 0.95, q0: 0.8 }
const rough = { q1: 0.8, q0: 0.7 }
const random100 = { labels: 100, isStratified: false }
const stratified100 = { labels: 100, isStratified: true }
const stratified200 = { labels: 200, isStratified: true }

const CELLS: readonly Cell[] = [
  own('own labels: rate 0.7, 100 at random', { rate: 0.7, judge: mild }, random100),
  own('own labels: rate 0.9, 200 by verdict', { rate: 0.9, judge: good }, stratified200),
  own('own labels: rate 0.2, 100 by verdict, rough judge', { rate: 0.2, judge: rough }, stratified100),
  carried('carried over: rate 0.7 as before, 100 by verdict', { rate: 0.7, judge: mild }, 0.7, stratified100),
  carried('carried over: rate 0.7 to 0.8, 200 by verdict', { rate: 0.7, judge: good }, 0.8, stratified200),
  carried('carried over: rate 0.7 to 0.5, 100 at random', { rate: 0.7, judge: mild }, 0.5, random100),
  own('own labels: 5 trials a test, icc 0.3', { rate: 0.7, judge: mild, trials: 5, icc: 0.3 }, stratified200),
  carried(
    'carried over: 10 trials a test, icc 0.6',
    { rate: 0.7, judge: good, trials: 10, icc: 0.6 },
    0.7,
    stratified200,
  ),
  difference('corrected difference of 0.05, 100 by verdict', { rate: 0.7, judge: mild }, 0.05, stratified100),
  measures('kappa of the judge, 200 by verdict', { rate: 0.7, judge: mild }, stratified200),
  scores('mean score, 50 labels', 50),
  people('AC1 of two people, 100 items', 100, 0.8, 0.1),
]

/** How often the 95 % intervals of calibrations contain the true value. SOAK_CALIBRATIONS: calibrations of each cell, default 2,000. */
export const calibration = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const runs = setting('SOAK_CALIBRATIONS', 2_000)
  for (const [number, { name, once }] of CELLS.entries()) {
    const random = randomOf(seed + number * 7919)
    let [covered, above, intervals] = [0, 0, 0]
    for (let i = 0; i < runs; i++) {
      const [limits, truth] = once(random)
      if (limits === null) continue
      intervals++
      if (limits.lower > truth) above++
      if (limits.lower <= truth && truth <= limits.upper) covered++
    }
    const share = covered / intervals
    expect(
      share >= LEAST && share <= MOST,
      `${name}: ${(100 * share).toFixed(1)} % of ${intervals} contain the truth, ${((100 * above) / intervals).toFixed(1)} % lie above it`,
    )
  }
  print(`runs of ${CASES} cases`)
  wrongPasses(runs, seed, expect)
  compareWald(runs, seed, print)
}

/** A judge that passes two of five bad cases, and a bar that the run does not reach: how often its lower limit is above it by chance. */
const wrongPasses = (runs: number, seed: number, expect: SoakContext['expect']): void => {
  const random = randomOf(seed)
  const [rate, bar] = [0.7, 0.7]
  const biased = { rate, judge: { q1: 0.95, q0: 0.6 } }
  let [naive, calibrated] = [0, 0]
  for (let i = 0; i < runs; i++) {
    const cases = labelled(random, suiteOf(random, biased), 200, true)
    const run = judgedOf(cases)
    if (passRate(run.passed, run.total).lower > bar) naive++
    if (ownCalibratedRate(posteriorOf(countLabelled(cases), run, run, draw)).lower > bar) calibrated++
  }
  expect(
    naive >= 0.6 * runs && calibrated <= 0.05 * runs,
    `a run at the bar of ${bar} passes wrongly in ${((100 * naive) / runs).toFixed(1)} % by a biased judge alone, in ${((100 * calibrated) / runs).toFixed(1)} % calibrated`,
  )
}

/** For comparison: Wald's interval of Rogan and Gladen where nearly all cases pass. */
const compareWald = (runs: number, seed: number, print: SoakContext['print']): void => {
  const random = randomOf(seed)
  let covered = 0
  const [rate, labels] = [0.95, 50]
  for (let i = 0; i < runs; i++) {
    const cases = suiteOf(random, { rate, judge: good })
    const [pass, fail] = [1, 0].map((truth) => cases.slice(0, labels).filter((each) => each.truth === truth))
    const passed = (of: readonly LabelledCase[] = []): number => judgedOf(of).passed
    const [m1, m0] = [pass?.length ?? 0, fail?.length ?? 0]
    if (m0 === 0) continue
    const { lower, upper } = roganGladen({
      p: passed(cases) / CASES,
      n: CASES,
      q1: passed(pass) / m1,
      m1,
      q0: 1 - passed(fail) / m0,
      m0,
    })
    if (lower <= rate && rate <= upper) covered++
  }
  print(
    `for comparison, Wald's interval of Rogan and Gladen at 0.95 with 50 labels: ${((100 * covered) / runs).toFixed(1)} %`,
  )
}
