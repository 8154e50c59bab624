import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { CacheFacets, CacheList } from '../../../queries/cache/item.ts'
import type { CacheOverview } from '../../../queries/cache/reuse.ts'
import { api, queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'
import { useListOrder } from '../../composables/use-list-order.ts'
import { useSession } from '../../composables/use-session.ts'
import { readCacheFilters, entryParameters, type FilterName } from './cache-filters.ts'

const PAGE_ROWS = 50

/** The days over which the page counts reuse, first the one that the address leaves out. */
export const SPANS = [30, 7, 90, 365] as const

/** Which entries the address asks for: those of the server, or those of a directory on its disk. */
export const useTier = () => {
  const route = useRoute()
  return computed((): 'server' | 'local' => (route.query['tier'] === 'local' ? 'local' : 'server'))
}

/** What the cache has and what it saves. */
export const useOverview = () => {
  const route = useRoute()
  const days = computed(() => SPANS.find((span) => String(span) === route.query['days']) ?? SPANS[0])
  const query = useQuery({
    queryKey: computed(() => ['cache', 'overview', days.value] as const),
    queryFn: ({ queryKey: [, , span], signal }) => api.get<CacheOverview>(`/cache/overview?days=${span}`, signal),
    placeholderData: keepPreviousData,
    // The address of one entry needs three other requests.
    enabled: () => route.params['key'] === undefined,
  })
  return { days, overview: query.data, error: query.error, refetch: query.refetch }
}

/** The entries that the address selects, page by page, and the values to filter by. For admins. */
export const useEntries = () => {
  const route = useRoute()
  const router = useRouter()
  const client = useQueryClient()
  const { may } = useSession()
  const tier = useTier()
  const filters = computed(() => readCacheFilters(route.query))
  const listOrder = useListOrder(
    { created: 'desc', last_access: 'desc', size: 'desc', cost: 'desc' },
    { sort: 'created', order: 'desc' },
  )
  const asked = computed(() => (tier.value === 'local' ? { tier: 'local' } : {}))
  const list = useList({
    key: () => ['cache', 'entries', asked.value, filters.value, listOrder.order.value],
    path: ([, , source, chosen, order], cursor) =>
      `/cache/entries${queryOf({ ...source, ...entryParameters(chosen, Date.now()), ...order, limit: PAGE_ROWS, cursor })}`,
    rows: (page: CacheList) => page.entries,
    refetchOnWindowFocus: false,
    enabled: () => may('admin'),
  })
  const facets = useQuery({
    queryKey: computed(() => ['cache', 'facets', asked.value] as const),
    queryFn: ({ queryKey: [, , source], signal }) => api.get<CacheFacets>(`/cache/facets${queryOf(source)}`, signal),
    placeholderData: keepPreviousData,
    enabled: () => may('admin') && route.params['key'] === undefined,
  })

  /** How many entries match, if that is known: all, or those of one value, which the server has counted. */
  const total = computed((): number | null => {
    if (list.isLoaded.value && !list.hasMore.value) return list.rows.value.length
    const found = facets.data.value
    if (!found || listOrder.order.value.sort === 'cost') return null
    const set = Object.entries(filters.value)
    if (set.length === 0) return found.total
    const [name, value] = set[0] ?? []
    if (set.length > 1 || value === undefined) return null
    if (name === 'kind' && value === 'unindexed') return found.unindexed
    if (name === 'kind' && value === 'unparseable') return found.unparseable
    const values = { kind: found.kinds, model: found.models, empty_reason: found.empty_reasons }[name ?? '']
    return values?.find((facet) => facet.value === value)?.count ?? null
  })

  const push = (changes: Readonly<Record<string, string | undefined>>, replace = false): void => {
    const query = Object.fromEntries(
      Object.entries({ ...route.query, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
    )
    void router[replace ? 'replace' : 'push']({ query })
  }
  const set = (name: FilterName, value: string | undefined, { typing = false } = {}): void =>
    push({ [name]: value }, typing)
  const clear = (): void =>
    push(Object.fromEntries(['kind', 'model', 'empty_reason', 'stored', 'paid', 'q'].map((name) => [name, undefined])))
  return {
    ...listOrder,
    tier,
    filters,
    isFiltered: computed(() => Object.keys(filters.value).length > 0),
    set,
    clear,
    push,
    list,
    total,
    isTruncated: computed(() => list.first.value?.truncated ?? false),
    facets,
    refresh: () => client.invalidateQueries({ queryKey: ['cache'] }),
  }
}
