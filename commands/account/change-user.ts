import { countOtherAdmins, findUser } from '../../queries/access/users.ts'
import type { Role, Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { userChanged } from './events.ts'

/** Fields that are null do not change. */
export type UserChange = {
  readonly user_id: string
  readonly role: Role | null
  readonly disabled: boolean | null
  readonly password_hash: string | null
}

/**
 * Changes an account's role, its password, or whether it is disabled. Refuses: not_found, conflict (no enabled admin
 * would remain, or a password or the role admin for a service account).
 */
export const changeUser = (viewer: Viewer, { user_id, role, disabled, password_hash }: UserChange) =>
  command(viewer, {
    facts: { user: findUser(user_id), otherAdmins: countOtherAdmins(user_id) },

    decide({ user, otherAdmins }) {
      if (!user) throw new Refused('not_found', 'user not found')
      if (user.service && (role === 'admin' || password_hash !== null))
        throw new Refused('conflict', 'a service account has no password and cannot be an admin')
      const changed = { role: role === user.role ? null : role, disabled: disabled === user.disabled ? null : disabled }
      const staysAdmin = (changed.role ?? user.role) === 'admin' && !(changed.disabled ?? user.disabled)
      if (isEnabledAdmin(user) && !staysAdmin && otherAdmins === 0)
        throw new Refused('conflict', 'cannot remove the last admin')
      if (changed.role === null && changed.disabled === null && password_hash === null) return []
      return [userChanged({ ...changed, password_replaced: password_hash !== null, user_id }, password_hash)]
    },
  })

const isEnabledAdmin = ({ role, disabled }: { readonly role: Role; readonly disabled: boolean }): boolean =>
  role === 'admin' && !disabled
