import { findPasswordHash } from '../../queries/access/sessions.ts'
import { findUser } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { signedIn } from './events.ts'
import type { NewSession } from './events.ts'

/**
 * `password_hash` is the one that the password was checked against: checking takes too long to be done under the lock.
 */
type Checked = NewSession & { readonly user_id: string; readonly password_hash: string }

/**
 * Opens a session. It is recorded as an act of the account that it belongs to, so that the audit trail of an account
 * begins with its sign-ins. Refuses: unauthenticated (the account is gone or disabled, or has another password by now).
 */
export const signIn = (viewer: Viewer, { user_id, password_hash, ...session }: Checked) => ({
  ...command(viewer, {
    facts: { user: findUser(user_id), hash: findPasswordHash(user_id) },

    decide({ user, hash }) {
      if (!user || user.disabled || hash !== password_hash) throw new Refused('unauthenticated', 'invalid credentials')
      return [signedIn(user_id, session)]
    },
  }),
  actor: { ...viewer.actor, kind: 'session' as const, user_id, credential_id: session.session_id },
})
