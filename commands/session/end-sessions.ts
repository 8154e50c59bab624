import { countSessions } from '../../queries/access/sessions.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { sessionsEnded } from './events.ts'

/** The session that presents the request; null for another kind of credential. */
export const ownSession = ({ actor }: Viewer): string | null => (actor.kind === 'session' ? actor.credential_id : null)

/**
 * The account of a viewer with a session. A key may be in the hands of a machine, and must not be able to lock its owner
 * out. Refuses: forbidden (no account, an API key).
 */
export const accountOfSession = (viewer: Viewer): string => {
  const user_id = ownAccount(viewer)
  if (viewer.actor.kind !== 'session')
    throw new Refused('forbidden', 'a session is required: sign in, because an API key cannot do this')
  return user_id
}

/**
 * Ends all sessions of the viewer's account except the one that presents the request. Returns how many ended. Records
 * nothing if all others have expired at `at`. Refuses: forbidden (no session).
 */
export const endSessions = (viewer: Viewer, { at }: { readonly at: number }) =>
  command(viewer, {
    facts: { others: countSessions(viewer.actor.user_id, ownSession(viewer), at) },

    decide({ others }) {
      const user_id = accountOfSession(viewer)
      return others === 0 ? [] : [sessionsEnded({ except: ownSession(viewer), user_id })]
    },
    result: (_recorded, { others }) => ({ ended: others }),
  })
