import { countLiveKeys, MAX_LIVE_KEYS } from '../../queries/access/api-keys.ts'
import { reaches } from '../../queries/access/viewer.ts'
import type { Scope, Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { keyMinted } from './events.ts'
import type { NewSecret } from './events.ts'

export const needsAccount = (): Refused => new Refused('forbidden', 'a user account is required')

/**
 * Makes a key of the viewer's account; without a scope it gets the caller's own. What the caller has is read under the
 * lock, so nobody mints more than they may by then, however many mint at once. Refuses: forbidden (no account, or a
 * scope above the caller's own), conflict (the account has as many live keys as it may have).
 */
export const mintKey = (
  viewer: Viewer,
  { key_id, scope, ...secret }: NewSecret & { readonly key_id: string; readonly scope: Scope | null },
) =>
  command(viewer, {
    facts: { live: countLiveKeys(viewer.actor.user_id) },

    decide({ live, standing }) {
      const { user_id } = viewer.actor
      if (user_id === null || standing.scope === null) throw needsAccount()
      const given = scope ?? standing.scope
      if (!reaches(standing.scope, given))
        throw new Refused('forbidden', `the scope ${given} exceeds the caller's own, which is ${standing.scope}`)
      if (live >= MAX_LIVE_KEYS)
        throw new Refused('conflict', `an account has at most ${MAX_LIVE_KEYS} live API keys: revoke one first`)
      return [keyMinted({ key_id, scope: given, user_id }, secret)]
    },
  })
