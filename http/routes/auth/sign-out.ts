import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { clearedCookie } from '../../identity/cookies.ts'
import type { Route } from '../route.ts'

const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' })

export const signOutRoute: Route = (app, { commit, config }) =>
  app.post(
    '/auth/logout',
    {
      config: { scope: null, authenticated: true },
      schema: {
        tags: ['auth'],
        operationId: 'signOut',
        summary: 'End the session of this request',
        response: { 200: Done, 401: ErrorBody, 403: ErrorBody },
      },
    },
    async ({ viewer }, reply) => {
      if (viewer.actor.kind === 'session') await commit.signOut(viewer, {})
      void reply.header('set-cookie', clearedCookie({ secure: config.cookieSecure }))
      return { ok: true } as const
    },
  )
