import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const deleteUserRoute: Route = (app, { commit }) =>
  app.delete(
    '/users/:id',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'deleteUser',
        summary: 'Delete an account',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params }, reply) => {
      await commit.deleteUser(viewer, { user_id: params.id })
      return reply.code(204).send(null)
    },
  )
