import { queryOptions } from '@tanstack/vue-query'
import type { ApiKey } from '../../../queries/access/api-keys.ts'
import type { OwnSession } from '../../../queries/access/sessions.ts'
import { api } from '../../api/api.ts'

/** The account's own keys and sessions. */
export const ownKeys = queryOptions({
  queryKey: ['apikeys'],
  queryFn: ({ signal }) => api.get<{ keys: ApiKey[] }>('/apikeys', signal),
})
export const ownSessions = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.get<{ sessions: OwnSession[] }>('/auth/sessions', signal),
})
