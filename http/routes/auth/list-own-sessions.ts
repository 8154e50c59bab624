import { z } from 'zod'
import { listOwnSessions, OwnSession } from '../../../queries/access/sessions.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'

const Sessions = z.object({ sessions: z.array(OwnSession) }).meta({ id: 'OwnSessions' })

export const listOwnSessionsRoute: Route = (app, { reader, now }) =>
  app.get(
    '/auth/sessions',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['auth'],
        operationId: 'listOwnSessions',
        summary: 'Your open sessions',
        response: { 200: Sessions },
      },
    },
    async ({ viewer }) => {
      checkAccount(viewer)
      return { sessions: await listOwnSessions(reader, viewer, now()) }
    },
  )
