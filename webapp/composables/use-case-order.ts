import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, onScopeDispose, shallowRef, toValue, watchEffect, type MaybeRefOrGetter } from 'vue'
import { useRoute } from 'vue-router'
import type { CaseList, CaseListItem } from '../../queries/cases/cases.ts'
import { api } from '../api/api.ts'
import { casesPath, readCaseFilters } from '../cases/case-filters.ts'
import { neighbourInList, neighbourOnServer, type Direction, type FetchCasePage } from '../cases/case-neighbours.ts'

/**
 * The list of cases on the page: the loaded cases, from the first case of the list on and in the order of the list;
 * whether these are all cases of the list; and the total if it is known. `focus` scrolls to the row of a case and
 * focuses it; it returns false if there is no such row.
 */
export type CaseOrder = {
  readonly run_id: string
  readonly cases: ReadonlyArray<CaseListItem | undefined>
  readonly complete: boolean
  readonly total?: number | null
  readonly focus?: (case_key: string) => boolean
}

/** The list on the page; null if the page has none. */
const current = shallowRef<CaseOrder | 'loading' | null>(null)
const listedOrder = (run_id: string): CaseOrder | null =>
  current.value !== 'loading' && current.value?.run_id === run_id ? current.value : null

/**
 * Makes the calling component's list available to the component that shows a single case, until the calling component
 * unmounts. `order` is null while the list loads.
 */
export const provideCaseOrder = (order: MaybeRefOrGetter<CaseOrder | null>): void => {
  let last: CaseOrder | 'loading' | null = null
  watchEffect(() => (current.value = last = toValue(order) ?? 'loading'))
  onScopeDispose(() => {
    if (current.value === last) current.value = null
  })
}

/**
 * The cases of a run that the list on the page has loaded. `isLoaded` is false while that list loads or if it is missing.
 * `all` is null unless the list has every case of the run.
 */
export const useListedCases = (run_id: MaybeRefOrGetter<string>) => {
  const route = useRoute()
  const list = computed(() => listedOrder(toValue(run_id)))
  const isLoaded = computed(() => list.value !== null)
  const all = computed(() =>
    list.value?.complete && Object.keys(readCaseFilters(route.query)).length === 0
      ? list.value.cases.filter((item) => item !== undefined)
      : null,
  )
  return { isLoaded, all }
}

/** Identifies a case: its run, its key, and its index in the document once that is known. */
export type CaseAddress = { readonly id: string; readonly case_key: string; readonly idx: number | null }

/**
 * The cases before and after a case: from the list on the page if it contains them, else from the server, with the
 * filters of the address. `neighbour` finds one of them; with `sameStatus`, only one of the same status. While the list
 * loads, it asks the server, for which it needs `place`, the index of the case in the document; it throws if that is not
 * known.
 */
export const useCaseOrder = (
  address: MaybeRefOrGetter<CaseAddress>,
  status: MaybeRefOrGetter<string | null>,
  place: MaybeRefOrGetter<number | null> = () => toValue(address).idx,
) => {
  const client = useQueryClient()
  const route = useRoute()
  const filters = computed(() => readCaseFilters(route.query))
  /** The server finds a neighbour in the order of the document only. */
  const isServed = computed(() => route.query['sort'] === 'document' && route.query['order'] !== 'desc')
  const list = computed(() => listedOrder(toValue(address).id))
  const index = computed(
    () => list.value?.cases.findIndex((item) => item?.case_key === toValue(address).case_key) ?? -1,
  )
  const row = computed(() => list.value?.cases[index.value] ?? null)

  const query = (direction: Direction, sameStatus: boolean, idx = toValue(address).idx) => {
    const { id } = toValue(address)
    const requiredStatus = sameStatus ? toValue(status) : null
    const fetchPage: FetchCasePage = (after, limit, onlyStatus) =>
      api.get<CaseList>(
        casesPath(
          id,
          { ...filters.value, ...(onlyStatus === null ? {} : { status: onlyStatus }) },
          { limit, cursor: after },
        ),
      )
    return {
      queryKey: ['adjacent-case', id, idx, direction, requiredStatus, filters.value] as const,
      queryFn: (): Promise<CaseListItem | null> => {
        // The filters select only cases of another status.
        if (requiredStatus !== null && filters.value.status !== undefined && filters.value.status !== requiredStatus)
          return Promise.resolve(null)
        return idx === null || !isServed.value
          ? Promise.resolve(null)
          : neighbourOnServer(fetchPage, idx, direction, requiredStatus)
      },
      staleTime: 60_000,
    }
  }

  /** The neighbour in the list; null if there is none; undefined if only the server can tell. */
  const inList = (direction: Direction, sameStatus: boolean): CaseListItem | null | undefined => {
    if (!list.value || index.value < 0) return undefined
    const listed = neighbourInList(list.value.cases, index.value, direction, sameStatus)
    if (listed !== null) return listed
    return direction === 'previous' || list.value.complete ? null : undefined
  }

  const queryServer = (direction: Direction) =>
    useQuery(
      computed(() => ({
        ...query(direction, false),
        // A list that loads may have the neighbour.
        enabled: current.value !== 'loading' && inList(direction, false) === undefined && toValue(address).idx !== null,
      })),
    )
  const [previousQuery, nextQuery] = [queryServer('previous'), queryServer('next')]
  const previous = computed(() => inList('previous', false) ?? previousQuery.data.value ?? null)
  const next = computed(() => inList('next', false) ?? nextQuery.data.value ?? null)

  const neighbour = async (direction: Direction, sameStatus: boolean): Promise<CaseListItem | null> => {
    const listed = inList(direction, sameStatus)
    if (listed !== undefined) return listed
    const idx = toValue(place)
    if (idx === null || (list.value === null && !isServed.value)) throw new Error('loading')
    return client.fetchQuery(query(direction, sameStatus, idx))
  }

  /** The case's number and the total, as in `27 of 200`; the total may be unknown. Null if the case is not in the list. */
  const position = computed(() =>
    index.value >= 0
      ? { number: index.value + 1, total: list.value?.total ?? (list.value?.complete ? list.value.cases.length : null) }
      : null,
  )
  const filtered = computed(() => !isServed.value || Object.keys(filters.value).length > 0)
  const focus = (): boolean => list.value?.focus?.(toValue(address).case_key) ?? false
  return { row, previous, next, position, filtered, neighbour, focus }
}
