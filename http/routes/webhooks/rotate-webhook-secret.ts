import { Refused } from '../../../commands/refused.ts'
import { newWebhookSecret } from '../../../domain/webhooks/signature.ts'
import { ErrorBody } from '../../errors.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { neededTargets, openTarget, readWebhook, webhookView, WithSecret } from './webhook.ts'

/** How long the former secret signs too, after a new one was made. */
const BOTH_VALID_MS = 24 * 3_600_000

export const rotateWebhookSecretRoute: Route = (app, services) => {
  const { commit, now } = services
  app.post(
    '/webhooks/:id/secret',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['webhooks'],
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the secret; for a day, the former one signs too',
        params: IdPath,
        response: { 200: WithSecret, 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }, reply) => {
      checkAccount(viewer)
      const webhook = await readWebhook(services.reader, viewer, id)
      const target = openTarget(services, webhook)
      if (!target) throw new Refused('conflict', 'the webhook cannot be decrypted: delete it and create a new one')
      const { url, format, secret: former } = target
      const secret = newWebhookSecret()
      await commit.replaceWebhookSecret(viewer, {
        webhook_id: id,
        former: webhook.sealed,
        sealed: neededTargets(services).seal(id, {
          url,
          format,
          secret,
          former: { secret: former, until: now() + BOTH_VALID_MS },
        }),
      })
      void reply.header('cache-control', 'no-store')
      return { ...webhookView(services, await readWebhook(services.reader, viewer, id)), secret }
    },
  )
}
