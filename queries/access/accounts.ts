import { z } from 'zod'
import { any, constant, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { rfc3339 } from '../wire.ts'
import type { User } from './users.ts'
import { ROLES, SCOPES } from './viewer.ts'
import type { Viewer } from './viewer.ts'

// Accounts, their sessions and keys. No run set stands in these rows, so only what is somebody's own takes a viewer:
// the scope of a route decides who sees the others.

const Count = z.object({ n: z.number() })

/** Whether there is any account. */
export const findAnyUser: Query<boolean> = mapped(
  one(sql.type(Count)`SELECT count(*) AS n FROM (SELECT id FROM users LIMIT 1) first`),
  ({ n }) => n > 0,
)

/** How many enabled admins there are besides one account. */
export const countOtherAdmins = (user_id: string): Query<number> =>
  mapped(
    one(sql.type(Count)`SELECT count(*) AS n FROM users WHERE role = 'admin' AND NOT disabled AND id <> ${user_id}`),
    ({ n }) => n,
  )

const Hash = z.object({ hash: z.string() })

/** The password's hash; null where the account has none. */
export const findPasswordHash = (user_id: string): Query<string | null> =>
  mapped(
    maybeOne(sql.type(Hash)`SELECT hash FROM password_hashes WHERE user_id = ${user_id}`),
    (row) => row?.hash ?? null,
  )

const Known = z.object({ id: z.string(), disabled: z.boolean(), hash: z.string().nullable() })
export type SignInFacts = z.infer<typeof Known>

/** What an attempt to sign in under a name is checked against. */
export const findSignIn = (username: string): Query<SignInFacts | null> =>
  maybeOne(sql.type(Known)`
    SELECT users.id, users.disabled, password_hashes.hash
    FROM principals JOIN users ON users.id = principals.id LEFT JOIN password_hashes ON password_hashes.user_id = users.id
    WHERE principals.label = ${username} AND principals.kind = 'user'`)

const Session = z.object({ id: z.string(), user_id: z.string(), role: z.enum(ROLES), expires_at: z.number() })

/**
 * The session of a token, with its account's role; null where it was signed out of or the account is disabled. Whether
 * it ran out is the caller's to say.
 */
export const findSessionByToken = (token_hash: string): Query<z.infer<typeof Session> | null> =>
  maybeOne(sql.type(Session)`
    SELECT sessions.id, sessions.user_id, users.role, sessions.expires_at
    FROM session_tokens JOIN sessions ON sessions.id = session_tokens.session_id JOIN users ON users.id = sessions.user_id
    WHERE session_tokens.token_hash = ${token_hash} AND NOT users.disabled`)

const PresentedKey = z.object({ id: z.string(), user_id: z.string(), role: z.enum(ROLES), scope: z.enum(SCOPES) })

/** The key of a secret, with its account's role; null where it was revoked or the account is disabled. */
export const findKeyBySecret = ({
  prefix,
  secret_hash,
}: {
  readonly prefix: string
  readonly secret_hash: string
}): Query<z.infer<typeof PresentedKey> | null> =>
  maybeOne(sql.type(PresentedKey)`
    SELECT api_keys.id, api_keys.user_id, users.role, api_keys.scope
    FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id JOIN users ON users.id = api_keys.user_id
    WHERE key_secrets.secret_hash = ${secret_hash} AND key_secrets.prefix = ${prefix} AND NOT api_keys.revoked AND NOT users.disabled`)

const OwnedKey = z.object({ id: z.string(), user_id: z.string(), revoked: z.boolean() })

/** Whose a key is. Takes no viewer: an admin may revoke any. */
export const findKey = (key_id: string): Query<z.infer<typeof OwnedKey> | null> =>
  maybeOne(sql.type(OwnedKey)`SELECT id, user_id, revoked FROM api_keys WHERE id = ${key_id}`)

const KeyRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  prefix: z.string(),
  scope: z.enum(SCOPES),
  created_at: z.number(),
  last_used_at: z.number().nullable(),
  revoked: z.boolean(),
})

/** Live keys that an account may have. */
export const MAX_LIVE_KEYS = 100

