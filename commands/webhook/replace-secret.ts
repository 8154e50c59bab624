import type { Viewer } from '../../queries/access/viewer.ts'
import { findOwnWebhook } from '../../queries/webhooks/webhooks.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { webhookSecretReplaced } from './events.ts'

type NewSecret = {
  readonly webhook_id: string
  /** What `sealed` was made from: another request may have replaced it. */
  readonly former: string
  readonly sealed: string
}

/**
 * Replaces the secret of a webhook of the viewer's account. Refuses: forbidden (no account), not_found, conflict (the secret
 * was replaced concurrently).
 */
export const replaceWebhookSecret = (viewer: Viewer, { webhook_id, former, sealed }: NewSecret) =>
  command(viewer, {
    facts: { webhook: findOwnWebhook(viewer, webhook_id) },

    decide({ webhook }) {
      ownAccount(viewer)
      if (!webhook) throw new Refused('not_found', 'webhook not found')
      if (webhook.sealed !== former) throw new Refused('conflict', 'another request has just replaced the secret')
      return [webhookSecretReplaced({ user_id: webhook.user_id, webhook_id }, sealed)]
    },
  })
