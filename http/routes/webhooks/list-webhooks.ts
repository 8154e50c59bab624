import { z } from 'zod'
import { listOwnWebhooks, WebhookView } from '../../../queries/webhooks/webhooks.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'
import { webhookView } from './webhook.ts'

const Webhooks = z.object({ webhooks: z.array(WebhookView) }).meta({ id: 'Webhooks' })

export const listWebhooksRoute: Route = (app, services) => {
  const { reader } = services
  app.get(
    '/webhooks',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['webhooks'],
        operationId: 'listWebhooks',
        summary: 'Your webhooks',
        response: { 200: Webhooks },
      },
    },
    async ({ viewer }) => {
      checkAccount(viewer)
      return { webhooks: (await reader.read(listOwnWebhooks(viewer))).map((webhook) => webhookView(services, webhook)) }
    },
  )
}
