import { z } from 'zod'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { OwnUser, UserView } from './users.ts'
import { ROLES, SCOPES } from './viewer.ts'

// Sign-in and sessions. The rows belong to no run set, so no query takes a viewer.

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
