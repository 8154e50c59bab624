import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { RunDetail } from '../../../../queries/runs/run-detail.ts'
import { api, ApiError, pathTo } from '../../../api/api.ts'

/** The run of an id; null asks for none. `isMissing`: it was deleted. */
export const useRunDetail = (id: MaybeRefOrGetter<string | null>) => {
  const { data, error } = useQuery({
    queryKey: ['run', computed(() => toValue(id)), 'detail'],
    queryFn: ({ signal }) => api.get<RunDetail>(pathTo('runs', toValue(id) ?? ''), signal),
    enabled: computed(() => toValue(id) !== null),
    retry: (failures, cause) => !(cause instanceof ApiError && cause.status === 404) && failures < 3,
  })
  return { run: data, isMissing: computed(() => error.value instanceof ApiError && error.value.status === 404) }
}
