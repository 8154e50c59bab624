import { pairedRatio, type PairedRatio } from '../statistics/ratios.ts'
import { mcnemar } from '../statistics/statistics.ts'
import type { Measures } from './measures.ts'
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

/** The mark of a skipped case in an outline. */
export const SKIPPED = 's'

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

/** The ratio of a measure from one run to the next, over the cases that recorded it in both. */
export type MeasureChange = Pick<PairedRatio, 'estimate' | 'lower' | 'upper' | 'p_value' | 'groups'> & {
  readonly pairs: number
  /** Pairs that are left out because an answer was read from a cache. */
  readonly from_cache: number
}

/** Null for a measure that too few cases of both runs recorded. */
export type MeasureChanges = { readonly cost: MeasureChange | null; readonly latency: MeasureChange | null }

export type MeasuredRun = { readonly outline: Outline; readonly measures: Measures }

/**
 * How the cost and the latency of the cases of both runs changed, by the ratio that a comparison of the two has: trials of a
 * test are one group.
 */
export const measureChanges = (older: MeasuredRun, newer: MeasuredRun): MeasureChanges => {
  const places = new Map<number, number>()
  for (let i = 0; i < older.outline.size; i++) places.set(older.outline.historyKey(i), i)
  const changeOf = (measure: 'cost_micro' | 'latency_ms'): MeasureChange | null => {
    const pairs: Array<{ readonly base: number; readonly head: number; readonly group: number }> = []
    let from_cache = 0
    for (let i = 0; i < newer.outline.size; i++) {
      const place = places.get(newer.outline.historyKey(i))
      if (place === undefined) continue
      const [base, head] = [older.measures.value(measure, place), newer.measures.value(measure, i)]
      if (Number.isNaN(base) || Number.isNaN(head)) continue
      if (older.measures.isCached(place) || newer.measures.isCached(i)) from_cache++
      else if (base > 0 && head > 0) pairs.push({ base, head, group: newer.outline.unitKey(i) })
    }
    const ratio = pairedRatio(pairs)
    if (!ratio) return null
    const { estimate, lower, upper, p_value, groups } = ratio
    return { estimate, lower, upper, p_value, groups, pairs: pairs.length, from_cache }
  }
  return { cost: changeOf('cost_micro'), latency: changeOf('latency_ms') }
}
