import { countSessions, findPasswordHash } from '../../queries/access/sessions.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { accountOfSession, ownSession } from '../session/end-sessions.ts'
import { sessionsEnded } from '../session/events.ts'
import { userChanged } from './events.ts'

/** `checked` is the hash that the current password was checked against, because the check takes too long for the lock. */
type NewPassword = { readonly checked: string; readonly password_hash: string; readonly at: number }

export const wrongPassword = (): Refused => new Refused('unauthenticated', 'the current password is wrong')

/**
 * Replaces the password of the viewer's own account, and ends its other sessions. Returns how many ended. Refuses:
 * forbidden (no session), unauthenticated (the password changed after the check).
 */
export const changePassword = (viewer: Viewer, { checked, password_hash, at }: NewPassword) => {
  const except = ownSession(viewer)
  return command(viewer, {
    facts: {
      hash: findPasswordHash(viewer.actor.user_id ?? ''),
      others: countSessions(viewer.actor.user_id, except, at),
    },

    decide({ hash, others }) {
      const user_id = accountOfSession(viewer)
      if (hash !== checked) throw wrongPassword()
      return [
        userChanged({ disabled: null, password_replaced: true, role: null, user_id }, password_hash),
        ...(others === 0 ? [] : [sessionsEnded({ except, user_id })]),
      ]
    },
    result: (_recorded, { others }) => ({ ended: others }),
  })
}
