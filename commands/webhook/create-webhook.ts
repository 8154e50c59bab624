import { isName } from '../../domain/run/readers.ts'
import type { WebhookEvent } from '../../domain/webhooks/event-types.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { countWebhooks, MAX_WEBHOOKS } from '../../queries/webhooks/webhooks.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { webhookCreated } from './events.ts'

type NewWebhook = {
  readonly webhook_id: string
  readonly events: readonly WebhookEvent[]
  readonly project: string | null
  readonly suite: string | null
  /** URL and secret, encrypted. */
  readonly sealed: string
}

/**
 * Creates a webhook of the viewer's account. Project and suite need not exist, and the viewer may not see them yet: what is
 * sent is what the account may see then. Refuses: forbidden (no account), unprocessable (a suite without a project, a name
 * that no run can have), conflict (the account has the maximum number of webhooks).
 */
export const createWebhook = (viewer: Viewer, { webhook_id, events, project, suite, sealed }: NewWebhook) => {
  return command(viewer, {
    facts: { count: countWebhooks(viewer.actor.user_id) },

    decide({ count }) {
      const user_id = ownAccount(viewer)
      if (project === null && suite !== null) throw new Refused('unprocessable', 'suite: give its project too')
      for (const [field, name] of [
        ['project', project],
        ['suite', suite],
      ] as const)
        if (name !== null && !isName(name))
          throw new Refused('unprocessable', `${field}: must be a name that a run can have`)
      if (count >= MAX_WEBHOOKS)
        throw new Refused('conflict', `an account has at most ${MAX_WEBHOOKS} webhooks: delete one first`)
      return [webhookCreated({ events, project, suite, user_id, webhook_id }, sealed)]
    },
  })
}
