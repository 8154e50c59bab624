import { scopeKey } from '../../domain/sets.ts'
import { countInvites, MAX_INVITES } from '../../queries/access/account-links.ts'
import { reaches, type Role, type Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { refuseDotNames } from '../dot-names.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import { inviteMade, type InvitedGrant } from './events.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** How long an invite can be used, if nothing else is asked for, and at most. */
export const INVITE_MS = 7 * DAY_MS
export const MAX_INVITE_MS = 30 * DAY_MS

/**
 * An invite to make. `label` says whom it is for, to admins only. `expires_at` (null for the default) and `at`, the present time of
 * the system clock, are in epoch milliseconds.
 */
type NewInvite = {
  readonly link_id: string
  readonly secret_sha256: string
  readonly label: string | null
  readonly role: Role
  readonly grants: readonly InvitedGrant[]
  readonly expires_at: number | null
  readonly at: number
  /** Random hex for the digest of the label; drawn if it is not given. */
  readonly salt?: string
}

/** Only an account makes links, because they end with what it may do. Refuses: forbidden (no account, no admin). */
export const linkMaker = (viewer: Viewer, scope: Parameters<typeof reaches>[0]): string => {
  const user_id = ownAccount(viewer)
  if (!reaches(scope, 'admin')) throw new Refused('forbidden', 'only an admin makes links for accounts')
  return user_id
}

/**
 * Makes an invite. Refuses: forbidden (no account, no admin), unprocessable (an end in the past or too far ahead, a set that no run can have, two
 * levels for one set), conflict (too many invites that were not used).
 */
export const makeInvite = (
  viewer: Viewer,
  { link_id, secret_sha256, label, role, grants, expires_at, at, salt = newSalt() }: NewInvite,
) =>
  command(viewer, {
    facts: { invites: countInvites },

    decide({ invites, currentAccess: { scope } }) {
      const user_id = linkMaker(viewer, scope)
      const end = expires_at ?? at + INVITE_MS
      if (end <= at) throw new Refused('unprocessable', 'expires_at: must be in the future')
      if (end > at + MAX_INVITE_MS)
        throw new Refused('unprocessable', `expires_at: an invite lasts at most ${MAX_INVITE_MS / DAY_MS} days`)
      for (const grant of grants) refuseDotNames(grant)
      if (new Set(grants.map(scopeKey)).size < grants.length)
        throw new Refused('unprocessable', 'grants: give each project or suite one level')
      if (invites >= MAX_INVITES)
        throw new Refused('conflict', `there are ${MAX_INVITES} invites that were not used: revoke some first`)
      const own = grants.map(({ project, suite, level }) => ({ level, project, suite }))
      return [inviteMade({ expires_at: end, grants: own, link_id, role, secret_sha256, user_id }, { label, salt })]
    },
  })