/** Revoked keys that an account is shown. */
const MAX_REVOKED_KEYS = 100

/** How many keys of an account are not revoked. */
export const countLiveKeys = (user_id: string | null): Query<number> =>
  user_id === null
    ? constant(0)
    : mapped(
        one(sql.type(Count)`SELECT count(*) AS n FROM api_keys WHERE user_id = ${user_id} AND NOT revoked`),
        ({ n }) => n,
      )

const keys = (viewer: Viewer, where: Fragment) => sql.type(KeyRow)`
  SELECT api_keys.id, principals.label AS name, key_secrets.prefix, api_keys.scope, api_keys.created_at, credential_uses.last_used_at, api_keys.revoked
  FROM api_keys
    JOIN key_secrets ON key_secrets.key_id = api_keys.id
    LEFT JOIN principals ON principals.id = api_keys.id
    LEFT JOIN credential_uses ON credential_uses.credential_id = api_keys.id
  WHERE api_keys.user_id = ${viewer.actor.user_id} AND ${where}
  ORDER BY api_keys.created_at DESC, api_keys.id DESC`

/** The viewer's own keys, newest first: all that are live, and the newest of those that are revoked. */
export const listOwnKeys = (viewer: Viewer): Query<ApiKey[]> => {
  const { user_id } = viewer.actor
  if (user_id === null) return constant([])
  const revoked = sql.fragment`SELECT id FROM api_keys WHERE user_id = ${user_id} AND revoked ORDER BY created_at DESC, id DESC LIMIT ${MAX_REVOKED_KEYS}`
  return mapped(any(keys(viewer, sql.fragment`(NOT api_keys.revoked OR api_keys.id IN (${revoked}))`)), (rows) =>
    rows.map(apiKeyOf),
  )
}

/** One of the viewer's own keys. */
export const findOwnKey = (viewer: Viewer, key_id: string): Query<ApiKey | null> =>
  mapped(maybeOne(keys(viewer, sql.fragment`api_keys.id = ${key_id}`)), (row) => row && apiKeyOf(row))

/** Accounts of an identity provider are linked to it; there is none yet. */
const Identity = z
  .object({
    provider: z.string(),
    kind: z.enum(['oidc', 'saml']),
    subject: z.string(),
    email: z.string().nullable(),
    last_login_at: z.string().nullable(),
  })
  .meta({ id: 'LinkedIdentity' })

export const UserView = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(ROLES),
    disabled: z.boolean(),
    created_at: z.string(),
    email: z.string().nullable(),
    has_password: z.boolean(),
    identities: z.array(Identity),
    role_managed_by: z.string().nullable(),
  })
  .meta({ id: 'User' })
export type UserView = z.infer<typeof UserView>

export const userView = ({ created_at, ...user }: User): UserView => ({
  ...user,
  created_at: rfc3339(created_at),
  email: null,
  identities: [],
  role_managed_by: null,
})

/** What an identity report tells of the account. */
export const OwnUser = UserView.pick({
  id: true,
  username: true,
  role: true,
  identities: true,
  role_managed_by: true,
}).meta({ id: 'OwnUser' })

export const ownUser = ({ id, username, role }: User): z.infer<typeof OwnUser> => ({
  id,
  username,
  role,
  identities: [],
  role_managed_by: null,
})

/** Who asks, as far as their credential tells. */
export const Me = z
  .object({
    authenticated: z.boolean(),
    user: OwnUser.nullable(),
    source: z.enum(['anonymous', 'static', 'apikey', 'session']),
    scope: z.enum(SCOPES).nullable(),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

/** A session that has just begun. */
export const SignedIn = z.object({ token: z.string(), user: UserView }).meta({ id: 'SignedIn' })
export type SignedIn = z.infer<typeof SignedIn>

/** Never whose it is, and never its secret. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    prefix: z.string(),
    scope: z.enum(SCOPES),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
    revoked: z.boolean(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

const apiKeyOf = ({ created_at, last_used_at, ...key }: z.infer<typeof KeyRow>): ApiKey => ({
  ...key,
  created_at: rfc3339(created_at),
  last_used_at: last_used_at === null ? null : rfc3339(last_used_at),
})
