import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { CaseList } from '../../../../queries/cases/cases.ts'
import { api } from '../../../api/api.ts'
import { casesPath } from '../../../cases/case-filters.ts'
import type { CaseFilters } from '../../../cases/case-filters.ts'

/** Rows of one page of the list: the maximum that the server allows. */
const PAGE_ROWS = 200
/** Number of rows that are loaded ahead of the last visible row. */
const ROWS_AHEAD = 3 * PAGE_ROWS

/**
 * The cases of a run that match the filters, page by page. Call `reach(n)` when row n is visible: the pages after it
 * are fetched before they are needed.
 */
export const useCaseList = (id: MaybeRefOrGetter<string>, filters: MaybeRefOrGetter<CaseFilters>) => {
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', computed(() => toValue(id)), 'cases', computed(() => toValue(filters))],
    queryFn: ({ pageParam, signal }) =>
      api.get<CaseList>(casesPath(toValue(id), toValue(filters), { limit: PAGE_ROWS, cursor: pageParam }), signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // A run never changes, so loaded pages stay correct.
    staleTime: Infinity,
  })
  const cases = computed(() => data.value?.pages.flatMap((page) => page.cases) ?? [])
  /** Whether the cases are still those of the previous filters, because those of the new filters are loading. */
  const isOld = computed(() => isPlaceholderData.value)

  const reach = (row: number): void => {
    if (hasNextPage.value && !isFetchingNextPage.value && !isOld.value && row + ROWS_AHEAD > cases.value.length)
      void fetchNextPage({ cancelRefetch: false })
  }
  return {
    cases,
    isLoaded: computed(() => data.value !== undefined),
    error,
    isOld,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    reach,
    reload: () => void refetch(),
  }
}
