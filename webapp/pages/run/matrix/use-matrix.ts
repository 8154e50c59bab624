import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { MatrixRows } from '../../../../queries/cases/matrix-rows.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { mayLoadMore } from '../../../api/pages.ts'
import type { Listed } from './heat.ts'

/** Rows of a page. */
const PAGE_ROWS = 100
/** Number of rows that are loaded ahead of the last visible row. */
const ROWS_AHEAD = 60

/**
 * The rows of a matrix in an order, page by page. Call `reach(n)` when row n is visible: the pages after it are fetched
 * before they are needed. While another order is loaded, the rows of the last one stay (`isOld`).
 */
export const useMatrix = (id: MaybeRefOrGetter<string>, listed: MaybeRefOrGetter<Listed>) => {
  const list = useInfiniteQuery({
    queryKey: computed(() => ['run', toValue(id), 'matrix', toValue(listed)]),
    queryFn: ({ pageParam, signal }) =>
      api.get<MatrixRows>(
        pathTo('runs', toValue(id), 'matrix', 'rows') +
          queryOf({ ...toValue(listed), limit: PAGE_ROWS, cursor: pageParam }),
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: (previous, query) => (query?.queryKey[1] === toValue(id) ? keepPreviousData(previous) : undefined),
    // A run never changes, so loaded pages stay correct.
    staleTime: Infinity,
  })
  const { data, error, isPlaceholderData, hasNextPage, fetchNextPage, refetch } = list
  const first = computed(() => data.value?.pages[0])
  const rows = computed(() => data.value?.pages.flatMap((page) => page.rows) ?? [])
  const reach = (row: number): void => {
    if (mayLoadMore(list) && row + ROWS_AHEAD > rows.value.length) void fetchNextPage({ cancelRefetch: false })
  }
  return {
    rows,
    /** The first page, which has what is the same on all pages. */
    first,
    error,
    isOld: isPlaceholderData,
    hasMore: hasNextPage,
    reach,
    reload: () => void refetch(),
  }
}
