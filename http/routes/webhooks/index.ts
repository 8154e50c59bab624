import type { Route } from '../route.ts'
import { createWebhookRoute } from './create-webhook.ts'
import { deleteWebhookRoute } from './delete-webhook.ts'
import { listWebhookDeliveriesRoute } from './list-webhook-deliveries.ts'
import { listWebhooksRoute } from './list-webhooks.ts'
import { rotateWebhookSecretRoute } from './rotate-webhook-secret.ts'
import { testWebhookRoute } from './test-webhook.ts'

/** Routes of webhooks, in the order of the API's document. */
export const webhookRoutes: readonly Route[] = [
  listWebhooksRoute,
  createWebhookRoute,
  deleteWebhookRoute,
  rotateWebhookSecretRoute,
  testWebhookRoute,
  listWebhookDeliveriesRoute,
]
