import { rankSuites, type Ranking } from '../../../queries/sets/overview.ts'
import { allThresholds, type StoredSettings } from '../../../queries/sets/suite-settings.ts'
import type { SuiteState } from '../../../queries/sets/suite-states.ts'

/** Maximum number of lists of suites whose ranking is cached: viewers of the same suites share one. */
const MAX_RANKINGS = 8

type Cached = {
  readonly states: readonly SuiteState[]
  readonly now: number
  /** The thresholds of all these suites, as a text. */
  readonly thresholds: string
  readonly ranking: Ranking
}

/**
 * Caches the rankings of the lists that were ranked last, for the other pages and filters of the same list. A suite has
 * the same state object until it changes, so the same objects with the same thresholds have the same ranking. A ranking
 * of an earlier time is never used again.
 */
export const suiteRankings = (): ((
  states: readonly SuiteState[],
  now: number,
  settings: ReadonlyMap<string, StoredSettings>,
) => Ranking) => {
  let cached: readonly Cached[] = []
  return (states, now, settings) => {
    const set = allThresholds(settings)
    const thresholds = JSON.stringify([...set])
    const current = cached.filter((each) => each.now === now)
    const found = current.find((each) => each.thresholds === thresholds && isSameList(each.states, states)) ?? {
      states,
      now,
      thresholds,
      ranking: rankSuites(states, now, set),
    }
    cached = [found, ...current.filter((each) => each !== found)].slice(0, MAX_RANKINGS)
    return found.ranking
  }
}

const isSameList = (a: readonly SuiteState[], b: readonly SuiteState[]): boolean =>
  a.length === b.length && a.every((state, i) => state === b[i])
