import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const unpinBaselineByNameRoute: Route = (app, { commit }) =>
  app.delete(
    '/baselines',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['baselines'],
        operationId: 'unpinBaselineByName',
        summary: 'Unpin a baseline; works for any names',
        querystring: z.strictObject(SuitePath.shape),
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ query, viewer }, reply) => {
      await commit.unpinBaseline(viewer, query)
      return reply.code(204).send(null)
    },
  )
