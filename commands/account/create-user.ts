import { findUserNamed } from '../../queries/access/users.ts'
import type { Role, Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { userCreated } from './events.ts'
import type { NewUser } from './set-up.ts'

/** Creates an account. Refuses: conflict (the name is taken). */
export const createUser = (
  viewer: Viewer,
  { user_id, username, password_hash, role, label_salt = newSalt() }: NewUser & { readonly role: Role },
) =>
  command(viewer, {
    facts: { named: findUserNamed(username) },

    decide({ named }) {
      if (named) throw nameTaken()
      return [userCreated({ has_password: true, role, user_id }, { username, password_hash, label_salt })]
    },
  })

/**
 * Creates a service account: it has no password and cannot sign in, only keys. It cannot be an admin, so that at least one
 * admin is a person. Refuses: conflict (the name is taken), unprocessable (the role admin).
 */
export const createServiceAccount = (
  viewer: Viewer,
  { user_id, username, role, label_salt = newSalt() }: Omit<NewUser, 'password_hash'> & { readonly role: Role },
) =>
  command(viewer, {
    facts: { named: findUserNamed(username) },

    decide({ named }) {
      if (role === 'admin') throw new Refused('unprocessable', 'role: a service account cannot be an admin')
      if (named) throw nameTaken()
      return [
        userCreated(
          { has_password: false, role, service: true, user_id },
          { username, password_hash: null, label_salt },
        ),
      ]
    },
  })

export const nameTaken = (): Refused => new Refused('conflict', 'username already exists')
