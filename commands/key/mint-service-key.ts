import { countLiveKeys } from '../../queries/access/api-keys.ts'
import { findUser } from '../../queries/access/users.ts'
import { CEILING, LIMITED_CEILING, lowerOf, reaches, type Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { keyMinted } from './events.ts'
import { boundsOf, checkKey, type NewKey } from './mint-key.ts'

/**
 * Creates an API key of a service account, for an admin. The default scope is the highest of the account's role. Refuses:
 * not_found, conflict (a person's account, whose keys only that person makes; the maximum number of live keys), forbidden (a
 * scope above the account's role), unprocessable (as `mintKey`).
 */
export const mintServiceKey = (
  viewer: Viewer,
  {
    user_id,
    key_id,
    scope,
    expires_at = null,
    limit = null,
    at,
    label_salt = newSalt(),
    ...secret
  }: NewKey & { readonly user_id: string },
) =>
  command(viewer, {
    facts: { user: findUser(user_id), live: countLiveKeys(user_id, at) },

    decide({ user, live }) {
      if (!user) throw new Refused('not_found', 'user not found')
      if (!user.service) throw new Refused('conflict', 'this is no service account: only its owner makes its keys')
      const ceiling = CEILING[user.role]
      const keyScope = scope ?? (limit ? lowerOf(ceiling, LIMITED_CEILING) : ceiling)
      if (!reaches(ceiling, keyScope))
        throw new Refused('forbidden', `the scope ${keyScope} exceeds that of the account, which is ${ceiling}`)
      checkKey({ scope: keyScope, expires_at, limit, at, live })
      return [
        keyMinted({ ...boundsOf({ expires_at, limit }), key_id, scope: keyScope, user_id }, { ...secret, label_salt }),
      ]
    },
  })
