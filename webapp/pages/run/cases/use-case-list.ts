import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { CaseList } from '../../../../queries/cases/cases.ts'
import { api } from '../../../api/api.ts'
import { casesPath } from '../../../cases/case-filters.ts'
import type { CaseFilters } from '../../../cases/case-filters.ts'

/** Rows of a page: the most that the server gives. */
const PAGE = 200
/** Rows that are there before whoever scrolls comes near them. */
const AHEAD = 3 * PAGE

/**
 * The cases of a run that match, page after page. `reach(n)` says that row n is looked at: what comes after it is
 * fetched before it is needed.
 */
export const useCaseList = (id: MaybeRefOrGetter<string>, filters: MaybeRefOrGetter<CaseFilters>) => {
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', computed(() => toValue(id)), 'cases', computed(() => toValue(filters))],
    queryFn: ({ pageParam, signal }) =>
      api.get<CaseList>(casesPath(toValue(id), toValue(filters), { limit: PAGE, cursor: pageParam }), signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // A run never changes: pages that are there are right.
    staleTime: Infinity,
  })
  const cases = computed(() => data.value?.pages.flatMap((page) => page.cases) ?? [])
  /** Of what was asked for before, while the answer to a newer question is awaited. */
  const isOld = computed(() => isPlaceholderData.value)

  const reach = (row: number): void => {
    if (hasNextPage.value && !isFetchingNextPage.value && !isOld.value && row + AHEAD > cases.value.length)
      void fetchNextPage({ cancelRefetch: false })
  }
  return {
    cases,
    isThere: computed(() => data.value !== undefined),
    error,
    isOld,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    reach,
    reload: () => void refetch(),
  }
}
