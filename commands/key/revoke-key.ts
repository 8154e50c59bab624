import { findKey } from '../../queries/access/api-keys.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { keyRevoked } from './events.ts'

/**
 * Revokes a key of the viewer's account; an admin may revoke every key. The scope of the credential does not matter.
 * Records nothing if the key is revoked already. Refuses: forbidden (no account, or a key of another account),
 * not_found.
 */
export const revokeKey = (viewer: Viewer, { key_id }: { readonly key_id: string }) =>
  command(viewer, {
    facts: { key: findKey(key_id) },

    decide({ key, currentAccess }) {
      const user_id = ownAccount(viewer)
      if (!key) throw new Refused('not_found', 'api key not found')
      if (key.user_id !== user_id && !currentAccess.sees_all) throw new Refused('forbidden', 'not your api key')
      return key.revoked ? [] : [keyRevoked({ key_id: key.id, user_id: key.user_id })]
    },
  })
