import { useQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { RunDetail } from '../../queries/runs.ts'
import { api, ApiError, pathTo } from '../api.ts'

/** A run never changes, it can only go. */
const KEPT_MS = 5 * 60_000

/** One run in full. `missing`: it is not there, or not for this viewer to see. */
export const useRun = (id: MaybeRefOrGetter<string>) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', computed(() => toValue(id))],
    queryFn: ({ signal }) => api.get<RunDetail>(pathTo('runs', toValue(id)), signal),
    staleTime: KEPT_MS,
  })
  const missing = computed(() => error.value instanceof ApiError && error.value.status === 404)
  return { run: data, error, missing, reload: () => void refetch() }
}
