import { useQuery } from '@tanstack/vue-query'
import { computed, shallowRef, watch } from 'vue'
import type { Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import type { RunListItem } from '../../../queries/runs/run-list.ts'
import { api, ApiError, pathTo } from '../../api/api.ts'

/** What is known of a selected run, wherever it was read. */
export type Selected = Pick<RunListItem, 'id' | 'project' | 'suite' | 'created_at' | 'note'>

/** Two runs are compared: the one that finished first is what the other is measured against. */
export const pairOf = (runs: readonly Selected[]): { readonly base: Selected; readonly head: Selected } | null => {
  const [a, b] = runs
  if (!a || !b || runs.length !== 2) return null
  const order = Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : 1)
  return order <= 0 ? { base: a, head: b } : { base: b, head: a }
}

const idsOf = (value: unknown): readonly string[] =>
  [...new Set([value].flat().filter((id) => typeof id === 'string' && id !== ''))] as string[]

/**
 * The selected runs, which the address holds. Selecting replaces the entry of the history: a box that was ticked is
 * unticked where it stands.
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

  // Filters may take a selected run out of sight; what was once shown of it stays known.
  const seen = shallowRef<ReadonlyMap<string, Selected>>(new Map())
  watch(rows, (now) => (seen.value = new Map([...seen.value, ...now.map((run) => [run.id, run] as const)])), {
    immediate: true,
  })
  // A pair in a pasted address may lie on pages that were never shown. More than two are never compared, so nothing of
  // them is asked.
  const unseen = computed(() =>
    ids.value.length > 2 || rows.value.length === 0 ? [] : ids.value.filter((id) => !seen.value.has(id)),
  )
  const asked = useQuery({
    queryKey: ['runs', 'selected', unseen],
    queryFn: ({ signal }) => Promise.all(unseen.value.map((id) => detailOf(id, signal).catch(absent))),
    enabled: () => unseen.value.length > 0,
    staleTime: Infinity,
  })

  const runs = computed(() =>
    ids.value.flatMap((id) => seen.value.get(id) ?? asked.data.value?.find((run) => run?.id === id) ?? []),
  )
  const go = (wanted: readonly string[]): void => {
    // Shown at once; the address follows.
    ids.value = wanted
    const { select: _, ...others } = route.query
    void router.replace({ query: wanted.length === 0 ? others : { ...others, select: [...wanted] } })
  }
  return {
    ids,
    runs,
    pair: computed(() => (runs.value.length === ids.value.length ? pairOf(runs.value) : null)),
    /** Selected in the address, and not there. */
    isMissing: computed(() => asked.data.value?.includes(null) === true && unseen.value.length > 0),
    toggle: (id: string): void =>
      go(ids.value.includes(id) ? ids.value.filter((each) => each !== id) : [...ids.value, id]),
    clear: (): void => go([]),
  }
}

/** Rejects for an id that has no address, as for one that is not there. */
const detailOf = async (id: string, signal: AbortSignal): Promise<RunDetail> =>
  api.get<RunDetail>(pathTo('runs', id), signal)

const absent = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
