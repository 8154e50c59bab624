import { subjectKey } from '../../queries/access/identities.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { credentialDigest, type CredentialDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { signedIn, type NewSession, type SignedIn } from '../session/events.ts'
import { userTag } from '../tags.ts'

/**
 * Stream `identity/<id>`: an account is linked to a person at an identity provider, `oidc:<name>` or `saml:<name>`. The
 * subject and the e-mail address are in a table next to the log, and are deleted with the account. So is the salt of
 * the digest: then the subject cannot be guessed from the event.
 */
export type IdentityLinked = NewEvent<
  'IdentityLinked',
  CredentialDigest & { readonly identity_id: string; readonly provider: string; readonly user_id: string }
>

export const IDENTITY_EVENTS = {
  IdentityLinked: {
    // An account shows its identities.
    tags: ({ data }) => [userTag(data.user_id)],
    change: 'nothing',
    erasure: 'account',
    digests: true,
    // The command stores identities in a table of its own.
    projections: 'none',
  },
} as const satisfies EventTypes<IdentityLinked>

/**
 * Whom the provider asserted at the first sign-in. `salt` is random hex, `at` is the time from the system clock, in
 * epoch milliseconds.
 */
export type Asserted = {
  readonly subject: string
  readonly salt: string
  readonly email: string | null
  readonly at: number
}

/** A SAML assertion that must not be accepted again before `expires_at`, in epoch milliseconds. */
export type Replay = { readonly id_hash: string; readonly expires_at: number }

/** Maximum number of expired rows that one command deletes. */
const MAX_DELETED = 100

export const identityLinked = (
  data: IdentityLinked['data'],
  { subject, salt, email, at }: Asserted,
): IdentityLinked => {
  const { identity_id, user_id, provider } = data
  const key = subjectKey(subject)
  return {
    ...event(streamOf('identity', identity_id), 'IdentityLinked', {
      ...data,
      credential_sha256: credentialDigest([provider, user_id, salt, key].join(' ')),
    }),
    statements: [
      statement`
        INSERT INTO identity_subjects (identity_id, user_id, provider, subject_sha256, subject_salt, subject, email, last_login_at)
        VALUES (${identity_id}, ${user_id}, ${provider}, ${key}, ${salt}, ${subject}, ${email}, ${at})`,
    ],
  }
}

/** The text of a row of `identity_subjects` whose digest is in the event. */
export const linkedText = sql.fragment`provider || ' ' || user_id || ' ' || subject_salt || ' ' || subject_sha256`

/** A sign-in through an identity. The e-mail address is replaced, also by none, and an assertion is used up. */
export const signedInThrough = (
  { identity_id, user_id }: Pick<IdentityLinked['data'], 'identity_id' | 'user_id'>,
  {
    session,
    email,
    replay,
  }: {
    readonly session: NewSession & { readonly at: number }
    readonly email: string | null
    readonly replay: Replay | null
  },
): SignedIn => {
  const signIn = signedIn(user_id, session, identity_id)
  return {
    ...signIn,
    statements: [
      ...(signIn.statements ?? []),
      statement`UPDATE identity_subjects SET email = ${email}, last_login_at = ${session.at} WHERE identity_id = ${identity_id}`,
      ...(replay === null ? [] : storeReplay(replay, session.at)),
    ],
  }
}

const storeReplay = ({ id_hash, expires_at }: Replay, at: number): Statement[] => [
  deleteExpired('sso_replays', at),
  statement`INSERT INTO sso_replays (id_hash, expires_at) VALUES (${id_hash}, ${expires_at})`,
]

/** Deletes a limited number of rows whose end has come. */
export const deleteExpired = (table: 'sso_replays' | 'sso_transactions', at: number): Statement => {
  const name = sql.identifier([table])
  return statement`
    DELETE FROM ${name} WHERE id_hash IN (SELECT id_hash FROM ${name} WHERE expires_at <= ${at} ORDER BY expires_at, id_hash LIMIT ${MAX_DELETED})`
}
