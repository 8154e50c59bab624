import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/vue-query'
import type { InfiniteData } from '@tanstack/vue-query'
import { computed, watch } from 'vue'
import type { Ref } from 'vue'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { api, queryOf } from '../../api/api.ts'
import { countNew } from './new-runs.ts'
import { askedFor } from './filters/run-filters.ts'
import type { RunFilters } from './filters/run-filters.ts'

/** Rows of a page. */
const ROWS = 50
/** How often it is asked whether there are new runs, while the page is looked at. */
const EVERY_MS = 30_000
/** The same while the list is empty: whoever just uploaded a first run is looking for it. */
const EVERY_MS_EMPTY = 1500

type Pages = InfiniteData<RunList, string | null>

const listKey = (filters: RunFilters) => ['runs', 'list', filters] as const
const newestKey = (filters: RunFilters) => ['runs', 'newest', filters] as const
const ask = (filters: RunFilters, cursor: string | null, signal: AbortSignal): Promise<RunList> =>
  api.get<RunList>(`/runs${queryOf({ ...askedFor(filters, Date.now()), limit: ROWS, cursor })}`, signal)

/**
 * The runs that pass the filters, newest first, a page after the other. Pages that are shown stay as they are until
 * `takeNew` is called.
 */
export const useRuns = (filters: Readonly<Ref<RunFilters>>) => {
  const client = useQueryClient()
  const list = useInfiniteQuery({
    queryKey: computed(() => listKey(filters.value)),
    queryFn: async ({ queryKey: [, , of], pageParam, signal }) => {
      const page = await ask(of, pageParam, signal)
      // What is new is told from this on; nothing is asked twice.
      if (pageParam === null) client.setQueryData<RunList>(newestKey(of), page)
      return page
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // Asked again, rows would move under the pointer.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const isThere = computed(() => list.isSuccess.value && !list.isPlaceholderData.value)
  const rows = computed(() => list.data.value?.pages.flatMap(({ runs }) => runs) ?? [])
  const newest = useQuery({
    queryKey: computed(() => newestKey(filters.value)),
    queryFn: ({ queryKey: [, , of], signal }) => ask(of, null, signal),
    enabled: isThere,
    staleTime: EVERY_MS,
    refetchInterval: () => (rows.value.length === 0 ? EVERY_MS_EMPTY : EVERY_MS),
  })

  const fresh = computed(() =>
    isThere.value && newest.data.value ? countNew(rows.value, newest.data.value, list.hasNextPage.value) : 0,
  )
  const takeNew = (): void => {
    if (newest.data.value)
      client.setQueryData<Pages>(listKey(filters.value), { pages: [newest.data.value], pageParams: [null] })
  }
  // Nothing moves under the pointer where nothing is shown.
  watch(fresh, (count) => {
    if (count > 0 && rows.value.length === 0) takeNew()
  })
  return {
    rows,
    /** Null until it is known. */
    cachedHidden: computed(() => list.data.value?.pages[0]?.cached_hidden ?? null),
    isKnown: computed(() => list.data.value !== undefined),
    isBusy: computed(() => list.isFetching.value && !list.isFetchingNextPage.value),
    error: computed(() => (list.data.value === undefined ? list.error.value : null)),
    retry: (): void => void list.refetch(),
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    moreFailed: computed(() => (list.isFetchNextPageError.value ? list.error.value : null)),
    loadMore: async (): Promise<void> => {
      if (list.hasNextPage.value && !list.isFetchingNextPage.value && isThere.value) await list.fetchNextPage()
    },
    fresh,
    /** When the newest were last asked for, epoch milliseconds. */
    askedAt: newest.dataUpdatedAt,
    takeNew,
  }
}
