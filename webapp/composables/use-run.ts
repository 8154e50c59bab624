import { useQuery, type Query } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { RunInSuite } from '../../queries/runs/run-in-suite.ts'
import { api, ApiError, pathTo } from '../api/api.ts'

/** One run in full, and the baseline of its suite. `missing`: it does not exist, or the viewer may not see it. */
export const useRun = (id: MaybeRefOrGetter<string>) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', computed(() => toValue(id))],
    queryFn: ({ signal }) => api.get<RunInSuite>(pathTo('runs', toValue(id), 'in-suite'), signal),
    // A run never changes, but it can be deleted, and its suite can get another baseline.
    meta: computed(() => ({ live: { run: toValue(id) } })),
  })
  const missing = computed(() => error.value instanceof ApiError && error.value.status === 404)
  return { run: data, error, missing, reload: () => void refetch() }
}

/** Whether a query is for a run itself, not for its cases or its document, which never change. */
export const isRunQuery = ({ queryKey }: Pick<Query, 'queryKey'>): boolean =>
  queryKey[0] === 'run' && queryKey.length === 2
