import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { CaseSearch } from '../../../queries/search/case-search.ts'
import type { RunSearch } from '../../../queries/search/run-search.ts'
import { api, queryOf } from '../../api/api.ts'
import { STATUSES } from '../../runs/statuses.ts'

export type SearchFilters = { readonly project?: string; readonly suite?: string; readonly status?: string }

const PAGE_TESTS = 20
/** Runs above the tests, and runs that each press of the button adds. */
const FIRST_RUNS = 6
const PAGE_RUNS = 20

/** The runs that contain the words, in the sets of the filters. */
const useFoundRuns = (q: ComputedRef<string>, filters: ComputedRef<SearchFilters>) => {
  // Runs have no status, so a filter by status hides them.
  const hasRuns = computed(() => q.value !== '' && filters.value.status === undefined)
  const sets = computed(() => ({ project: filters.value.project, suite: filters.value.suite }))
  const runs = useInfiniteQuery({
    queryKey: ['search', 'runs', q, sets],
    queryFn: ({ pageParam, signal }) =>
      api.get<RunSearch>(
        `/search/runs${queryOf({ q: q.value, ...sets.value, limit: pageParam === null ? FIRST_RUNS : PAGE_RUNS, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: hasRuns,
    placeholderData: keepPreviousData,
  })
  const runPages = computed(() => (hasRuns.value ? (runs.data.value?.pages ?? []) : []))
  return {
    foundRuns: computed(() => runPages.value.flatMap((page) => page.runs)),
    /** Number of runs that match, and whether older ones match too. */
    runCount: computed(() => ({ count: runPages.value[0]?.run_count ?? 0, more: runPages.value[0]?.more ?? false })),
    hasMoreRuns: computed(() => hasRuns.value && runs.hasNextPage.value),
    isLoadingRuns: runs.isFetchingNextPage,
    loadRuns: async (): Promise<void> => void (await runs.fetchNextPage()),
    error: runs.error,
    /** Whether runs are wanted, but none have arrived. */
    isMissing: computed(() => hasRuns.value && runs.data.value === undefined),
    retry: (): void => void (hasRuns.value && runs.refetch()),
  }
}

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
  /** A status in the address that does not exist. Nothing is searched for it. */
  const unknownStatus = computed(() => {
    const { status } = filters.value
    return status === undefined || STATUSES.some((known) => known === status) ? null : status
  })
  const cases = useInfiniteQuery({
    queryKey: ['search', 'cases', q, filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<CaseSearch>(
        `/search/cases${queryOf({ q: q.value, ...filters.value, limit: PAGE_TESTS, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: computed(() => isAsked.value && unknownStatus.value === null),
    placeholderData: keepPreviousData,
  })
  const runs = useFoundRuns(q, filters)
  return {
    q,
    filters,
    /** Sets filters; undefined removes one. */
    set: go,
    clear: (): void => void router.push({ query: { q: q.value } }),
    isAsked,
    unknownStatus,
    /** The first page of the tests, once the runs above it are there as well. */
    first: computed(() => (runs.isMissing.value ? null : (cases.data.value?.pages[0] ?? null))),
    tests: computed(() => cases.data.value?.pages.flatMap((page) => page.tests) ?? []),
    foundRuns: runs.foundRuns,
    runCount: runs.runCount,
    hasMoreRuns: runs.hasMoreRuns,
    isLoadingRuns: runs.isLoadingRuns,
    loadRuns: runs.loadRuns,
    error: computed(() => cases.error.value ?? runs.error.value),
    isBusy: computed(() => cases.isFetching.value && !cases.isFetchingNextPage.value),
    isOld: cases.isPlaceholderData,
    hasMore: cases.hasNextPage,
    isLoadingMore: cases.isFetchingNextPage,
    loadMore: async (): Promise<void> => void (await cases.fetchNextPage()),
    retry: (): void => {
      void cases.refetch()
      runs.retry()
    },
  }
}
