import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/vue-query'
import { computed, shallowRef, watch, type Ref } from 'vue'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { api, queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'
import { useLiveState } from '../../live/live-state.ts'
import type { ListOrder } from '../../composables/use-list-order.ts'
import { countNew } from './new-runs.ts'
import { runListParameters, type RunFilters } from './filters/run-filters.ts'

/** Rows of a page. */
const PAGE_ROWS = 50
/** Interval of the checks for new runs while the page is visible and there is no stream of changes. */
const CHECK_INTERVAL_MS = 30_000
/** The same while the server has no runs, because the user may be waiting for a first upload. */
const EMPTY_CHECK_INTERVAL_MS = 1500

type Pages = InfiniteData<RunList, string | null>

const listKey = (filters: RunFilters, order: ListOrder | null) => ['runs', 'list', filters, order] as const
const newestKey = (filters: RunFilters) => ['runs', 'newest', filters] as const
/** The parameters of the list. `order` is null for newest first. */
export const listParameters = (filters: RunFilters, order: ListOrder | null): Record<string, string> => ({
  ...runListParameters(filters, Date.now()),
  ...(order && { sort: order.sort, order: order.order }),
})
const pagePath = (filters: RunFilters, order: ListOrder | null, cursor: string | null): string =>
  `/runs${queryOf({ ...listParameters(filters, order), limit: PAGE_ROWS, cursor })}`

/**
 * The runs that match the filters, page by page. Shown pages do not change until `applyNew` is called. `order` is null for
 * newest first; only then new runs are announced, because in another order they may be anywhere. While `isValid` is false,
 * nothing is requested.
 */
export const useRuns = (
  filters: Readonly<Ref<RunFilters>>,
  order: Readonly<Ref<ListOrder | null>> = shallowRef(null),
  isValid: Readonly<Ref<boolean>> = shallowRef(true),
) => {
  const client = useQueryClient()
  const { isLive } = useLiveState()
  const list = useList({
    key: () => listKey(filters.value, order.value),
    path: ([, , keyFilters, keyOrder], cursor) => pagePath(keyFilters, keyOrder, cursor),
    rows: (page: RunList) => page.runs,
    // This page is also the first result of the check for new runs, which saves a second request.
    arrived: ([, , keyFilters, keyOrder], page) => {
      if (keyOrder === null) client.setQueryData<RunList>(newestKey(keyFilters), page)
    },
    enabled: isValid,
    // A refetch would move rows under the pointer.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { rows } = list
  const isCurrent = computed(() => list.isLoaded.value && !list.isOld.value)
  /** Whether there are no runs at all. An empty list with filters, or with hidden runs, shows only that none matches. */
  const isServerEmpty = computed(
    () => rows.value.length === 0 && Object.keys(filters.value).length === 0 && list.first.value?.cached_hidden === 0,
  )
  const newest = useQuery({
    queryKey: computed(() => newestKey(filters.value)),
    queryFn: ({ queryKey: [, , keyFilters], signal }) => api.get<RunList>(pagePath(keyFilters, null, null), signal),
    enabled: () => isCurrent.value && order.value === null && isValid.value,
    staleTime: CHECK_INTERVAL_MS,
    meta: computed(() => ({ live: { project: filters.value.project, suite: filters.value.suite, baselines: false } })),
    refetchInterval: () => (isLive.value ? false : isServerEmpty.value ? EMPTY_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS),
  })

  const newCount = computed(() =>
    isCurrent.value && order.value === null && newest.data.value
      ? countNew(rows.value, newest.data.value, list.hasMore.value)
      : 0,
  )
  const applyNew = (): void => {
    if (newest.data.value)
      client.setQueryData<Pages>(listKey(filters.value, null), { pages: [newest.data.value], pageParams: [null] })
  }
  // An empty list has no rows that could move under the pointer.
  watch(newCount, (count) => {
    if (count > 0 && rows.value.length === 0) applyNew()
  })
  return {
    list,
    rows,
    isServerEmpty,
    /** Number of runs that match but are hidden because they are fully cached; null until it is known. */
    cachedHidden: computed(() => list.first.value?.cached_hidden ?? null),
    newCount,
    /** When the newest runs were last requested, in epoch milliseconds. */
    checkedAt: newest.dataUpdatedAt,
    applyNew,
  }
}
