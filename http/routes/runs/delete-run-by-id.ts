import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'

export const deleteRunByIdRoute: Route = (app, { commit }) =>
  app.delete(
    '/runs',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['runs'],
        operationId: 'deleteRunById',
        summary: 'Delete a run, whatever its id',
        querystring: z.strictObject({ run_id: z.string() }),
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, query }, reply) => {
      await commit.deleteRun(viewer, query)
      return reply.code(204).send(null)
    },
  )
