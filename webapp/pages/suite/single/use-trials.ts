import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { SuiteGrid } from '../../../../queries/cases/grid.ts'
import type { Leaderboard } from '../../../../queries/statistics/leaderboard.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import type { Suite } from '../use-suite.ts'

/** Number of tests for which one request has the trials. */
const MAX_TESTS = 500

/**
 * The trials of a suite's only run, which has one column: its line of the leaderboard, and a row for each test with the
 * trials that passed. `tests` is empty where there are more than one answer has.
 */
export const useTrials = (suite: () => Suite, runId: () => string, enabled: () => boolean) => {
  const board = useQuery({
    queryKey: computed(() => ['run', runId(), 'leaderboard', 'column', null]),
    queryFn: ({ signal }) =>
      api.get<Leaderboard>(pathTo('runs', runId(), 'leaderboard') + queryOf({ by: 'column' }), signal),
    enabled,
    // A run never changes.
    staleTime: Infinity,
  })
  const grid = useQuery({
    queryKey: computed(() => ['grid', suite().project, suite().suite, 'trials', runId()]),
    queryFn: ({ signal }) =>
      api.get<SuiteGrid>(
        pathTo('projects', suite().project, 'suites', suite().suite, 'grid') +
          queryOf({ runs: 1, limit: MAX_TESTS, order: 'name', fold: 'trials' }),
        signal,
      ),
    enabled,
  })
  return {
    line: computed(() => board.data.value?.columns[0]),
    tests: computed(() => (grid.data.value?.next_cursor === null ? grid.data.value.rows : [])),
    error: computed(() => board.error.value ?? grid.error.value),
    isKnown: computed(
      () => (board.data.value ?? board.error.value) !== null && (grid.data.value ?? grid.error.value) !== null,
    ),
    reload: () => void Promise.all([board.refetch(), grid.refetch()]),
  }
}
