import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { AuditEvent, AuditList, AuditRecord } from '../../../../queries/audit.ts'
import { api, queryOf } from '../../../api/api.ts'

const PAGE_ROWS = 200
/** Erasures come in groups of a thousand records. Beyond, only the list of all of them is offered. */
const MAX_PAGES = 10

/** The record of the erasure that erased `seq`, or null. Erasures are later than what they erase. */
const findErasure = async (seq: number, since: string, signal: AbortSignal): Promise<AuditEvent | null> => {
  let cursor: string | null = null
  for (let n = 0; n < MAX_PAGES; n++) {
    const page: AuditList = await api.get<AuditList>(
      `/audit${queryOf({ type: 'EventErased', since: Date.parse(since), limit: PAGE_ROWS, cursor })}`,
      signal,
    )
    const found = page.events.find(({ data }) => data?.['seq'] === seq)
    if (found) return found
    cursor = page.next_cursor
    if (cursor === null) return null
  }
  return null
}

/** Of an erased record, the record of its erasure: undefined until it is known, null if it was not found. */
export const useErasure = (record: MaybeRefOrGetter<AuditRecord | undefined>) => {
  const erased = computed(() => {
    const value = toValue(record)
    return value && value.body === null ? value : null
  })
  const { data } = useQuery({
    queryKey: computed(() => ['audit-erasure', erased.value?.seq, erased.value?.recorded_at] as const),
    queryFn: ({ queryKey: [, seq, since], signal }) =>
      seq === undefined || since === undefined ? null : findErasure(seq, since, signal),
    enabled: computed(() => erased.value !== null),
    staleTime: Infinity,
  })
  return computed(() => (erased.value === null ? undefined : data.value))
}
