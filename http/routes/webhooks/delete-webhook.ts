import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const deleteWebhookRoute: Route = (app, { commit }) =>
  app.delete(
    '/webhooks/:id',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['webhooks'],
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }, reply) => {
      await commit.deleteWebhook(viewer, { webhook_id: id })
      return reply.code(204).send(null)
    },
  )
