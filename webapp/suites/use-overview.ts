import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { Overview } from '../../queries/sets/overview.ts'
import { api, queryOf } from '../api/api.ts'
import { useAllPages } from '../api/pages.ts'

export type OverviewSuite = Overview['suites'][number]

/** Interval of requests while the server has no runs, because the user may be waiting for a first upload. */
const EMPTY_CHECK_INTERVAL_MS = 1500

/**
 * What needs attention over the suites of some projects, worst first, page by page; of all projects if none is given. With
 * `all`, every page is loaded.
 */
export const useOverview = (projects: MaybeRefOrGetter<readonly string[]>, pageSize: number, { all = false } = {}) => {
  const list = useInfiniteQuery({
    queryKey: ['overview', computed(() => toValue(projects)), pageSize],
    // New figures would move the rows.
    meta: computed(() => {
      const [project, another] = toValue(projects)
      return { live: { held: true, ...(project !== undefined && another === undefined && { project }) } }
    }),
    queryFn: ({ pageParam, signal }) =>
      api.get<Overview>(
        `/overview${queryOf({ project: toValue(projects), limit: pageSize, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      // Projects without suites say nothing about the server.
      if (toValue(projects).length > 0) return false
      const newest = data?.pages[0]
      return newest?.counts.suites === 0 && newest.latest_runs.length === 0 ? EMPTY_CHECK_INTERVAL_MS : false
    },
  })
  useAllPages(list, () => all)
  const first = computed(() => list.data.value?.pages[0])
  return {
    /** All of the answer but the suites: it is about all suites, not only those that are loaded. */
    overview: first,
    suites: computed(() => list.data.value?.pages.flatMap(({ suites }) => suites) ?? []),
    error: computed(() => (first.value === undefined ? list.error.value : null)),
    /** Why the next page could not be loaded. */
    moreError: computed(() => (list.isFetchNextPageError.value ? list.error.value : null)),
    isBusy: list.isFetching,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: async (): Promise<void> => void (await list.fetchNextPage()),
    reload: (): void => void list.refetch(),
  }
}
