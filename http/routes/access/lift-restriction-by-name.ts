import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { SetQuery } from './set-scopes.ts'

// With the names in the query, which is needed for the names `.` and `..`: clients remove these from a path, and would
// then request another path.

export const liftRestrictionByNameRoute: Route = (app, { commit }) =>
  app.delete(
    '/restrictions',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['access'],
        operationId: 'liftRestrictionByName',
        summary: 'Lift a restriction; works for any names',
        querystring: SetQuery,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, query: { project, suite = null } }, reply) => {
      await commit.liftRestriction(viewer, { project, suite })
      return reply.code(204).send(null)
    },
  )
