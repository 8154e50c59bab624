import { queryOptions, type QueryClient } from '@tanstack/vue-query'
import type { Me } from '../../queries/access/sessions.ts'
import type { Meta } from '../../queries/meta.ts'
import { api } from './api.ts'

/** The signed-in user, if any, and facts about the server. */
export type Session = { readonly me: Me; readonly meta: Meta }

/** Requested once, then cached until the user signs in or out, or sets the server up. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Infinity,
  gcTime: Infinity,
  queryFn: async ({ signal }): Promise<Session> => {
    const [me, meta] = await Promise.all([api.get<Me>('/auth/me', signal), api.get<Meta>('/meta', signal)])
    return { me, meta }
  },
})

/** The session; requested from the server the first time. Throws: ApiError. */
export const loadSession = (client: QueryClient): Promise<Session> => client.ensureQueryData(sessionQuery)

/**
 * The page that the user must complete before any other page is shown. Null if the user is signed in or reading needs no
 * account.
 */
export const gateOf = ({ me, meta }: Session): 'setup' | 'login' | null => {
  if (me.authenticated || meta.auth_mode !== 'closed') return null
  return meta.setup_required ? 'setup' : 'login'
}

/** The address of the sign-in page; after signing in, the user returns to `here`. */
export const signInAddress = (here: string): { name: 'login'; query: Record<string, string> } => ({
  name: 'login',
  query: here === '/' ? {} : { return_to: here },
})
