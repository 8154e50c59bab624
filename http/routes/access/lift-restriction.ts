import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { setPath, type SetScope } from './set-scopes.ts'

export const liftRestrictionRoute =
  (scope: SetScope): Route =>
  (app, { commit }) =>
    app.delete(
      `${scope.path}/restriction`,
      {
        config: { scope: 'admin' },
        schema: {
          tags: ['access'],
          operationId: `lift${scope.noun}Restriction`,
          summary: `Lift the restriction of ${scope.thing}`,
          params: setPath(scope),
          response: { 204: z.null(), 404: ErrorBody },
        },
      },
      async ({ viewer, params }, reply) => {
        await commit.liftRestriction(viewer, params)
        return reply.code(204).send(null)
      },
    )
