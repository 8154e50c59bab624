import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const revokeBadgesRoute: Route = (app, { commit }) =>
  app.delete(
    '/projects/:project/suites/:suite/badge',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['sets'],
        operationId: 'revokeBadges',
        summary: 'Revoke all keys of the image of a suite',
        params: SuitePath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params }, reply) => {
      await commit.revokeBadgeKeys(viewer, params)
      return reply.code(204).send(null)
    },
  )
