import { QueryClient } from '@tanstack/vue-query'
import { ApiError } from './api.ts'

/** Whether asking once more may help: the server was busy, or could not be reached. */
const mayPass = (error: Error): boolean => error instanceof ApiError && (error.status === 0 || error.status === 503)

/**
 * What pages have asked for, kept while it is likely to be right. A query function is given a `signal`: pass it on, and
 * a newer question aborts an older one.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      retry: (failures, error) => failures < 2 && mayPass(error),
      retryDelay: (failures) => 300 * 2 ** failures,
      // Off line a request fails like any other, and says so.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
