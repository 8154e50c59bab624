import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { clearedCookie } from '../../identity/cookies.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const endSessionRoute: Route = (app, { commit, config }) =>
  app.delete(
    '/auth/sessions/:id',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['auth'],
        operationId: 'endSession',
        summary: 'End one of your sessions; needs a session',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }, reply) => {
      await commit.endSession(viewer, { session_id: id })
      if (viewer.actor.kind === 'session' && viewer.actor.credential_id === id)
        void reply.header('set-cookie', clearedCookie({ secure: config.cookieSecure }))
      return reply.code(204).send(null)
    },
  )
