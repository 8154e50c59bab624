import { findAnyUser } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { signedIn, type NewSession } from '../session/events.ts'
import { userCreated } from './events.ts'

/** `label_salt` is random hex for the digest of the name; drawn if it is not given. */
export type NewUser = {
  readonly user_id: string
  readonly username: string
  readonly password_hash: string
  readonly label_salt?: string
}

export const alreadySetUp = (): Refused => new Refused('conflict', 'setup is already completed')

/** Creates the first account, an admin, and signs it in. Refuses: conflict (any account exists). */
export const setUp = (
  viewer: Viewer,
  { user_id, username, password_hash, label_salt = newSalt(), ...session }: NewUser & NewSession,
) =>
  command(viewer, {
    facts: { anyUser: findAnyUser },

    decide({ anyUser }) {
      if (anyUser) throw alreadySetUp()
      return [
        userCreated({ has_password: true, role: 'admin', user_id }, { username, password_hash, label_salt }),
        signedIn(user_id, session),
      ]
    },
  })
