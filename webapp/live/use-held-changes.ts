import { useQueryClient, type Query } from '@tanstack/vue-query'
import { onScopeDispose, readonly, ref } from 'vue'

/**
 * Whether shown queries that are `held` became stale by a change on the server, and how to request them again. `kinds`
 * are first parts of query keys.
 */
export const useHeldChanges = (kinds: readonly string[]) => {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const isOld = (query: Query): boolean =>
    query.meta?.live?.held === true &&
    kinds.includes(String(query.queryKey[0])) &&
    query.isActive() &&
    query.state.isInvalidated
  const [hasChanges, isLoading] = [ref(false), ref(false)]
  // A query that is being requested anyway, as after a return to the window, needs no notice.
  const update = (): void => {
    hasChanges.value = cache.getAll().some((query) => isOld(query) && query.state.fetchStatus === 'idle')
  }
  onScopeDispose(cache.subscribe(update))
  update()
  return {
    hasChanges: readonly(hasChanges),
    isLoading: readonly(isLoading),
    /** Requests what is stale; throws if a request fails. */
    load: async (): Promise<void> => {
      isLoading.value = true
      try {
        await client.refetchQueries({ predicate: isOld }, { throwOnError: true })
      } finally {
        isLoading.value = false
      }
    },
  }
}
