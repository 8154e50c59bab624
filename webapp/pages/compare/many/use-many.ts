import { useInfiniteQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { ManyRuns } from '../../../../queries/statistics/many-runs.ts'
import { api, queryOf } from '../../../api/api.ts'
import { mayLoadMore } from '../../../api/pages.ts'
import { runsText } from '../../../runs/compared-runs.ts'

/** Rows of one page. */
const PAGE_ROWS = 200

type Asked = { readonly runs: readonly string[]; readonly base: string; readonly filter: string }

/** Several runs against one base, with their cases page by page. */
export const useMany = (asked: MaybeRefOrGetter<Asked>) => {
  const list = useInfiniteQuery({
    queryKey: ['compare-many', computed(() => toValue(asked))],
    queryFn: ({ pageParam, signal }) => {
      const { runs, base, filter } = toValue(asked)
      const query = queryOf({ runs: runsText(runs), base, filter, limit: PAGE_ROWS, cursor: pageParam })
      return api.get<ManyRuns>(`/compare${query}`, signal)
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: (previous, query) => {
      const [, before] = (query?.queryKey ?? []) as unknown as readonly [string, Asked | undefined]
      return before?.runs.join() === toValue(asked).runs.join() ? previous : undefined
    },
    enabled: () => toValue(asked).runs.length > 0,
    staleTime: Infinity,
  })
  const { data, error, isPlaceholderData, isFetchNextPageError, fetchNextPage, refetch } = list
  const reach = (row: number): void => {
    const loaded = rows.value.length
    if (mayLoadMore(list) && row + PAGE_ROWS > loaded) void fetchNextPage({ cancelRefetch: false })
  }
  const rows = computed(() => data.value?.pages.flatMap((page) => page.rows) ?? [])
  return {
    comparison: computed(() => data.value?.pages[0] ?? null),
    rows,
    error,
    /** Why the next rows could not be loaded. */
    moreError: computed(() => (isFetchNextPageError.value ? error.value : null)),
    loadMore: () => void fetchNextPage(),
    isOld: isPlaceholderData,
    reach,
    reload: () => void refetch(),
  }
}
