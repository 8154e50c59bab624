import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { Distribution } from '../../../queries/cases/distribution.ts'
import { api, pathTo } from '../../api/api.ts'

/**
 * The distribution of a run's cases: histograms, values of filters, and means of the matrix's columns. Requested only
 * once `enabled` is true.
 */
export const useDistribution = (id: MaybeRefOrGetter<string>, enabled: MaybeRefOrGetter<boolean> = true) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', computed(() => toValue(id)), 'distribution'],
    queryFn: ({ signal }) => api.get<Distribution>(pathTo('runs', toValue(id), 'distribution'), signal),
    enabled: () => toValue(enabled),
    // A run never changes.
    staleTime: Infinity,
  })
  return { distribution: data, error, reload: () => void refetch() }
}
