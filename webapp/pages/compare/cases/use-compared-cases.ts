import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { ComparedCases } from '../../../../queries/statistics/compared-cases.ts'
import type { ChangeFilter } from '../../../../domain/lists/changes.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { mayLoadMore } from '../../../api/pages.ts'
import { keyOf } from './changes.ts'

/** Rows of one page of the list. */
const PAGE_ROWS = 200
/** Number of rows that are loaded ahead of the last visible row. */
const ROWS_AHEAD = 200

type Pair = { readonly base: string; readonly head: string }

/**
 * The cases of two runs that match a filter, page by page, and the case that the address names (`open`), even if it is
 * on no page that has been loaded.
 */
export const useComparedCases = (
  pair: MaybeRefOrGetter<Pair>,
  filter: MaybeRefOrGetter<ChangeFilter>,
  open: MaybeRefOrGetter<string | null>,
) => {
  const path = computed(() => pathTo('runs', toValue(pair).base, 'compare', toValue(pair).head, 'cases'))
  const key = computed(() => ['compare', toValue(pair).base, toValue(pair).head, 'cases'])
  const list = useInfiniteQuery({
    queryKey: computed(() => [...key.value, toValue(filter)]),
    queryFn: ({ pageParam, signal }) =>
      api.get<ComparedCases>(
        path.value + queryOf({ filter: toValue(filter), limit: PAGE_ROWS, cursor: pageParam }),
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: (previous, query) =>
      query?.queryKey[1] === toValue(pair).base && query.queryKey[2] === toValue(pair).head
        ? keepPreviousData(previous)
        : undefined,
    // Runs never change, so loaded pages stay correct.
    staleTime: Infinity,
  })
  const { data, error, isPlaceholderData, isFetchingNextPage, isFetchNextPageError, fetchNextPage, refetch } = list
  const cases = computed(() => data.value?.pages.flatMap((page) => page.cases) ?? [])
  const isListed = computed(() => cases.value.some((item) => keyOf(item) === toValue(open)))
  const linked = useQuery({
    queryKey: computed(() => [...key.value, 'one', toValue(open)]),
    queryFn: ({ signal }) => api.get<ComparedCases>(path.value + queryOf({ limit: 1, case: toValue(open) }), signal),
    enabled: () => toValue(open) !== null && data.value !== undefined && !isPlaceholderData.value && !isListed.value,
    staleTime: Infinity,
  })
  /** The open case if the list does not contain it; null if there is none; undefined while that is not known. */
  const other = computed(() =>
    toValue(open) === null || isListed.value ? null : linked.data.value ? linked.data.value.linked : undefined,
  )
  const reach = (row: number): void => {
    if (mayLoadMore(list) && row + ROWS_AHEAD > cases.value.length) void fetchNextPage({ cancelRefetch: false })
  }
  return {
    cases,
    other,
    counts: computed(() => data.value?.pages[0]?.counts ?? null),
    joinedBy: computed(() => data.value?.pages[0]?.joined_by ?? null),
    error,
    /** Why the next cases could not be loaded. */
    moreError: computed(() => (isFetchNextPageError.value ? error.value : null)),
    loadMore: () => void fetchNextPage(),
    isOld: isPlaceholderData,
    isLoadingMore: isFetchingNextPage,
    reach,
    reload: () => void refetch(),
  }
}
