import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const unpinBaselineRoute: Route = (app, { commit }) =>
  app.delete(
    '/projects/:project/suites/:suite/baseline',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['baselines'],
        operationId: 'unpinBaseline',
        summary: 'Unpin the baseline of a suite',
        params: SuitePath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ params, viewer }, reply) => {
      await commit.unpinBaseline(viewer, params)
      return reply.code(204).send(null)
    },
  )
