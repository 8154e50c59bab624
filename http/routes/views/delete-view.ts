import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const deleteViewRoute: Route = (app, { commit }) =>
  app.delete(
    '/views/:id',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['views'],
        operationId: 'deleteView',
        summary: 'Delete a saved view; an admin removes a shared one from the list of all',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }, reply) => {
      await commit.deleteView(viewer, { view_id: id })
      return reply.code(204).send(null)
    },
  )
