import { computed } from 'vue'
import type { AuditList } from '../../../../queries/audit.ts'
import { queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { useAddressFilters } from '../../../components/list-page/use-address-filters.ts'
import { useUsers } from '../users/use-users.ts'
import type { Names } from './audit-words.ts'

export const FILTERS = ['type', 'actor', 'stream', 'since', 'until'] as const
export type AuditFilters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

const PAGE_ROWS = 50
const DAY_MS = 86_400_000

/** Spans that end now, by their text in the address. */
export const SPANS = { '1d': 'last day', '7d': 'last 7 days', '30d': 'last 30 days' } as const
const isSpan = (text: string): text is keyof typeof SPANS => Object.hasOwn(SPANS, text)

/** The parameters of a request. A day means the whole day in UTC. */
export const auditParameters = (
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
  const address = useAddressFilters(FILTERS, 'admin-audit')
  const list = useList({
    key: () => ['audit', address.filters.value],
    path: ([, chosen], cursor) =>
      `/audit${queryOf({ ...auditParameters(chosen, Date.now()), limit: PAGE_ROWS, cursor })}`,
    rows: (page: AuditList) => page.events,
    refetchOnWindowFocus: false,
  })
  const { users } = useUsers()
  return {
    ...address,
    names: computed<Names>(() => new Map(users.value?.map(({ id, username }) => [id, username]))),
    list,
    exportPath: computed(() => `/api/v1/audit/export${queryOf(auditParameters(address.filters.value, Date.now()))}`),
  }
}
