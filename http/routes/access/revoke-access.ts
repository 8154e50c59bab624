import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { granteePath, type SetScope } from './set-scopes.ts'

export const revokeAccessRoute =
  (scope: SetScope): Route =>
  (app, { commit }) =>
    app.delete(
      `${scope.path}/grants/:user_id`,
      {
        config: { scope: 'write' },
        schema: {
          tags: ['access'],
          operationId: `revoke${scope.noun}Access`,
          summary: `Revoke what an account was granted on ${scope.thing}`,
          params: granteePath(scope),
          response: { 204: z.null(), 404: ErrorBody },
        },
      },
      async ({ viewer, params }, reply) => {
        await commit.revokeAccess(viewer, params)
        return reply.code(204).send(null)
      },
    )
