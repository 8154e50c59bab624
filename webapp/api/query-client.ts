import { QueryClient } from '@tanstack/vue-query'
import { ApiError } from './api.ts'

/** Whether a retry may help: the server was busy, or could not be reached. */
const isTemporary = (error: Error): boolean => error instanceof ApiError && (error.status === 0 || error.status === 503)

/**
 * Caches responses while they are likely to be current. A query function receives a `signal`: pass it on, so that a
 * newer request aborts an older one.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A response is data and is replaced as a whole. Deep proxies of Vue would read names of their own in a document:
      // an object with `__v_isRef` would show its `value` alone, and `hasOwnProperty` would be answered by the proxy.
      shallow: true,
      gcTime: 5 * 60_000,
      retry: (failures, error) => failures < 2 && isTemporary(error),
      retryDelay: (failures) => 300 * 2 ** failures,
      // Without a network a request fails like any other, and the page shows the error.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
