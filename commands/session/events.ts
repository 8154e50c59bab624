import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement, type Fragment } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { credentialDigest, type CredentialDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { sessionTag, userTag } from '../tags.ts'

/**
 * Stream `session/<id>`: from a sign-in to a sign-out. A session that expires ends without an event. `expires_at` is
 * from the system clock, because the time of a record never decreases: if the clock was ahead once, every later session
 * would end too late. Older events do not have `expires_at`.
 */
export type SignedIn = NewEvent<
  'SignedIn',
  CredentialDigest & {
    readonly expires_at?: number | null
    /** The identity through which the account signed in; not there if it was by a password. */
    readonly identity_id?: string
    readonly lifetime_ms: number
    readonly session_id: string
    readonly user_id: string
  }
>
export type SignedOut = NewEvent<'SignedOut', { readonly session_id: string; readonly user_id: string }>

/** Stream `sessions/<user_id>`: all sessions of the account ended but `except`, which is null if none remains. */
export type SessionsEnded = NewEvent<'SessionsEnded', { readonly except: string | null; readonly user_id: string }>

/** Why a sign-in through an identity provider was refused. The sign-in page receives the same codes. */
export type ProviderRefusal =
  | 'access_denied'
  | 'invalid_state'
  | 'expired'
  | 'email_not_allowed'
  | 'replayed'
  | 'account_disabled'
  | 'provider_error'

/** Why an attempt was refused. `many` counts the attempts of a minute beyond those that are recorded one by one. */
export type SignInReason =
  | 'unknown_user'
  | 'unusable_link'
  | 'wrong_password'
  | 'disabled'
  | 'throttled'
  | 'many'
  | ProviderRefusal

/**
 * Stream `sign-in/<ulid>`. It never contains the name as typed, which may be a password. `provider` is `oidc:<name>` or
 * `saml:<name>`; it is not there for an attempt with a password.
 */
export type SignInRefused = NewEvent<
  'SignInRefused',
  {
    readonly count: number
    readonly provider?: string
    readonly reason: SignInReason
    readonly user_id: string | null
  }
>
export type SessionEvent = SignedIn | SignedOut | SessionsEnded | SignInRefused

const shared = { change: 'nothing', erasure: 'account', digests: true, projections: ['accounts'] } as const
export const SESSION_EVENTS = {
  SignedIn: { ...shared, tags: () => [] },
  SignedOut: { ...shared, tags: ({ data }) => [sessionTag(data.session_id)] },
  SessionsEnded: { ...shared, tags: ({ data }) => [userTag(data.user_id)] },
  SignInRefused: { ...shared, tags: () => [], digests: false, projections: 'none' },
} as const satisfies EventTypes<SessionEvent>

/** How long a session lives; use does not extend it. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** Maximum number of expired sessions that a sign-in deletes; the projection deletes the same ones. */
export const MAX_DELETED_SESSIONS = 100

/**
 * `at` is the time of the sign-in from the system clock, in epoch milliseconds. Without it the time of the record
 * counts.
 */
export type NewSession = { readonly session_id: string; readonly token_hash: string; readonly at?: number }

/**
 * The time of a sign-in (`from`) and the end of the session that it starts (`to`). The sign-in deletes sessions that
 * expired at or before `from`.
 */
export const sessionSpan = (
  { expires_at, lifetime_ms }: SignedIn['data'],
  recorded_at: number,
): { readonly from: number; readonly to: number } => {
  const to = expires_at ?? recorded_at + lifetime_ms
  return { from: to - lifetime_ms, to }
}

export const signedIn = (
  user_id: string,
  { session_id, token_hash, at }: NewSession,
  identity_id?: string,
): SignedIn => ({
  ...event(streamOf('session', session_id), 'SignedIn', {
    credential_sha256: credentialDigest(token_hash),
    expires_at: at === undefined ? null : at + SESSION_LIFETIME_MS,
    ...(identity_id === undefined ? {} : { identity_id }),
    lifetime_ms: SESSION_LIFETIME_MS,
    session_id,
    user_id,
  }),
  statements: [
    ...forgetSessions(expiredAt(at)),
    statement`INSERT INTO session_tokens (session_id, token_hash) VALUES (${session_id}, ${token_hash})`,
  ],
})

/** The sessions that a sign-in deletes. Without `at`, the time of the newest event counts, which is the sign-in itself. */
const expiredAt = (at: number | undefined): Fragment => {
  // The projection uses the same time.
  const time =
    at === undefined ? sql.fragment`(SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 1)` : sql.fragment`${at}`
  return sql.fragment`SELECT id FROM sessions WHERE expires_at <= ${time} ORDER BY expires_at, id LIMIT ${MAX_DELETED_SESSIONS}`
}

/** Deletes what is stored of sessions next to their events: their tokens and their last uses. */
export const forgetSessions = (ids: Fragment): Statement[] => [
  statement`DELETE FROM session_tokens WHERE session_id IN (${ids})`,
  statement`DELETE FROM credential_uses WHERE credential_id IN (${ids})`,
]

export const signedOut = ({ session_id, user_id }: SignedOut['data']): SignedOut => ({
  ...event(streamOf('session', session_id), 'SignedOut', { session_id, user_id }),
  statements: forgetSessions(sql.fragment`${session_id}`),
})

export const sessionsEnded = ({ except, user_id }: SessionsEnded['data']): SessionsEnded => ({
  ...event(streamOf('sessions', user_id), 'SessionsEnded', { except, user_id }),
  statements: forgetSessions(sql.fragment`SELECT id FROM sessions WHERE ${isEnded({ except, user_id })}`),
})

/** The rows of `sessions` that the event ends. */
export const isEnded = ({ except, user_id }: SessionsEnded['data']): Fragment =>
  except === null ? sql.fragment`user_id = ${user_id}` : sql.fragment`user_id = ${user_id} AND id <> ${except}`

export const signInRefused = (attempt_id: string, data: SignInRefused['data']): SignInRefused =>
  event(streamOf('sign-in', attempt_id), 'SignInRefused', data)
