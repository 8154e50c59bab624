import { findPasswordHash } from '../../queries/access/sessions.ts'
import { findUserNamed, type User } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { constant } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { userChanged, userCreated } from './events.ts'

/**
 * `found` is the account with this name at the time of the password check. `password_hash` is null if its password is
 * correct.
 */
export type EnsuredAdmin = {
  readonly username: string
  readonly user_id: string
  readonly found: { readonly id: string; readonly hash: string | null } | null
  readonly password_hash: string | null
  /** Random hex for the digest of the name; drawn at random if it is not given. */
  readonly label_salt?: string
}

/**
 * Ensures that an account exists, is an enabled admin and has the configured password. Records nothing if all of this
 * holds already. Refuses: conflict (the account or its password changed since the password check, or it is a service account).
 */
export const ensureAdmin = (
  viewer: Viewer,
  { username, user_id, found, password_hash, label_salt = newSalt() }: EnsuredAdmin,
) =>
  command(viewer, {
    facts: { user: findUserNamed(username), hash: found ? findPasswordHash(found.id) : constant<string | null>(null) },

    decide({ user, hash }) {
      if ((user?.id ?? null) !== (found?.id ?? null) || hash !== (found?.hash ?? null))
        throw new Refused('conflict', 'the account was changed meanwhile')
      if (user?.service) throw new Refused('conflict', 'a service account cannot be an admin')
      if (user) return adminChanges(user, password_hash)
      if (password_hash === null) throw new Error('a new account needs a password')
      return [userCreated({ has_password: true, role: 'admin', user_id }, { username, password_hash, label_salt })]
    },
  })

const adminChanges = ({ id, role, disabled }: User, password_hash: string | null) => {
  const changed = { role: role === 'admin' ? null : ('admin' as const), disabled: disabled ? false : null }
  if (changed.role === null && changed.disabled === null && password_hash === null) return []
  return [userChanged({ ...changed, password_replaced: password_hash !== null, user_id: id }, password_hash)]
}
