/** A case is flaky from so many flips on. */
const FLAKY_FLIPS = 4

/** How often a case changed between passing and failing, over runs that do not differ in what they ask. */
export type Flakiness = {
  /** Runs with a verdict. */
  readonly points: number
  readonly flips: number
  readonly flip_rate: number | null
  readonly pass_rate: number | null
  /** The rate at which verdicts drawn at random with this pass rate would flip. */
  readonly expected_flip_rate: number | null
  readonly flaky: boolean
}

/** The runs of a case that are counted so far. */
export type UnitTally = { points: number; flips: number; passed: number; last: 'pass' | 'fail' | 'mixed' | null }

export const newTally = (): UnitTally => ({ points: 0, flips: 0, passed: 0, last: null })

/**
 * Counts one more run of a case, by the numbers of its trials that pass and fail. Call it in the order of the runs,
 * forward or backward. A run without a verdict is passed over. Trials that disagree count as one flip; a change from
 * before to after such a run is no further flip.
 */
export const countRun = (tally: UnitTally, passing: number, failing: number): void => {
  const trials = passing + failing
  if (trials === 0) return
  const verdict = failing === 0 ? 'pass' : passing === 0 ? 'fail' : 'mixed'
  tally.points++
  tally.passed += passing / trials
  if (verdict === 'mixed') tally.flips++
  else if (tally.last !== null && tally.last !== 'mixed' && tally.last !== verdict) tally.flips++
  tally.last = verdict
}

/**
 * The flips of a case, and how many chance would give: with a pass rate p, two neighbours differ with probability
 * 2 p (1 - p); n / (n - 1) corrects for p being estimated from the same n runs.
 */
export const flakiness = ({ points, flips, passed }: Readonly<UnitTally>): Flakiness => {
  const rate = points === 0 ? null : passed / points
  return {
    points,
    flips,
    flip_rate: points < 2 ? null : Math.min(1, flips / (points - 1)),
    pass_rate: rate,
    expected_flip_rate: rate === null || points < 2 ? null : (2 * rate * (1 - rate) * points) / (points - 1),
    flaky: flips >= FLAKY_FLIPS,
  }
}
