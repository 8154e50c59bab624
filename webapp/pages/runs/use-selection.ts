import { useQuery } from '@tanstack/vue-query'
import { computed, shallowRef, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import type { RunListItem } from '../../../queries/runs/run-list.ts'
import { MAX_COMPARED, MIN_COMPARED } from '../../runs/compared-runs.ts'
import { api, ApiError, pathTo } from '../../api/api.ts'

/** How many runs can be deleted or tagged at once, one by one. */
export const MAX_AT_ONCE = 50

/** The fields of a selected run, from the list or from the run's detail. */
export type Selected = Pick<RunListItem, 'id' | 'project' | 'suite' | 'created_at' | 'note'>

/** Runs in the order in which they finished: the first is the base of a comparison. */
export const inOrder = (runs: readonly Selected[]): Selected[] =>
  runs.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : 1))

const idsOf = (value: unknown): readonly string[] =>
  [...new Set([value].flat().filter((id) => typeof id === 'string' && id !== ''))] as string[]

/**
 * The selected runs, which are stored in the address. Selecting replaces the history entry, so that going back does not
 * undo it.
 */
export const useSelection = (rows: Readonly<Ref<readonly RunListItem[]>>) => {
  const route = useRoute()
  const router = useRouter()
  const name = route.name
  const ids = shallowRef(idsOf(route.query['select']))
  watch(
    () => route.query['select'],
    (value) => {
      if (route.name === name) ids.value = idsOf(value)
    },
  )

  // Filters may hide a selected run, so runs that were shown once are remembered.
  const seen = shallowRef<ReadonlyMap<string, Selected>>(new Map())
  watch(rows, (newRows) => (seen.value = new Map([...seen.value, ...newRows.map((run) => [run.id, run] as const)])), {
    immediate: true,
  })
  // Runs in a pasted address may be on pages that were never shown, so they are requested. More runs than can be
  // compared are not requested.
  const unseen = computed(() =>
    ids.value.length > MAX_COMPARED || rows.value.length === 0 ? [] : ids.value.filter((id) => !seen.value.has(id)),
  )
  const unseenRuns = useQuery({
    queryKey: ['runs', 'selected', unseen],
    queryFn: ({ signal }) => Promise.all(unseen.value.map((id) => fetchDetail(id, signal).catch(nullIfNotFound))),
    enabled: () => unseen.value.length > 0,
    staleTime: Infinity,
  })

  const runs = computed(() =>
    ids.value.flatMap((id) => seen.value.get(id) ?? unseenRuns.data.value?.find((run) => run?.id === id) ?? []),
  )
  const select = (newIds: readonly string[]): void => {
    // The page shows the selection at once; the address changes later.
    ids.value = newIds
    const { select: _, ...others } = route.query
    void router.replace({ query: newIds.length === 0 ? others : { ...others, select: [...newIds] } })
  }
  return {
    ids,
    runs,
    /** The runs to compare, or null if their number does not fit or one is not loaded. */
    compared: computed(() =>
      runs.value.length === ids.value.length && ids.value.length >= MIN_COMPARED && ids.value.length <= MAX_COMPARED
        ? inOrder(runs.value)
        : null,
    ),
    /** Whether the address selects a run that does not exist. */
    isMissing: computed(() => unseenRuns.data.value?.includes(null) === true && unseen.value.length > 0),
    toggle: (id: string): void =>
      select(ids.value.includes(id) ? ids.value.filter((other) => other !== id) : [...ids.value, id]),
    /** Runs that are not there any more. */
    drop: (gone: readonly string[]): void => select(ids.value.filter((id) => !gone.includes(id))),
    clear: (): void => select([]),
  }
}

/** Rejects with 404 if the run does not exist, or if its id is `.` or `..`, which cannot be part of an address. */
const fetchDetail = async (id: string, signal: AbortSignal): Promise<RunDetail> =>
  api.get<RunDetail>(pathTo('runs', id), signal)

const nullIfNotFound = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
