import { findPasswordHash } from '../../queries/access/sessions.ts'
import { findUser } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { signedIn, type NewSession } from './events.ts'

/**
 * `password_hash` is the hash that the password was checked against. The check takes too long to be done under the
 * lock.
 */
type CheckedSignIn = NewSession & { readonly user_id: string; readonly password_hash: string }

/**
 * Opens a session. Its actor is the account itself, so that the audit trail of an account includes its sign-ins.
 * Refuses: unauthenticated (the account is deleted or disabled, or its password changed).
 */
export const signIn = (viewer: Viewer, { user_id, password_hash, ...session }: CheckedSignIn) => ({
  ...command(viewer, {
    facts: { user: findUser(user_id), hash: findPasswordHash(user_id) },

    decide({ user, hash }) {
      if (!user || user.disabled || hash !== password_hash) throw new Refused('unauthenticated', 'invalid credentials')
      return [signedIn(user_id, session)]
    },
  }),
  actor: { ...viewer.actor, kind: 'session' as const, user_id, credential_id: session.session_id },
})
