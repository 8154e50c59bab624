import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const deleteRunRoute: Route = (app, { commit }) =>
  app.delete(
    '/runs/:id',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['runs'],
        operationId: 'deleteRun',
        summary: 'Delete a run',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params }, reply) => {
      await commit.deleteRun(viewer, { run_id: params.id })
      return reply.code(204).send(null)
    },
  )
