import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const revokeApiKeyRoute: Route = (app, { commit }) =>
  app.delete(
    '/apikeys/:id',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['apikeys'],
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params }, reply) => {
      await commit.revokeKey(viewer, { key_id: params.id })
      return reply.code(204).send(null)
    },
  )
