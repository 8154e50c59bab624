import { bootstrapInterval } from '../../../domain/statistics/bootstrap.ts'
import { segmentTrend } from '../../../domain/statistics/change-points.ts'
import { adjustForMany, FALSE_DISCOVERY_RATE } from '../../../domain/statistics/many.ts'
import { meanInterval } from '../../../domain/statistics/means.ts'
import { pairedDifference, midP, pairedVerdict } from '../../../domain/statistics/paired-rates.ts'
import { mcnemar } from '../../../domain/statistics/statistics.ts'
import { randomOf } from '../../documents.ts'
import type { SoakContext } from '../soak.ts'

const PAIRS = 10_000
const CASES = 200
/** The bootstrap of a pair takes 10 ms. */
const RESAMPLED_PAIRS = 1_000
const FAMILY = 20
const SERIES = 1_000
const RUNS_OF_SERIES = 50
const CASES_OF_SERIES = 100
const LEVEL_RATE = 0.8

const MAX_FALSE_ALARMS = 0.05
/** The mid-p value and the intervals are close to 5 %, not below it; this is their level and four of its errors. */
const MAX_NEAR_LEVEL = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / RESAMPLED_PAIRS)
/** A hundredth of level series, and four of its errors. */
const MAX_CHANGES = 0.01 + 4 * Math.sqrt((0.01 * 0.99) / SERIES)

/** Compares pairs of runs of one distribution: whatever differs is chance. */
export const falseAlarms = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const random = randomOf(seed)
  // Each case has its own probability to pass: most always pass, few never, some change from run to run.
  const chances = Array.from({ length: CASES }, () => {
    const kind = random()
    return kind < 0.6 ? 1 : kind < 0.75 ? 0 : random()
  })
  const counts = { exact: 0, mid: 0, interval: 0, t: 0, bootstrap: 0, families: 0 }
  const pValues: number[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    let [worse, better] = [0, 0]
    const scores: number[] = []
    for (const chance of chances) {
      const [base, head] = [random() < chance ? 1 : 0, random() < chance ? 1 : 0]
      if (base > head) worse++
      else if (head > base) better++
      scores.push(head * (0.5 + random() / 2) - base * (0.5 + random() / 2))
    }
    const verdict = pairedVerdict(worse, better)
    if (verdict === 'worse' || verdict === 'better') counts.exact++
    if (midP(worse, better) < 0.05) counts.mid++
    const difference = pairedDifference(worse, better, CASES)
    if (difference && (difference.lower > 0 || difference.upper < 0)) counts.interval++
    if ((meanInterval(scores)?.p_value ?? 1) < 0.05) counts.t++
    pValues.push(mcnemar(worse, better).p_value)
    if (pair >= RESAMPLED_PAIRS) continue
    const limits = bootstrapInterval(scores, `${seed}/${pair}`)
    if (limits && (limits.lower > 0 || limits.upper < 0)) counts.bootstrap++
  }
  for (let i = 0; i < PAIRS; i += FAMILY)
    if (adjustForMany(pValues.slice(i, i + FAMILY)).some((q) => q < FALSE_DISCOVERY_RATE)) counts.families++

  let changes = 0
  for (let series = 0; series < SERIES; series++) {
    const points = Array.from({ length: RUNS_OF_SERIES }, () => {
      let passed = 0
      for (let i = 0; i < CASES_OF_SERIES; i++) if (random() < LEVEL_RATE) passed++
      return { passed, total: CASES_OF_SERIES }
    })
    if (segmentTrend(points).segments.length > 1) changes++
  }

  const share = (count: number, of: number): string => `${((100 * count) / of).toFixed(2)} % of ${of}`
  const families = PAIRS / FAMILY
  expect(counts.exact / PAIRS <= MAX_FALSE_ALARMS, `exact verdict: ${share(counts.exact, PAIRS)} pairs`)
  expect(counts.mid / PAIRS <= MAX_NEAR_LEVEL, `mid-p: ${share(counts.mid, PAIRS)} pairs`)
  expect(
    counts.interval / PAIRS <= MAX_NEAR_LEVEL,
    `interval of the difference: ${share(counts.interval, PAIRS)} pairs`,
  )
  expect(counts.t / PAIRS <= MAX_NEAR_LEVEL, `t test of scores: ${share(counts.t, PAIRS)} pairs`)
  expect(
    counts.bootstrap / RESAMPLED_PAIRS <= MAX_NEAR_LEVEL,
    `bootstrap of scores: ${share(counts.bootstrap, RESAMPLED_PAIRS)} pairs`,
  )
  expect(
    counts.families / families <= MAX_FALSE_ALARMS,
    `families of ${FAMILY} with an adjusted alarm: ${share(counts.families, families)}`,
  )
  expect(changes / SERIES <= MAX_CHANGES, `change in a level series: ${share(changes, SERIES)} series`)
  print(`runs of ${CASES} cases; series of ${RUNS_OF_SERIES} runs of ${CASES_OF_SERIES} cases at ${LEVEL_RATE}`)
}
