import type { SetScope } from '../../domain/sets.ts'
import { countLiveKeys, findKeyExpiry, MAX_LIVE_KEYS } from '../../queries/access/api-keys.ts'
import { LIMITED_CEILING, lowerOf, reaches, type Scope, type Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { refuseDotNames } from '../dot-names.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { keyMinted, type KeyMinted, type NewSecret } from './events.ts'

/**
 * A key to make. `scope` is null for the highest that is possible. `expires_at` and `at`, the present time of the system clock,
 * are in epoch milliseconds; a key without an expiry does not end.
 */
export type NewKey = NewSecret & {
  readonly key_id: string
  readonly scope: Scope | null
  readonly expires_at?: number | null
  readonly limit?: SetScope | null
  readonly at: number
  readonly label_salt?: string
}

/**
 * Creates an API key of the viewer's account; the default scope is the viewer's own. The viewer's scope and keys are
 * read under the lock, so concurrent requests cannot exceed a limit. What a limit names need not exist, and the account need
 * not see it: the key sees at most what its account sees when it is used. Refuses: forbidden (no account, a limited key, a scope
 * above the viewer's own, a key that would outlive the one that makes it), conflict (the account has the maximum number of live
 * keys), unprocessable (an end in the past, a limit that no run can have, the scope admin with a limit).
 */
export const mintKey = (
  viewer: Viewer,
  { key_id, scope, expires_at = null, limit = null, at, label_salt = newSalt(), ...secret }: NewKey,
) =>
  command(viewer, {
    facts: { live: countLiveKeys(viewer.actor.user_id, at), ownExpiry: findKeyExpiry(viewer) },

    decide({ live, ownExpiry, currentAccess }) {
      const user_id = ownAccount(viewer)
      const ceiling = currentAccess.scope ?? 'read'
      const keyScope = scope ?? (limit ? lowerOf(ceiling, LIMITED_CEILING) : ceiling)
      if (!reaches(ceiling, keyScope))
        throw new Refused('forbidden', `the scope ${keyScope} exceeds the caller's own, which is ${ceiling}`)
      if (ownExpiry !== null && (expires_at === null || expires_at > ownExpiry))
        throw new Refused('forbidden', 'this API key ends: a key that it makes must end by then')
      checkKey({ scope: keyScope, expires_at, limit, at, live })
      return [
        keyMinted({ ...boundsOf({ expires_at, limit }), key_id, scope: keyScope, user_id }, { ...secret, label_salt }),
      ]
    },
  })

type Bounds = { readonly expires_at: number | null; readonly limit: SetScope | null }

/** The fields of the event that say when a key ends and to what it is limited; none for a key without bounds. */
export const boundsOf = ({ expires_at, limit }: Bounds): Pick<KeyMinted['data'], 'expires_at' | 'limit'> => ({
  ...(expires_at === null ? {} : { expires_at }),
  ...(limit ? { limit: { project: limit.project, suite: limit.suite } } : {}),
})

/** Checks a key that its maker may make. `live` is the number of keys that the account has. Refuses: unprocessable, conflict. */
export const checkKey = ({
  scope,
  expires_at,
  limit,
  at,
  live,
}: Bounds & { readonly scope: Scope; readonly at: number; readonly live: number }): void => {
  if (expires_at !== null && expires_at <= at) throw new Refused('unprocessable', 'expires_at: must be in the future')
  if (limit) refuseDotNames(limit)
  if (limit && !reaches(LIMITED_CEILING, scope))
    throw new Refused(
      'unprocessable',
      `a key that is limited to a project or suite has at most the scope ${LIMITED_CEILING}`,
    )
  if (live >= MAX_LIVE_KEYS)
    throw new Refused('conflict', `an account has at most ${MAX_LIVE_KEYS} live API keys: revoke one first`)
}
