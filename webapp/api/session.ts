import type { QueryClient } from '@tanstack/vue-query'
import { queryOptions } from '@tanstack/vue-query'
import type { Me } from '../../queries/access/sessions.ts'
import type { Meta } from '../../queries/meta.ts'
import { api } from './api.ts'

/** Who is here, and what the server is. */
export type Session = { readonly me: Me; readonly meta: Meta }

/** Asked for once; signing in, setting up and signing out forget it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Infinity,
  gcTime: Infinity,
  queryFn: async ({ signal }): Promise<Session> => {
    const [me, meta] = await Promise.all([api.get<Me>('/auth/me', signal), api.get<Meta>('/meta', signal)])
    return { me, meta }
  },
})

/** The session, from the server the first time. Throws: ApiError. */
export const loadSession = (client: QueryClient): Promise<Session> => client.ensureQueryData(sessionQuery)

/**
 * Where a session has to go before it may see pages; null where it may: whoever is known, and anybody where reading is
 * open.
 */
export const gateOf = ({ me, meta }: Session): 'setup' | 'login' | null => {
  if (me.authenticated || meta.auth_mode !== 'closed') return null
  return meta.setup_required ? 'setup' : 'login'
}

/** The address of the sign-in page that leads back to `here`. */
export const signInAddress = (here: string): { name: 'login'; query: Record<string, string> } => ({
  name: 'login',
  query: here === '/' ? {} : { return_to: here },
})

/**
 * A `return_to` that is safe to follow: a path of this server and nothing else. Anything else leads to the first page.
 */
export const safeReturn = (given: unknown, origin: string): string => {
  if (typeof given !== 'string' || !given.startsWith('/') || !URL.canParse(given, origin)) return '/'
  // Browsers read `//host` and `/\host` as another server; the parser here is theirs.
  const { origin: found, pathname, search, hash } = new URL(given, origin)
  if (found !== origin || pathname.startsWith('//')) return '/'
  return pathname === '/login' || pathname === '/setup' ? '/' : `${pathname}${search}${hash}`
}
