import { z } from 'zod'
import { LEVELS } from '../../../queries/access/levels.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { granteePath, type SetScope } from './set-scopes.ts'

export const grantAccessRoute =
  (scope: SetScope): Route =>
  (app, { commit }) =>
    app.put(
      `${scope.path}/grants/:user_id`,
      {
        config: { scope: 'write', body: 'fields' },
        schema: {
          tags: ['access'],
          operationId: `grant${scope.noun}Access`,
          summary: `Grant an account a level on ${scope.thing}`,
          params: granteePath(scope),
          body: z.strictObject({ level: z.enum(LEVELS) }),
          response: { 204: z.null(), 404: ErrorBody, 422: ErrorBody },
        },
      },
      async ({ viewer, params, body }, reply) => {
        await commit.grantAccess(viewer, { ...params, ...body })
        return reply.code(204).send(null)
      },
    )
