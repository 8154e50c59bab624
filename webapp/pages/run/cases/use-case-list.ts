import { hashKey, keepPreviousData, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, ref, toValue, watch, type MaybeRefOrGetter } from 'vue'
import type { CaseListRow, CaseRows } from '../../../../queries/cases/case-rows.ts'
import { api } from '../../../api/api.ts'
import { caseRowsPath, type CaseFilters } from '../../../cases/case-filters.ts'
import type { ListOrder } from '../../../composables/use-list-order.ts'

/** Rows of one page of the list: the maximum that the server allows. */
const PAGE_ROWS = 200
/** Rows that are loaded before and after the visible ones. */
const ROWS_AHEAD = 100

type List = {
  readonly id: MaybeRefOrGetter<string>
  readonly filters: MaybeRefOrGetter<CaseFilters>
  /** Null for the order of the document. */
  readonly order: MaybeRefOrGetter<ListOrder | null>
  /** Whether the rows have the variables and assertions of their cases. */
  readonly fields: MaybeRefOrGetter<boolean>
  /** The case that is open, if any: the first request is for the page that has it. */
  readonly open: MaybeRefOrGetter<string | null>
  /** While this is false, nothing is requested. */
  readonly isValid: MaybeRefOrGetter<boolean>
}

/**
 * The cases of a run that match the filters. The length of `cases` is the number of matches; a case is undefined until the
 * page that has it is loaded. Call `reach` with the indexes of the visible rows, so that their pages are
 * loaded, with `ahead` also those around them.
 */
export const useCaseList = ({ id, filters, order, fields, open, isValid }: List) => {
  const key = computed(
    () => ['run', toValue(id), 'case-rows', toValue(filters), toValue(order), toValue(fields)] as const,
  )
  const fetchRows = (page: Readonly<Record<string, string | number>>, signal: AbortSignal): Promise<CaseRows> =>
    api.get<CaseRows>(
      caseRowsPath(toValue(id), toValue(filters), toValue(order), {
        limit: PAGE_ROWS,
        ...(toValue(fields) && { fields: 'true' }),
        ...page,
      }),
      signal,
    )
  const first = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => {
      const around = toValue(open)
      return fetchRows(around === null ? {} : { around }, signal)
    },
    enabled: () => toValue(isValid),
    placeholderData: keepPreviousData,
    // A run never changes, so loaded pages stay correct.
    staleTime: Infinity,
  })
  const total = computed(() => first.data.value?.total ?? 0)
  /** Whether the cases are still those of the previous filters, because those of the new filters are loading. */
  const isOld = computed(() => first.isPlaceholderData.value)

  const wanted = ref<readonly number[]>([])
  // Each address makes a new key, which is often equal to the last one.
  watch(
    () => hashKey(key.value),
    () => (wanted.value = []),
  )
  const client = useQueryClient()
  const loadPage = (of: typeof key.value, page: number): Promise<CaseRows> =>
    client.fetchQuery({
      queryKey: [...of, page],
      queryFn: ({ signal }) => fetchRows({ offset: page * PAGE_ROWS }, signal),
      staleTime: Infinity,
    })
  const more = useQuery({
    queryKey: computed(() => [...key.value, wanted.value]),
    // Pages that are there already are not requested again.
    queryFn: () => Promise.all(wanted.value.map((page) => loadPage(key.value, page))),
    // Until the further pages are there, those of the same filters.
    placeholderData: (pages: CaseRows[] | undefined, query) =>
      hashKey(query?.queryKey.slice(0, -1) ?? []) === hashKey(key.value) ? pages : undefined,
    enabled: () => wanted.value.length > 0,
    staleTime: Infinity,
  })

  const cases = computed(() => {
    const found: Array<CaseListRow | undefined> = Array.from({ length: total.value })
    for (const part of [first.data.value, ...(isOld.value ? [] : (more.data.value ?? []))])
      part?.rows.forEach((row, n) => (found[part.offset + n] = row))
    return found
  })
  const loaded = computed(() => cases.value.reduce((count, row) => count + (row ? 1 : 0), 0))

  const reach = (from: number, to: number, ahead: boolean): void => {
    if (isOld.value || !first.data.value) return
    const more = ahead ? ROWS_AHEAD : 0
    const [start, end] = [Math.max(0, from - more), Math.min(total.value - 1, to + more)]
    const firstPage = first.data.value.offset / PAGE_ROWS
    const missing: number[] = []
    for (let page = Math.floor(start / PAGE_ROWS); page * PAGE_ROWS <= end; page++)
      if (page !== firstPage && !wanted.value.includes(page)) missing.push(page)
    if (missing.length > 0) wanted.value = [...wanted.value, ...missing]
  }
  return {
    cases,
    total,
    isLoaded: computed(() => first.data.value !== undefined),
    isComplete: computed(() => first.data.value !== undefined && loaded.value === total.value),
    error: computed(() => first.error.value ?? more.error.value),
    isOld,
    isLoadingMore: more.isFetching,
    reach,
    reload: (): void => {
      void first.refetch()
      if (more.error.value) void more.refetch()
    },
  }
}
