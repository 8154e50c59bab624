import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { CaseSearch } from '../../../queries/search/case-search.ts'
import type { SearchHits } from '../../../queries/search/search.ts'
import { api, queryOf } from '../../api/api.ts'

export type SearchFilters = { readonly project?: string; readonly suite?: string; readonly status?: string }

/** Tests of one page of the results, and runs above them. */
const PAGE_TESTS = 20
const MAX_RUNS = 6

/** The words and filters of the search page, which are stored in the address, and what they find. */
export const useSearchPage = () => {
  const route = useRoute()
  const router = useRouter()
  const text = (name: string): string | undefined => {
    const value = [route.query[name]].flat()[0]
    return value === null || value === '' ? undefined : value
  }
  const q = computed(() => text('q')?.trim() ?? '')
  const filters = computed((): SearchFilters => {
    const [project, suite, status] = [text('project'), text('suite'), text('status')]
    return {
      ...(project === undefined ? {} : { project }),
      ...(suite === undefined ? {} : { suite }),
      ...(status === undefined ? {} : { status }),
    }
  })
  const go = (query: Readonly<Record<string, string | undefined>>): void =>
    void router.push({ query: { q: q.value, ...filters.value, ...query } })

  const isAsked = computed(() => q.value !== '')
  const cases = useInfiniteQuery({
    queryKey: ['search', 'cases', q, filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<CaseSearch>(
        `/search/cases${queryOf({ q: q.value, ...filters.value, limit: PAGE_TESTS, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  // Runs have no status, so a filter by status hides them.
  const runs = useQuery({
    queryKey: ['search', 'runs', q],
    queryFn: ({ signal }) => api.get<SearchHits>(`/search${queryOf({ q: q.value, limit: MAX_RUNS })}`, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return {
    q,
    filters,
    /** Sets filters; undefined removes one. */
    set: go,
    clear: (): void => void router.push({ query: { q: q.value } }),
    isAsked,
    first: computed(() => cases.data.value?.pages[0] ?? null),
    tests: computed(() => cases.data.value?.pages.flatMap((page) => page.tests) ?? []),
    foundRuns: computed(() => {
      const { project, suite, status } = filters.value
      const inSet = (run: SearchHits['runs'][number]): boolean =>
        (project === undefined || run.project === project) && (suite === undefined || run.suite === suite)
      return status === undefined ? (runs.data.value?.runs.filter(inSet) ?? []) : []
    }),
    error: computed(() => cases.error.value ?? runs.error.value),
    isBusy: computed(() => cases.isFetching.value && !cases.isFetchingNextPage.value),
    isOld: cases.isPlaceholderData,
    hasMore: cases.hasNextPage,
    isLoadingMore: cases.isFetchingNextPage,
    loadMore: async (): Promise<void> => void (await cases.fetchNextPage()),
    retry: (): void => {
      void cases.refetch()
      void runs.refetch()
    },
  }
}
