import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, onScopeDispose, shallowRef, toValue, watchEffect } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import { useRoute } from 'vue-router'
import type { CaseList, CaseListItem } from '../../queries/cases/cases.ts'
import { api } from '../api/api.ts'
import { casesPath, filtersOf } from '../cases/case-filters.ts'
import { besideIn, besideOnServer } from '../cases/case-neighbours.ts'
import type { Direction, PageOfCases } from '../cases/case-neighbours.ts'

/**
 * What a list on the page knows: the cases it has loaded, in its order, from its beginning; whether these are all, and
 * how many there are if it knows. `focus` brings the row of a case into sight and gives it the focus; false where the
 * list has no such row.
 */
export type CaseOrder = {
  readonly run_id: string
  readonly cases: readonly CaseListItem[]
  readonly complete: boolean
  readonly total?: number | null
  readonly focus?: (case_key: string) => boolean
}

const offered = shallowRef<CaseOrder | null>(null)

/** Lets whoever shows one case walk the list that the calling component shows, while it is there. */
export const offerCaseOrder = (order: MaybeRefOrGetter<CaseOrder | null>): void => {
  let last: CaseOrder | null = null
  watchEffect(() => (offered.value = last = toValue(order)))
  onScopeDispose(() => {
    if (offered.value === last) offered.value = null
  })
}

/**
 * What the list on the page has of a run: `isThere` once it has anything, `all` its cases where these are all there
 * are.
 */
export const useListedCases = (run_id: MaybeRefOrGetter<string>) => {
  const route = useRoute()
  const list = computed(() => (offered.value?.run_id === toValue(run_id) ? offered.value : null))
  const isThere = computed(() => list.value !== null)
  const all = computed(() =>
    list.value?.complete && Object.keys(filtersOf(route.query)).length === 0 ? list.value.cases : null,
  )
  return { isThere, all }
}

/** Where a case is: its run, its key, and its place in the document once that is known. */
export type CasePlace = { readonly id: string; readonly case_key: string; readonly idx: number | null }

/**
 * The cases beside one: in the order of the list on the page where it knows, else as the server lists the run's cases
 * under the filters of the address. `beside` finds one, of the same status where `alike` asks for it.
 */
export const useCaseOrder = (of: MaybeRefOrGetter<CasePlace>, status: MaybeRefOrGetter<string | null>) => {
  const client = useQueryClient()
  const route = useRoute()
  const filters = computed(() => filtersOf(route.query))
  const list = computed(() => (offered.value?.run_id === toValue(of).id ? offered.value : null))
  const at = computed(() => list.value?.cases.findIndex(({ case_key }) => case_key === toValue(of).case_key) ?? -1)
  const row = computed(() => list.value?.cases[at.value] ?? null)

  const query = (direction: Direction, alike: boolean) => {
    const { id, idx } = toValue(of)
    const wanted = alike ? toValue(status) : null
    const page: PageOfCases = (after, limit, only) =>
      api.get<CaseList>(
        casesPath(id, { ...filters.value, ...(only === null ? {} : { status: only }) }, { limit, cursor: after }),
      )
    return {
      queryKey: ['case-beside', id, idx, direction, wanted, filters.value] as const,
      queryFn: (): Promise<CaseListItem | null> => {
        // The list shows cases of another status alone.
        if (wanted !== null && filters.value.status !== undefined && filters.value.status !== wanted)
          return Promise.resolve(null)
        return idx === null ? Promise.resolve(null) : besideOnServer(page, idx, direction, wanted)
      },
      staleTime: 60_000,
    }
  }

  /** What the list knows: the case, null where the list ends there, undefined where it does not know. */
  const inList = (direction: Direction, alike: boolean): CaseListItem | null | undefined => {
    if (!list.value || at.value < 0) return undefined
    const found = besideIn(list.value.cases, at.value, direction, alike)
    return found ?? (direction === 'previous' || list.value.complete ? null : undefined)
  }

  const asked = (direction: Direction) =>
    useQuery(
      computed(() => ({
        ...query(direction, false),
        enabled: inList(direction, false) === undefined && toValue(of).idx !== null,
      })),
    )
  const [before, after] = [asked('previous'), asked('next')]
  const previous = computed(() => inList('previous', false) ?? before.data.value ?? null)
  const next = computed(() => inList('next', false) ?? after.data.value ?? null)

  const beside = async (direction: Direction, alike: boolean): Promise<CaseListItem | null> => {
    const known = inList(direction, alike)
    return known !== undefined ? known : client.fetchQuery(query(direction, alike))
  }

  /** `27 of 200`, as far as it is known. */
  const position = computed(() =>
    at.value >= 0
      ? { at: at.value + 1, total: list.value?.total ?? (list.value?.complete ? list.value.cases.length : null) }
      : null,
  )
  const filtered = computed(() => Object.keys(filters.value).length > 0)
  const focus = (): boolean => list.value?.focus?.(toValue(of).case_key) ?? false
  return { row, previous, next, position, filtered, beside, focus }
}
