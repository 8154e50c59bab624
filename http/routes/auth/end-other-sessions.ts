import { z } from 'zod'
import type { Route } from '../route.ts'

/** How many sessions ended. */
export const Ended = z.object({ ended: z.number().int() }).meta({ id: 'SessionsEnded' })

export const endOtherSessionsRoute: Route = (app, { commit, now }) =>
  app.delete(
    '/auth/sessions',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['auth'],
        operationId: 'endOtherSessions',
        summary: 'End all your other sessions; needs a session',
        response: { 200: Ended },
      },
    },
    async ({ viewer }) => commit.endSessions(viewer, { at: now() }),
  )
