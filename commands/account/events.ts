import type { RoleRule } from '../../domain/sso/roles.ts'
import type { Role } from '../../queries/access/viewer.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { credentialDigest, type CredentialDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { labelDigest, storeLabel, type LabelDigest } from '../principal.ts'
import { forgetSessions } from '../session/events.ts'
import { userTag } from '../tags.ts'

/**
 * Stream `accounts`: one stream for all accounts, because one rule concerns all of them together: at least one enabled
 * admin must be left. Usernames are stored in a table next to the log, not in the events.
 */
export type UserCreated = NewEvent<
  'UserCreated',
  CredentialDigest &
    LabelDigest & {
      readonly cause?: RoleCause
      readonly has_password: boolean
      /** The invite that the account was made with; not there for others. */
      readonly link_id?: string
      readonly role: Role
      /** Not there for the account of a person. */
      readonly service?: true
      readonly user_id: string
    }
>
/** Fields that did not change are null. */
export type UserChanged = NewEvent<
  'UserChanged',
  CredentialDigest & {
    readonly cause?: RoleCause
    readonly disabled: boolean | null
    readonly password_replaced: boolean
    readonly role: Role | null
    readonly user_id: string
  }
>
/** Why a sign-in through an identity provider gave an account its role. Not there if a person set the role. */
export type RoleCause = { readonly identity_id: string; readonly provider: string; readonly rule: RoleRule }
export type UserDeleted = NewEvent<'UserDeleted', { readonly user_id: string }>
export type AccountEvent = UserCreated | UserChanged | UserDeleted

const shared = { change: 'nothing', erasure: 'account', digests: true, projections: ['accounts'] } as const
export const ACCOUNT_EVENTS = {
  // A new label is not shown anywhere yet, and the label of a deleted account remains.
  UserCreated: { ...shared, tags: () => [] },
  UserChanged: { ...shared, tags: ({ data }) => [userTag(data.user_id)], projections: ['accounts', 'links'] },
  UserDeleted: {
    ...shared,
    tags: ({ data }) => [userTag(data.user_id)],
    erasure: 'account end',
    projections: ['accounts', 'links'],
  },
} as const satisfies EventTypes<AccountEvent>

const ACCOUNTS = 'accounts'

export const userCreated = (
  data: UserCreated['data'],
  {
    username,
    password_hash,
    label_salt,
  }: { readonly username: string; readonly password_hash: string | null; readonly label_salt: string },
): UserCreated => {
  const principal = { id: data.user_id, kind: 'user', label: username } as const
  return {
    ...event(ACCOUNTS, 'UserCreated', {
      ...data,
      credential_sha256: credentialDigest(password_hash),
      label_sha256: labelDigest(principal, label_salt),
    }),
    statements: [
      storeLabel(principal, label_salt),
      ...(password_hash === null ? [] : [storePassword(data.user_id, password_hash)]),
    ],
  }
}

export const userChanged = (data: UserChanged['data'], password_hash: string | null): UserChanged => ({
  ...event(ACCOUNTS, 'UserChanged', { ...data, credential_sha256: credentialDigest(password_hash) }),
  statements: password_hash === null ? [] : [storePassword(data.user_id, password_hash)],
})

/** Deletes all credentials, identities and saved views of the account. Its label remains for the events that it caused. */
export const userDeleted = ({ user_id }: UserDeleted['data']): UserDeleted => ({
  ...event(ACCOUNTS, 'UserDeleted', { user_id }),
  statements: [
    statement`DELETE FROM password_hashes WHERE user_id = ${user_id}`,
    statement`DELETE FROM identity_subjects WHERE user_id = ${user_id}`,
    ...forgetSessions(sql.fragment`SELECT id FROM sessions WHERE user_id = ${user_id}`),
    statement`DELETE FROM credential_uses WHERE credential_id IN (SELECT id FROM api_keys WHERE user_id = ${user_id})`,
    statement`DELETE FROM key_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE user_id = ${user_id})`,
    statement`DELETE FROM invite_labels WHERE user_id = ${user_id}`,
    statement`DELETE FROM saved_views WHERE user_id = ${user_id}`,
  ],
})

const storePassword = (user_id: string, hash: string): Statement => statement`
  INSERT INTO password_hashes (user_id, hash) VALUES (${user_id}, ${hash})
  ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash`
