import { useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue, watchEffect } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import type { MatrixPage } from './heat.ts'

/** Rows of a page. With forty columns, a page has a little over a megabyte. */
const PAGE_ROWS = 100

/**
 * The matrix of a run, page by page. Call `reach(n)` when row n is visible: the pages after it are fetched before they
 * are needed. While `wantsAll`, all pages are fetched one after the other: only then is the order of all rows known.
 */
export const useMatrix = (id: MaybeRefOrGetter<string>, wantsAll: MaybeRefOrGetter<boolean>) => {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', computed(() => toValue(id)), 'matrix'],
    queryFn: ({ pageParam, signal }) =>
      api.get<MatrixPage>(
        `${pathTo('runs', toValue(id), 'matrix')}${queryOf({ limit: PAGE_ROWS, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Infinity,
  })
  const rows = computed(() => data.value?.pages.flatMap((page) => page.rows) ?? [])
  const reach = (row: number): void => {
    if (hasNextPage.value && !isFetchingNextPage.value && row + 2 * PAGE_ROWS > rows.value.length)
      void fetchNextPage({ cancelRefetch: false })
  }
  watchEffect(() => {
    if (toValue(wantsAll) && hasNextPage.value && !isFetchingNextPage.value && !error.value)
      void fetchNextPage({ cancelRefetch: false })
  })
  return {
    rows,
    isLoaded: computed(() => data.value !== undefined),
    error,
    hasMore: hasNextPage,
    reach,
    reload: () => void refetch(),
  }
}
