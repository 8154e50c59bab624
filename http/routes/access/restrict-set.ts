import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { setPath, type SetScope } from './set-scopes.ts'

export const restrictSetRoute =
  (scope: SetScope): Route =>
  (app, { commit }) =>
    app.put(
      `${scope.path}/restriction`,
      {
        config: { scope: 'admin' },
        schema: {
          tags: ['access'],
          operationId: `restrict${scope.noun}`,
          summary: `Restrict ${scope.thing}: only granted accounts and admins see it`,
          params: setPath(scope),
          response: { 204: z.null(), 422: ErrorBody },
        },
      },
      async ({ viewer, params }, reply) => {
        await commit.restrictSet(viewer, params)
        return reply.code(204).send(null)
      },
    )
