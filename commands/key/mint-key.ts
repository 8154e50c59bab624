import { countLiveKeys, MAX_LIVE_KEYS } from '../../queries/access/api-keys.ts'
import { reaches, type Scope, type Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { keyMinted, type NewSecret } from './events.ts'

export const accountRequired = (): Refused => new Refused('forbidden', 'a user account is required')

/**
 * Creates an API key of the viewer's account; the default scope is the viewer's own. The viewer's scope and keys are
 * read under the lock, so concurrent requests cannot exceed a limit. Refuses: forbidden (no account, or a scope above
 * the viewer's own), conflict (the account has the maximum number of live keys).
 */
export const mintKey = (
  viewer: Viewer,
  {
    key_id,
    scope,
    label_salt = newSalt(),
    ...secret
  }: NewSecret & { readonly key_id: string; readonly scope: Scope | null; readonly label_salt?: string },
) =>
  command(viewer, {
    facts: { live: countLiveKeys(viewer.actor.user_id) },

    decide({ live, currentAccess }) {
      const { user_id } = viewer.actor
      if (user_id === null || currentAccess.scope === null) throw accountRequired()
      const keyScope = scope ?? currentAccess.scope
      if (!reaches(currentAccess.scope, keyScope))
        throw new Refused(
          'forbidden',
          `the scope ${keyScope} exceeds the caller's own, which is ${currentAccess.scope}`,
        )
      if (live >= MAX_LIVE_KEYS)
        throw new Refused('conflict', `an account has at most ${MAX_LIVE_KEYS} live API keys: revoke one first`)
      return [keyMinted({ key_id, scope: keyScope, user_id }, { ...secret, label_salt })]
    },
  })
