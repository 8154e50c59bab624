import { listUserGrants } from '../../queries/access/access.ts'
import { countOtherAdmins, findUser } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { listWebhookIds } from '../../queries/webhooks/webhooks.ts'
import { accessRevoked } from '../access/events.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { webhookDeleted } from '../webhook/events.ts'
import { userDeleted } from './events.ts'

/**
 * Deletes an account with its sessions, keys, grants and webhooks. Refuses: not_found, conflict (no enabled admin would remain).
 */
export const deleteUser = (viewer: Viewer, { user_id }: { readonly user_id: string }) =>
  command(viewer, {
    facts: {
      user: findUser(user_id),
      otherAdmins: countOtherAdmins(user_id),
      grants: listUserGrants(user_id),
      webhooks: listWebhookIds(user_id),
    },

    decide({ user, otherAdmins, grants, webhooks }) {
      if (!user) throw new Refused('not_found', 'user not found')
      if (user.role === 'admin' && otherAdmins === 0) throw new Refused('conflict', 'cannot delete the last admin')
      return [
        ...grants.map((scope) => accessRevoked({ cause: 'user_deleted', ...scope, user_id })),
        ...webhooks.map((webhook_id) => webhookDeleted({ cause: 'user_deleted', user_id, webhook_id })),
        userDeleted({ user_id }),
      ]
    },
  })
