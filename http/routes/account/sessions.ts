import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { accountRequired } from '../../../commands/key/mint-key.ts'
import { listOwnSessions, OwnSession } from '../../../queries/access/sessions.ts'
import { ErrorBody } from '../../errors.ts'
import { clearedCookie } from '../../identity/cookies.ts'
import { nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const Sessions = z.object({ sessions: z.array(OwnSession) }).meta({ id: 'OwnSessions' })

/** How many sessions ended. */
export const Ended = z.object({ ended: z.number().int() }).meta({ id: 'SessionsEnded' })

/** Lists and ends the sessions of the caller's own account. */
export const sessionRoutes =
  ({ reader, commit, now, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['auth']
    const querystring = NoParameters
    const read = { scope: 'read' } as const

    const list = {
      tags,
      operationId: 'listOwnSessions',
      summary: 'The open sessions of the own account',
      querystring,
      response: { 200: Sessions, 403: ErrorBody },
    }
    app.get('/auth/sessions', { config: read, schema: list }, async ({ viewer }) => {
      if (viewer.actor.user_id === null) throw accountRequired()
      return { sessions: await listOwnSessions(reader, viewer, now()) }
    })

    const endOthers = {
      tags,
      operationId: 'endOtherSessions',
      summary: 'End all other sessions of the own account; needs a session',
      querystring,
      response: { 200: Ended, 403: ErrorBody },
    }
    app.delete('/auth/sessions', { config: read, schema: endOthers }, async ({ viewer }) =>
      commit.endSessions(viewer, { at: now() }),
    )

    const end = {
      tags,
      operationId: 'endSession',
      summary: 'End one session of the own account; needs a session',
      params: z.object({ id: nameParameter }),
      querystring,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete('/auth/sessions/:id', { config: read, schema: end }, async ({ viewer, params: { id } }, reply) => {
      await commit.endSession(viewer, { session_id: id })
      if (viewer.actor.kind === 'session' && viewer.actor.credential_id === id)
        void reply.header('set-cookie', clearedCookie({ secure: config.cookieSecure }))
      return reply.code(204).send(null)
    })
  }
