import { mcnemar } from '../statistics/statistics.ts'
import { isPassing, type Outline } from './outline.ts'

/** What changed from one run to the next, over the cases of both. */
export type SeriesChange = {
  /** Cases that passed and now fail, and the reverse. */
  readonly worse: number
  readonly better: number
  /** Cases that passed and are now skipped, and the reverse. */
  readonly lost: number
  readonly regained: number
  /** Exact, two-sided, over the cases with a verdict in both runs, as in a comparison of the two. */
  readonly p: number
  /** The same test in which a lost case counts as worse and a regained one as better. */
  readonly p_with_lost: number
  /** Whether tests have several trials, which the test takes as independent. */
  readonly has_trials: boolean
}

const SKIPPED = 's'

/** Compares a run with an older one, case by case. */
export const changeBetween = (older: Outline, newer: Outline): SeriesChange => {
  const marks = new Map<number, string>()
  for (let i = 0; i < older.size; i++) marks.set(older.historyKey(i), older.mark(i))
  let [worse, better, lost, regained] = [0, 0, 0, 0]
  const units = new Set<number>()
  for (let i = 0; i < newer.size; i++) {
    units.add(newer.unitKey(i))
    const before = marks.get(newer.historyKey(i))
    if (before === undefined) continue
    const mark = newer.mark(i)
    const [was, is] = [isPassing(before), isPassing(mark)]
    if (was === true && is === false) worse++
    else if (was === false && is === true) better++
    else if (was === true && mark === SKIPPED) lost++
    else if (before === SKIPPED && is === true) regained++
  }
  return {
    worse,
    better,
    lost,
    regained,
    p: mcnemar(worse, better).p_value,
    p_with_lost: mcnemar(worse + lost, better + regained).p_value,
    has_trials: units.size < newer.size,
  }
}
