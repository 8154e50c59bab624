import { z } from 'zod'
import { rfc3339 } from '../../domain/wire.ts'
import { streamOf } from '../../storage/log/event.ts'
import { findFirstRecord, recordedOf } from '../../storage/log/records.ts'
import { any, constant, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { OwnUser, UserView } from './users.ts'
import { ROLES, SCOPES, type Viewer } from './viewer.ts'

// Sign-in and sessions. The rows belong to no run set. Only the list of a viewer's own sessions takes a viewer.

const Hash = z.object({ hash: z.string() })

/** The hash of the password; null if the account has none. */
export const findPasswordHash = (user_id: string): Query<string | null> =>
  mapped(
    maybeOne(sql.type(Hash)`SELECT hash FROM password_hashes WHERE user_id = ${user_id}`),
    (row) => row?.hash ?? null,
  )

const SignInFacts = z.object({ id: z.string(), disabled: z.boolean(), hash: z.string().nullable() })
export type SignInFacts = z.infer<typeof SignInFacts>

/** The account against which a sign-in with this name is checked, or null. */
export const findSignIn = (username: string): Query<SignInFacts | null> =>
  maybeOne(sql.type(SignInFacts)`
    SELECT users.id, users.disabled, password_hashes.hash
    FROM principals JOIN users ON users.id = principals.id LEFT JOIN password_hashes ON password_hashes.user_id = users.id
    WHERE principals.label = ${username} AND principals.kind = 'user'`)

const Session = z.object({ id: z.string(), user_id: z.string(), role: z.enum(ROLES), expires_at: z.number() })

/**
 * The session of a token, with the role of its account; null after a sign-out or if the account is disabled. The caller
 * checks whether it has expired.
 */
export const findSessionByToken = (token_hash: string): Query<z.infer<typeof Session> | null> =>
  maybeOne(sql.type(Session)`
    SELECT sessions.id, sessions.user_id, users.role, sessions.expires_at
    FROM session_tokens JOIN sessions ON sessions.id = session_tokens.session_id JOIN users ON users.id = sessions.user_id
    WHERE session_tokens.token_hash = ${token_hash} AND NOT users.disabled`)

const Owner = z.object({ user_id: z.string() })

/** The account of a session; null if it ended. */
export const findSessionOwner = (session_id: string): Query<string | null> =>
  mapped(
    maybeOne(sql.type(Owner)`SELECT user_id FROM sessions WHERE id = ${session_id}`),
    (row) => row?.user_id ?? null,
  )

const Count = z.object({ n: z.number() })

/** How many sessions of an account have not expired at a time, without one of them. */
export const countSessions = (user_id: string | null, except: string | null, at: number): Query<number> =>
  user_id === null
    ? constant(0)
    : mapped(
        one(
          sql.type(Count)`
            SELECT count(*) AS n FROM sessions
            WHERE user_id = ${user_id} AND id <> ${except ?? ''} AND expires_at > ${at}`,
        ),
        ({ n }) => n,
      )

const SessionRow = z.object({
  id: z.string(),
  created_at: z.number(),
  last_used_at: z.number().nullable(),
  expires_at: z.number(),
})

/**
 * One session of the caller's own account. `address` is where it was opened from, as the audit trail has it; null if
 * that record was erased.
 */
export const OwnSession = z
  .object({
    id: z.string(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
    expires_at: z.string(),
    address: z.string().nullable(),
    is_current: z.boolean(),
  })
  .meta({ id: 'OwnSession' })
export type OwnSession = z.infer<typeof OwnSession>

/** Maximum number of sessions in a list. */
const MAX_LISTED = 200

/** The newest sessions of the viewer's own account that have not expired at a time, newest first. */
export const listOwnSessions = async (reader: Reader, { actor }: Viewer, at: number): Promise<OwnSession[]> => {
  if (actor.user_id === null) return []
  const rows = await reader.read(
    any(sql.type(SessionRow)`
      SELECT sessions.id, sessions.created_at, credential_uses.last_used_at, sessions.expires_at
      FROM sessions LEFT JOIN credential_uses ON credential_uses.credential_id = sessions.id
      WHERE sessions.user_id = ${actor.user_id} AND sessions.expires_at > ${at}
      ORDER BY sessions.created_at DESC, sessions.id DESC LIMIT ${MAX_LISTED}`),
  )
  // Records never change, so they need not be of the same snapshot.
  const records = await reader.readAll(
    Object.fromEntries(rows.map(({ id }) => [id, findFirstRecord(streamOf('session', id))])),
  )
  return rows.map(({ id, created_at, last_used_at, expires_at }) => {
    const record = records[id]
    return {
      id,
      created_at: rfc3339(created_at),
      last_used_at: last_used_at === null ? null : rfc3339(last_used_at),
      expires_at: rfc3339(expires_at),
      address: record ? (recordedOf(record)?.actor.address ?? null) : null,
      is_current: actor.kind === 'session' && actor.credential_id === id,
    }
  })
}

/** The identity of a caller, as far as its credential shows. */
export const Me = z
  .object({
    authenticated: z.boolean(),
    user: OwnUser.nullable(),
    source: z.enum(['anonymous', 'static', 'apikey', 'session']),
    scope: z.enum(SCOPES).nullable(),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

/** A new session. */
export const SignedIn = z.object({ token: z.string(), user: UserView }).meta({ id: 'SignedIn' })
export type SignedIn = z.infer<typeof SignedIn>
