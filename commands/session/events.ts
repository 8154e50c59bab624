import { event, streamOf } from '../../storage/event-log.ts'
import { statement } from '../../storage/sql.ts'
import type { NewEvent } from '../../storage/storage.ts'
import { credentialDigest } from '../credential.ts'
import type { CredentialDigest } from '../credential.ts'

/** Stream `session/<id>`: from a sign-in to a sign-out. A session that runs out ends without an event. */
export type SignedIn = NewEvent<'SignedIn', CredentialDigest & { readonly lifetime_ms: number; readonly session_id: string; readonly user_id: string }>
export type SignedOut = NewEvent<'SignedOut', { readonly session_id: string; readonly user_id: string }>

/** Why one attempt was refused; `many` sums up those of a minute that had more than are told one by one. */
export type SignInReason = 'unknown_user' | 'wrong_password' | 'disabled' | 'throttled' | 'many'

/** Stream `sign-in/<ulid>`: never the name as it was typed, which may be a password. */
export type SignInRefused = NewEvent<'SignInRefused', { readonly count: number; readonly reason: SignInReason; readonly user_id: string | null }>
export type SessionEvent = SignedIn | SignedOut | SignInRefused

/** How long a session lives; use does not extend it. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** Sessions that ran out and are cleared away with each sign-in; the projection clears the same ones. */
export const MOST_CLEARED = 100

export type NewSession = { readonly session_id: string; readonly token_hash: string }

export const signedIn = (user_id: string, { session_id, token_hash }: NewSession): SignedIn => ({
  ...event(streamOf('session', session_id), 'SignedIn', { credential_sha256: credentialDigest(token_hash), lifetime_ms: LIFETIME_MS, session_id, user_id }),
  alongside: [
    // The newest event is this one: its time is the one that the projection goes by.
    statement`
      DELETE FROM session_tokens WHERE session_id IN (
        SELECT id FROM sessions WHERE expires_at <= (SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 1) ORDER BY expires_at, id LIMIT ${MOST_CLEARED})`,
    statement`INSERT INTO session_tokens (session_id, token_hash) VALUES (${session_id}, ${token_hash})`,
  ],
})

export const signedOut = ({ session_id, user_id }: SignedOut['data']): SignedOut => ({
  ...event(streamOf('session', session_id), 'SignedOut', { session_id, user_id }),
  alongside: [statement`DELETE FROM session_tokens WHERE session_id = ${session_id}`],
})

export const signInRefused = (attempt_id: string, data: SignInRefused['data']): SignInRefused => event(streamOf('sign-in', attempt_id), 'SignInRefused', data)
