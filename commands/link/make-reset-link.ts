import { findHasIdentity } from '../../queries/access/account-links.ts'
import { findUser } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { resetLinkMade } from './events.ts'
import { linkMaker } from './make-invite.ts'

/** How long a link can be used to set a password. */
export const RESET_MS = 24 * 60 * 60 * 1000

/** `at` is the present time of the system clock, in epoch milliseconds. */
type NewResetLink = {
  readonly user_id: string
  readonly link_id: string
  readonly secret_sha256: string
  readonly at: number
}

/**
 * Makes a link with which the owner of an account can set a password; an earlier one of the account ends. Refuses: forbidden (no
 * account, no admin), not_found, conflict (a service account, one of an identity provider, a disabled one).
 */
export const makeResetLink = (viewer: Viewer, { user_id, link_id, secret_sha256, at }: NewResetLink) =>
  command(viewer, {
    facts: { user: findUser(user_id), hasIdentity: findHasIdentity(user_id) },

    decide({ user, hasIdentity, currentAccess: { scope } }) {
      linkMaker(viewer, scope)
      if (!user) throw new Refused('not_found', 'user not found')
      if (user.service) throw new Refused('conflict', 'a service account has no password')
      if (hasIdentity) throw new Refused('conflict', 'this account signs in through its identity provider')
      if (user.disabled) throw new Refused('conflict', 'this account is disabled: enable it first')
      return [resetLinkMade({ expires_at: at + RESET_MS, link_id, secret_sha256, user_id })]
    },
  })
