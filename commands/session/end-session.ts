import { findSessionOwner } from '../../queries/access/sessions.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { accountOfSession } from './end-sessions.ts'
import { signedOut } from './events.ts'

/**
 * Ends a session of the viewer's own account. Refuses: forbidden (no session), not_found (also for a session of another
 * account).
 */
export const endSession = (viewer: Viewer, { session_id }: { readonly session_id: string }) =>
  command(viewer, {
    facts: { owner: findSessionOwner(session_id) },

    decide({ owner }) {
      const user_id = accountOfSession(viewer)
      if (owner !== user_id) throw new Refused('not_found', 'session not found')
      return [signedOut({ session_id, user_id })]
    },
  })
