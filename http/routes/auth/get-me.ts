import { Me } from '../../../queries/access/sessions.ts'
import { findUserView, ownUser } from '../../../queries/access/users.ts'
import type { Route } from '../route.ts'

export const getMeRoute: Route = (app, { reader }) =>
  app.get(
    '/auth/me',
    {
      config: { scope: null },
      schema: {
        tags: ['auth'],
        operationId: 'getMe',
        summary: 'The account and the scope of this request',
        response: { 200: Me },
      },
    },
    async ({ viewer: { actor } }): Promise<Me> => {
      const { kind, scope, user_id } = actor
      if (kind !== 'static' && kind !== 'apikey' && kind !== 'session') return ANONYMOUS
      const user = user_id === null ? null : await reader.read(findUserView(user_id))
      // The account was deleted after the credential was resolved.
      if (user_id !== null && !user) return ANONYMOUS
      return { authenticated: true, user: user && ownUser(user), source: kind, scope }
    },
  )

const ANONYMOUS: Me = { authenticated: false, user: null, source: 'anonymous', scope: null }
