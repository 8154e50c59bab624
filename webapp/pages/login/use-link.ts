import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { api } from '../../api/api.ts'

/**
 * The link for an account that opened this page, and what the server says about it. Its secret is the fragment of the address, which
 * no request contains; it is sent in bodies alone.
 */
export const useLink = <Shown>(path: '/auth/invite' | '/auth/reset') => {
  const route = useRoute()
  const secret = computed(() => route.hash.slice(1))
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => ['link', path, secret.value] as const),
    queryFn: ({ signal }) => api.post<Shown>(path, { secret: secret.value }, signal),
    // Each look-up counts as an attempt.
    staleTime: Infinity,
    gcTime: 0,
  })
  return { secret, shown: data, error, reload: refetch }
}
