import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { z } from 'zod'
import type { SuiteGrid as Grid } from '../../../queries/cases/grid.ts'
import type { SuiteSet as SuiteSetView } from '../../../queries/sets/sets.ts'
import type { Trend } from '../../../queries/statistics/trend.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'
import { loadedList } from '../../api/use-list.ts'
import { measureOf, type MeasureKey } from '../../suites/measures.ts'

export type Suite = { readonly project: string; readonly suite: string }
export type SuiteSet = z.infer<typeof SuiteSetView>

export const ORDERS = ['flaky', 'changed', 'failing', 'name'] as const
export type Order = (typeof ORDERS)[number]
export type GridFilters = {
  readonly order: Order
  readonly q: string | null
  readonly branch: string | null
  /** Null: a row for each case. */
  readonly fold: 'auto' | 'trials' | 'test' | null
  readonly measure: MeasureKey
}

/** Number of newest runs that the grid shows, and of rows in a request. */
const [GRID_RUNS, GRID_ROWS] = [100, 500]

export const setKey = ({ project, suite }: Suite) => ['sets', project, suite] as const
const trendKey = ({ project, suite }: Suite, branch: string | null) => ['trend', project, suite, branch] as const

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** The counts of a suite, and what the viewer may do there. */
export const useSuiteSet = (suite: () => Suite) => {
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => setKey(suite())),
    meta: computed(() => ({ live: { project: suite().project, suite: suite().suite } })),
    queryFn: ({ signal }) => api.get<SuiteSet>(pathTo('sets', suite().project, 'suites', suite().suite), signal),
  })
  return { set: data, error, missing: computed(() => isMissing(error.value)), reload: () => void refetch() }
}

/** The runs of a suite that are like its newest one, and where their pass rate changed. */
export const useTrend = (suite: () => Suite, branch: () => string | null) => {
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => trendKey(suite(), branch())),
    meta: computed(() => ({ live: { project: suite().project, suite: suite().suite } })),
    queryFn: ({ signal }) =>
      api.get<Trend>(
        `${pathTo('projects', suite().project, 'suites', suite().suite, 'trend')}${queryOf({ branch: branch() })}`,
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  return { trend: data, error, reload: () => void refetch() }
}

/** The status of each case in the newest runs of a suite, a page of rows at a time. */
export const useGrid = (suite: () => Suite, filters: () => GridFilters) => {
  const list = useInfiniteQuery({
    queryKey: computed(() => ['grid', suite().project, suite().suite, filters()]),
    // A new run would move the columns.
    meta: computed(() => ({ live: { project: suite().project, suite: suite().suite, baselines: false, held: true } })),
    queryFn: ({ pageParam, signal }) => {
      const { order, q, branch, fold, measure } = filters()
      const query = {
        runs: GRID_RUNS,
        limit: GRID_ROWS,
        order,
        q,
        branch,
        measure: measureOf(measure).cell,
        fold: pageParam ? pageParam.fold : fold,
        cursor: pageParam?.cursor,
      }
      const path = pathTo('projects', suite().project, 'suites', suite().suite, 'grid')
      return api.get<Grid>(`${path}${queryOf(query)}`, signal)
    },
    initialPageParam: null as (Pick<Grid, 'fold'> & { cursor: string }) | null,
    // What a row is does not change between two pages.
    getNextPageParam: ({ next_cursor, fold }) => (next_cursor === null ? null : { cursor: next_cursor, fold }),
    placeholderData: keepPreviousData,
  })
  const rows = loadedList(list, (page) => page.rows)
  return {
    ...rows,
    runs: computed(() => rows.first.value?.runs ?? []),
    rowCount: computed(() => rows.first.value?.row_count ?? 0),
    /** Whether a row is a test, with all its cases. */
    isByTest: computed(() => rows.first.value?.fold === 'test'),
    providers: computed(() => rows.first.value?.newest_providers ?? []),
  }
}
