import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { LocationQuery } from 'vue-router'
import type { AuditList } from '../../../../queries/audit.ts'
import { api, queryOf } from '../../../api/api.ts'
import { useUsers } from '../users/use-users.ts'
import type { Names } from './audit-words.ts'

export const FILTERS = ['type', 'actor', 'stream', 'since', 'until'] as const
export type AuditFilters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

const PAGE_ROWS = 50
const DAY_MS = 86_400_000

/** Spans that end now, by their text in the address. */
export const SPANS = { '1d': 'last day', '7d': 'last 7 days', '30d': 'last 30 days' } as const
const isSpan = (text: string): text is keyof typeof SPANS => Object.hasOwn(SPANS, text)

export const filtersOf = (query: LocationQuery): AuditFilters =>
  Object.fromEntries(
    FILTERS.flatMap((name) => (typeof query[name] === 'string' && query[name] !== '' ? [[name, query[name]]] : [])),
  )

/** The parameters of a request. A day means the whole day in UTC. */
export const parametersOf = (
  { since, until, ...filters }: AuditFilters,
  now: number,
): Record<string, string | number> => ({
  ...filters,
  ...(since === undefined
    ? {}
    : { since: isSpan(since) ? now - Number.parseInt(since, 10) * DAY_MS : since === '' ? '' : dayStart(since) }),
  ...(until === undefined ? {} : { until: dayEnd(until) }),
})
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
const dayStart = (text: string): string | number => (isDay(text) ? Date.parse(text) : text)
const dayEnd = (text: string): string | number => (isDay(text) ? Date.parse(text) + DAY_MS - 1 : text)

/** The records that the filters of the address select, newest first, page by page. */
export const useAudit = () => {
  const route = useRoute()
  const router = useRouter()
  const filters = computed(() => filtersOf(route.query))
  const list = useInfiniteQuery({
    queryKey: computed(() => ['audit', filters.value] as const),
    queryFn: ({ queryKey: [, chosen], pageParam, signal }) =>
      api.get<AuditList>(
        `/audit${queryOf({ ...parametersOf(chosen, Date.now()), limit: PAGE_ROWS, cursor: pageParam })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  const { users } = useUsers()
  const names = computed<Names>(() => new Map(users.value?.map(({ id, username }) => [id, username])))
  const set = (changes: AuditFilters, replace = false): void => {
    const query = { ...filters.value, ...changes }
    const kept = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
    void router[replace ? 'replace' : 'push']({ name: 'admin-audit', query: kept })
  }
  return {
    filters,
    names,
    set,
    list,
    rows: computed(() => list.data.value?.pages.flatMap(({ events }) => events) ?? []),
    exportPath: computed(() => `/api/v1/audit/export${queryOf(parametersOf(filters.value, Date.now()))}`),
  }
}
