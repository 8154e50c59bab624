import { countSessions } from '../../queries/access/sessions.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { accountRequired } from '../key/mint-key.ts'
import { sessionsEnded } from './events.ts'

/** The session that presents the request; null for another kind of credential. */
export const ownSession = ({ actor }: Viewer): string | null => (actor.kind === 'session' ? actor.credential_id : null)

/**
 * Ends all sessions of the viewer's account except the one that presents the request. Returns how many ended. Records
 * nothing if all others have expired at `at`. Refuses: forbidden (no account).
 */
export const endSessions = (viewer: Viewer, { at }: { readonly at: number }) =>
  command(viewer, {
    facts: { others: countSessions(viewer.actor.user_id, ownSession(viewer), at) },

    decide({ others }) {
      const { user_id } = viewer.actor
      if (user_id === null) throw accountRequired()
      return others === 0 ? [] : [sessionsEnded({ except: ownSession(viewer), user_id })]
    },
    result: (_recorded, { others }) => ({ ended: others }),
  })
