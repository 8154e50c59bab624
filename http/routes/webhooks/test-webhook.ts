import { z } from 'zod'
import { messageIdOf } from '../../../queries/webhooks/deliveries.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const Test = z.object({ id: z.string().meta({ description: 'The id of the delivery.' }) }).meta({ id: 'WebhookTest' })

export const testWebhookRoute: Route = (app, { commit, now }) => {
  const mint = newIds()
  app.post(
    '/webhooks/:id/test',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['webhooks'],
        operationId: 'testWebhook',
        summary: 'Send a message of type webhook.test, once',
        params: IdPath,
        response: { 202: Test, 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }, reply) => {
      const delivery_id = mint()
      await commit.testWebhook(viewer, { webhook_id: id, delivery_id, at: now() })
      return reply.code(202).send({ id: messageIdOf(delivery_id) })
    },
  )
}
