import type { SetScope } from '../../domain/sets.ts'
import type { Level } from '../../queries/access/levels.ts'
import type { Role } from '../../queries/access/viewer.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'

/** What the account of an invited person is granted. */
export type InvitedGrant = SetScope & { readonly level: Level }

/**
 * `secret_sha256` is the SHA-256 of the secret of the link, in lower-case hex: the secret itself is random, and is stored nowhere.
 * `expires_at` is in epoch milliseconds, of the system clock.
 */
type Link = { readonly expires_at: number; readonly link_id: string; readonly secret_sha256: string }

/**
 * In the stream `accounts`: an admin (`user_id`) made a link with which one person can make an account. Whom it is for is in a table
 * next to the log; `label_sha256` is its salted digest, null for none.
 */
export type InviteMade = NewEvent<
  'InviteMade',
  Link & {
    readonly grants: readonly InvitedGrant[]
    readonly label_sha256: string | null
    readonly role: Role
    readonly user_id: string
  }
>
/** An admin made a link with which the owner of an account (`user_id`) can set a password. It replaces an earlier one of that account. */
export type ResetLinkMade = NewEvent<'ResetLinkMade', Link & { readonly user_id: string }>
/** It names no account, so that it stays when the account is erased: without it, a replay would make the link usable again. */
export type LinkUsed = NewEvent<'LinkUsed', { readonly link_id: string }>
export type LinkRevoked = NewEvent<'LinkRevoked', { readonly link_id: string }>
export type LinkEvent = InviteMade | ResetLinkMade | LinkUsed | LinkRevoked

const shared = { tags: () => [], change: 'nothing', projections: ['links'] } as const
export const LINK_EVENTS = {
  InviteMade: { ...shared, erasure: 'account', digests: true },
  ResetLinkMade: { ...shared, erasure: 'account', digests: false },
  LinkUsed: { ...shared, erasure: 'facts', digests: true },
  LinkRevoked: { ...shared, erasure: 'facts', digests: true },
} as const satisfies EventTypes<LinkEvent>

const ACCOUNTS = 'accounts'

export const inviteMade = (
  data: Omit<InviteMade['data'], 'label_sha256'>,
  { label, salt }: { readonly label: string | null; readonly salt: string },
): InviteMade => ({
  ...event(ACCOUNTS, 'InviteMade', { ...data, label_sha256: label === null ? null : saltedDigest(salt, label) }),
  statements:
    label === null
      ? []
      : [
          statement`
            INSERT INTO invite_labels (link_id, user_id, label, salt) VALUES (${data.link_id}, ${data.user_id}, ${label}, ${salt})`,
        ],
})

export const resetLinkMade = (data: ResetLinkMade['data']): ResetLinkMade => event(ACCOUNTS, 'ResetLinkMade', data)

/** Deletes whom the invite was for: from now on the account has a name of its own. */
export const linkUsed = ({ link_id }: LinkUsed['data']): LinkUsed => ({
  ...event(ACCOUNTS, 'LinkUsed', { link_id }),
  statements: [deleteInviteLabel(link_id)],
})

export const linkRevoked = ({ link_id }: LinkRevoked['data']): LinkRevoked => ({
  ...event(ACCOUNTS, 'LinkRevoked', { link_id }),
  statements: [deleteInviteLabel(link_id)],
})

/** The text of a row of `invite_labels` whose digest is in the event. */
export const inviteLabelText = sql.fragment`salt || ' ' || label`

const deleteInviteLabel = (link_id: string): Statement =>
  statement`DELETE FROM invite_labels WHERE link_id = ${link_id}`
