import { rankSuites, type Ranking } from '../../../queries/sets/overview.ts'
import type { SuiteState } from '../../../queries/sets/suite-states.ts'

/** Maximum number of lists of suites whose ranking is cached: viewers of the same suites share one. */
const MAX_RANKINGS = 8

type Cached = { readonly states: readonly SuiteState[]; readonly now: number; readonly ranking: Ranking }

/**
 * Caches the rankings of the lists that were ranked last, for the other pages and filters of the same list. A suite has
 * the same state object until it changes, so the same objects have the same ranking. A ranking of an earlier time is
 * never used again.
 */
export const suiteRankings = (): ((states: readonly SuiteState[], now: number) => Ranking) => {
  let cached: readonly Cached[] = []
  return (states, now) => {
    const current = cached.filter((each) => each.now === now)
    const found = current.find((each) => isSameList(each.states, states)) ?? {
      states,
      now,
      ranking: rankSuites(states, now),
    }
    cached = [found, ...current.filter((each) => each !== found)].slice(0, MAX_RANKINGS)
    return found.ranking
  }
}

const isSameList = (a: readonly SuiteState[], b: readonly SuiteState[]): boolean =>
  a.length === b.length && a.every((state, i) => state === b[i])
