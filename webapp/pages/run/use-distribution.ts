import { useQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { Distribution } from '../../../queries/cases/distribution.ts'
import { api, pathTo } from '../../api/api.ts'

/**
 * How the cases of a run spread: histograms, what they can be filtered with, means of the matrix's columns. Asked for
 * once it is `wanted`.
 */
export const useDistribution = (id: MaybeRefOrGetter<string>, wanted: MaybeRefOrGetter<boolean> = true) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', computed(() => toValue(id)), 'distribution'],
    queryFn: ({ signal }) => api.get<Distribution>(pathTo('runs', toValue(id), 'distribution'), signal),
    enabled: () => toValue(wanted),
    // A run never changes.
    staleTime: Infinity,
  })
  return { distribution: data, error, reload: () => void refetch() }
}
