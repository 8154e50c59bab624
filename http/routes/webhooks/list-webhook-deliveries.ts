import { z } from 'zod'
import { DeliveryList, listDeliveries } from '../../../queries/webhooks/deliveries.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readWebhook } from './webhook.ts'

export const listWebhookDeliveriesRoute: Route = (app, { reader }) =>
  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['webhooks'],
        operationId: 'listWebhookDeliveries',
        summary: 'What a webhook sent, and what is waiting, newest first',
        params: IdPath,
        querystring: z.strictObject(paged(50, 200)),
        response: { 200: DeliveryList, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, query: { limit, cursor } }) => {
      const { webhook_id } = await readWebhook(reader, viewer, id)
      return listDeliveries(reader, viewer, webhook_id, { limit, cursor })
    },
  )
