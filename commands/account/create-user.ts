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
      if (named) throw new Refused('conflict', 'username already exists')
      return [userCreated({ has_password: true, role, user_id }, { username, password_hash, label_salt })]
    },
  })
