import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { SetQuery } from './set-scopes.ts'

// With the names in the query, for the same reason as in `lift-restriction-by-name.ts`.

export const revokeGrantByNameRoute: Route = (app, { commit }) =>
  app.delete(
    '/grants',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['access'],
        operationId: 'revokeGrantByName',
        summary: 'Revoke a grant; works for any names',
        querystring: SetQuery.extend({ user_id: z.string() }),
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, query: { project, suite = null, user_id } }, reply) => {
      await commit.revokeAccess(viewer, { project, suite, user_id })
      return reply.code(204).send(null)
    },
  )
