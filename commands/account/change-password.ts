import { countSessions, findPasswordHash } from '../../queries/access/sessions.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { accountRequired } from '../key/mint-key.ts'
import { Refused } from '../refused.ts'
import { ownSession } from '../session/end-sessions.ts'
import { sessionsEnded } from '../session/events.ts'
import { userChanged } from './events.ts'

/** `checked` is the hash that the current password was checked against, because the check takes too long for the lock. */
type NewPassword = { readonly checked: string; readonly password_hash: string; readonly at: number }

export const wrongPassword = (): Refused => new Refused('unauthenticated', 'the current password is wrong')

/**
 * Replaces the password of the viewer's own account, and ends its other sessions. Returns how many ended. Refuses:
 * forbidden (no account), unauthenticated (the password changed after the check).
 */
export const changePassword = (viewer: Viewer, { checked, password_hash, at }: NewPassword) => {
  const { user_id } = viewer.actor
  const except = ownSession(viewer)
  return command(viewer, {
    facts: { hash: findPasswordHash(user_id ?? ''), others: countSessions(user_id, except, at) },

    decide({ hash, others }) {
      if (user_id === null) throw accountRequired()
      if (hash !== checked) throw wrongPassword()
      return [
        userChanged({ disabled: null, password_replaced: true, role: null, user_id }, password_hash),
        ...(others === 0 ? [] : [sessionsEnded({ except, user_id })]),
      ]
    },
    result: (_recorded, { others }) => ({ ended: others }),
  })
}
