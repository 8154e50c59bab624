import { TEST_EVENT } from '../../domain/webhooks/event-types.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { isTestWaiting } from '../../queries/webhooks/deliveries.ts'
import { findOwnWebhook } from '../../queries/webhooks/webhooks.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { insertDeliveries } from './make-deliveries.ts'

type Test = { readonly webhook_id: string; readonly delivery_id: string; readonly at: number }

/**
 * Adds a test delivery to a webhook of the viewer's account. Records no event. Refuses: forbidden (no account), not_found,
 * conflict (the webhook is switched off, or a test is waiting).
 */
export const testWebhook = (viewer: Viewer, { webhook_id, delivery_id, at }: Test) =>
  command(viewer, {
    facts: { webhook: findOwnWebhook(viewer, webhook_id), isWaiting: isTestWaiting(webhook_id) },

    decide({ webhook, isWaiting }) {
      ownAccount(viewer)
      if (!webhook) throw new Refused('not_found', 'webhook not found')
      if (webhook.view.disabled_at !== null)
        throw new Refused('conflict', 'this webhook is switched off: delete it and create another')
      if (isWaiting) throw new Refused('conflict', 'a test of this webhook is waiting to be sent')
      return []
    },
    statements: insertDeliveries(
      [{ delivery_id, webhook_id, seq: null, event: TEST_EVENT, facts: {}, isParked: false }],
      at,
    ),
  })
