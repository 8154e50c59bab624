import { findLink, isUsable } from '../../queries/access/account-links.ts'
import { findUserNamed } from '../../queries/access/users.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { accessGranted } from '../access/events.ts'
import { nameTaken } from '../account/create-user.ts'
import { userCreated } from '../account/events.ts'
import type { NewUser } from '../account/set-up.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { signedIn, type NewSession } from '../session/events.ts'
import { linkUsed } from './events.ts'

/** One refusal for every link that cannot be used, so that it says nothing about links that others have. */
export const unusableLink = (): Refused =>
  new Refused('not_found', 'this link is not valid: it was used, replaced or revoked, has expired, or never existed')

/**
 * Makes the account of an invited person, with the role and the grants of the invite, and signs it in. Refuses: not_found (the link
 * cannot be used), conflict (the name is taken).
 */
export const acceptInvite = (
  viewer: Viewer,
  {
    secret_sha256,
    user_id,
    username,
    password_hash,
    label_salt = newSalt(),
    ...session
  }: NewUser & NewSession & { readonly secret_sha256: string; readonly at: number },
) => ({
  ...command(viewer, {
    facts: { link: findLink('invite', secret_sha256), named: findUserNamed(username) },

    decide({ link, named }) {
      if (!link || !isUsable(link, session.at)) throw unusableLink()
      if (named) throw nameTaken()
      const { link_id, role, grants } = link
      return [
        linkUsed({ link_id }),
        userCreated({ has_password: true, link_id, role, user_id }, { username, password_hash, label_salt }),
        ...grants.map(({ project, suite, level }) => accessGranted({ level, link_id, project, suite, user_id })),
        signedIn(user_id, session),
      ]
    },
  }),
  actor: { ...viewer.actor, kind: 'session' as const, user_id, credential_id: session.session_id },
})
