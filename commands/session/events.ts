import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import { credentialDigest } from '../credential.ts'
import type { CredentialDigest } from '../credential.ts'

/**
 * Stream `session/<id>`: from a sign-in to a sign-out. A session that expires ends without an event. `expires_at` is
 * from the system clock, because the time of a record never decreases: if the clock was ahead once, every later session
 * would end too late. Older events do not have `expires_at`.
 */
export type SignedIn = NewEvent<
  'SignedIn',
  CredentialDigest & {
    readonly expires_at?: number | null
    readonly lifetime_ms: number
    readonly session_id: string
    readonly user_id: string
  }
>
export type SignedOut = NewEvent<'SignedOut', { readonly session_id: string; readonly user_id: string }>

/** Why an attempt was refused. `many` counts the attempts of a minute beyond those that are recorded one by one. */
export type SignInReason = 'unknown_user' | 'wrong_password' | 'disabled' | 'throttled' | 'many'

/** Stream `sign-in/<ulid>`. It never contains the name as typed, which may be a password. */
export type SignInRefused = NewEvent<
  'SignInRefused',
  { readonly count: number; readonly reason: SignInReason; readonly user_id: string | null }
>
export type SessionEvent = SignedIn | SignedOut | SignInRefused

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

export const signedIn = (user_id: string, { session_id, token_hash, at }: NewSession): SignedIn => ({
  ...event(streamOf('session', session_id), 'SignedIn', {
    credential_sha256: credentialDigest(token_hash),
    expires_at: at === undefined ? null : at + SESSION_LIFETIME_MS,
    lifetime_ms: SESSION_LIFETIME_MS,
    session_id,
    user_id,
  }),
  statements: [
    // The projection uses the same time. Without `at` it is the time of the newest event, which is this event.
    statement`
      DELETE FROM session_tokens WHERE session_id IN (
        SELECT id FROM sessions WHERE expires_at <= ${at === undefined ? sql.fragment`(SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 1)` : sql.fragment`${at}`}
        ORDER BY expires_at, id LIMIT ${MAX_DELETED_SESSIONS})`,
    statement`INSERT INTO session_tokens (session_id, token_hash) VALUES (${session_id}, ${token_hash})`,
  ],
})

export const signedOut = ({ session_id, user_id }: SignedOut['data']): SignedOut => ({
  ...event(streamOf('session', session_id), 'SignedOut', { session_id, user_id }),
  statements: [statement`DELETE FROM session_tokens WHERE session_id = ${session_id}`],
})

export const signInRefused = (attempt_id: string, data: SignInRefused['data']): SignInRefused =>
  event(streamOf('sign-in', attempt_id), 'SignInRefused', data)
