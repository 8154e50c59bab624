import { useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import type { MatrixPage } from './heat.ts'

/** Rows of a page: of forty columns a little over a megabyte. */
const PAGE = 100

/**
 * The matrix of a run, page after page. `reach(n)` says that row n is looked at: what comes after it is fetched before
 * it is needed.
 */
export const useMatrix = (id: MaybeRefOrGetter<string>) => {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', computed(() => toValue(id)), 'matrix'],
    queryFn: ({ pageParam, signal }) =>
      api.get<MatrixPage>(
        `${pathTo('runs', toValue(id), 'matrix')}${queryOf({ limit: PAGE, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Infinity,
  })
  const rows = computed(() => data.value?.pages.flatMap((page) => page.rows) ?? [])
  const reach = (row: number): void => {
    if (hasNextPage.value && !isFetchingNextPage.value && row + 2 * PAGE > rows.value.length)
      void fetchNextPage({ cancelRefetch: false })
  }
  return {
    rows,
    isThere: computed(() => data.value !== undefined),
    error,
    hasMore: hasNextPage,
    reach,
    reload: () => void refetch(),
  }
}
