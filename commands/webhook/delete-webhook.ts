import type { Viewer } from '../../queries/access/viewer.ts'
import { findWebhook } from '../../queries/webhooks/webhooks.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { webhookDeleted } from './events.ts'

/**
 * Deletes a webhook of the viewer's account with its secrets and deliveries; an admin and the command line may delete
 * every webhook. Refuses: forbidden (no account), not_found (also for a webhook of another account).
 */
export const deleteWebhook = (viewer: Viewer, { webhook_id }: { readonly webhook_id: string }) =>
  command(viewer, {
    facts: { webhook: findWebhook(webhook_id) },

    decide({ webhook, currentAccess }) {
      if (viewer.actor.kind !== 'cli') ownAccount(viewer)
      if (!webhook || (webhook.user_id !== viewer.actor.user_id && !currentAccess.sees_all))
        throw new Refused('not_found', 'webhook not found')
      return [webhookDeleted({ cause: 'request', user_id: webhook.user_id, webhook_id })]
    },
  })
