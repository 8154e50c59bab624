import { z } from 'zod'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { ROLES, SCOPES, type Viewer } from './viewer.ts'

// Queries of API keys. No row contains the name of a run set, so most queries have no `viewer` parameter. Only the
// queries of a viewer's own keys have one.

const Count = z.object({ n: z.number() })

const time = z.number().nullable()
const text = z.string().nullable()

/** When a key ends, in epoch milliseconds, and the project or suite to which it is limited. Null is for ever, and everything. */
const Bounds = z.object({ expires_at: time, project: text, suite: text })
const BOUNDS = sql.fragment`api_keys.expires_at, api_keys.project, api_keys.suite`

const PresentedKey = Bounds.extend({
  id: z.string(),
  user_id: z.string(),
  role: z.enum(ROLES),
  scope: z.enum(SCOPES),
  secret_hash: z.string(),
})
export type PresentedKey = z.infer<typeof PresentedKey>

/**
 * The key of a secret, with the role of its account; null if it is revoked or the account is disabled. The caller checks
 * whether it has ended. A key that ends or is limited is stored under the second hash: replicas of a version that knows no
 * such keys then do not accept it, instead of accepting it for everything.
 */
export const findKeyBySecret = ({
  prefix,
  secret_hash,
  bounded_hash,
}: {
  readonly prefix: string
  readonly secret_hash: string
  readonly bounded_hash: string
}): Query<PresentedKey | null> =>
  mapped(
    maybeOne(sql.type(PresentedKey)`
      SELECT api_keys.id, api_keys.user_id, users.role, api_keys.scope, key_secrets.secret_hash, ${BOUNDS}
      FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id JOIN users ON users.id = api_keys.user_id
      WHERE key_secrets.secret_hash IN (${secret_hash}, ${bounded_hash}) AND key_secrets.prefix = ${prefix} AND NOT api_keys.revoked AND NOT users.disabled`),
    (key) => (key && isBounded(key) === (key.secret_hash === bounded_hash) ? key : null),
  )

const isBounded = ({ expires_at, project }: z.infer<typeof Bounds>): boolean => expires_at !== null || project !== null

/** When the key that the viewer presents ends; null if it does not end, or the viewer presents none. */
export const findKeyExpiry = ({ actor: { kind, credential_id } }: Viewer): Query<number | null> =>
  kind === 'apikey'
    ? mapped(
        maybeOne(sql.type(z.object({ expires_at: time }))`SELECT expires_at FROM api_keys WHERE id = ${credential_id}`),
        (row) => row?.expires_at ?? null,
      )
    : constant(null)

const OwnedKey = z.object({ id: z.string(), user_id: z.string(), revoked: z.boolean() })

/** A key with its owner. Takes no viewer: an admin may revoke any key. */
export const findKey = (key_id: string): Query<z.infer<typeof OwnedKey> | null> =>
  maybeOne(sql.type(OwnedKey)`SELECT id, user_id, revoked FROM api_keys WHERE id = ${key_id}`)

export const KeyRow = z.object({
  id: z.string(),
  name: text,
  prefix: z.string(),
  scope: z.enum(SCOPES),
  ...Bounds.shape,
  created_at: z.number(),
  last_used_at: time,
  revoked: z.boolean(),
})

/** The columns of `KeyRow` that are in `api_keys` itself. */
export const KEY_COLUMNS = sql.fragment`api_keys.id, api_keys.scope, ${BOUNDS}, api_keys.created_at, api_keys.revoked`

/** Maximum number of keys of an account that are neither revoked nor ended. */
export const MAX_LIVE_KEYS = 100

/** Maximum number of revoked keys in a list. */
const MAX_REVOKED_KEYS = 100

/** Whether a key has not ended at a time. */
export const notEnded = (at: number): Fragment =>
  sql.fragment`(api_keys.expires_at IS NULL OR api_keys.expires_at > ${at})`

/** How many keys of an account are neither revoked nor ended. */
export const countLiveKeys = (user_id: string | null, at: number): Query<number> =>
  user_id === null
    ? constant(0)
    : mapped(
        one(
          sql.type(
            Count,
          )`SELECT count(*) AS n FROM api_keys WHERE user_id = ${user_id} AND NOT revoked AND ${notEnded(at)}`,
        ),
        ({ n }) => n,
      )

const keys = (user_id: string, where: Fragment) => sql.type(KeyRow)`
  SELECT ${KEY_COLUMNS}, principals.label AS name, key_secrets.prefix, credential_uses.last_used_at
  FROM api_keys
    JOIN key_secrets ON key_secrets.key_id = api_keys.id
    LEFT JOIN principals ON principals.id = api_keys.id
    LEFT JOIN credential_uses ON credential_uses.credential_id = api_keys.id
  WHERE api_keys.user_id = ${user_id} AND ${where}
  ORDER BY api_keys.created_at DESC, api_keys.id DESC`

/** The keys of an account, newest first: all that are not revoked, and the newest revoked ones. */
export const listKeys = (user_id: string): Query<ApiKey[]> => {
  const revoked = sql.fragment`
    SELECT id FROM api_keys
    WHERE user_id = ${user_id} AND revoked
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_REVOKED_KEYS}`
  return mapped(any(keys(user_id, sql.fragment`(NOT api_keys.revoked OR api_keys.id IN (${revoked}))`)), (rows) =>
    rows.map(apiKeyOf),
  )
}

/** The viewer's own keys. */
export const listOwnKeys = ({ actor: { user_id } }: Viewer): Query<ApiKey[]> =>
  user_id === null ? constant([]) : listKeys(user_id)

/** One of the viewer's own keys. */
export const findOwnKey = ({ actor: { user_id } }: Viewer, key_id: string): Query<ApiKey | null> =>
  user_id === null ? constant(null) : findAccountKey(user_id, key_id)

/** One of the keys of an account. */
export const findAccountKey = (user_id: string, key_id: string): Query<ApiKey | null> =>
  mapped(maybeOne(keys(user_id, sql.fragment`api_keys.id = ${key_id}`)), (row) => row && apiKeyOf(row))

/** A key without its owner and its secret. It is accepted until `expires_at`, and for its project or suite alone, if these are set. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    prefix: z.string(),
    scope: z.enum(SCOPES),
    expires_at: z.string().nullable(),
    project: z.string().nullable(),
    suite: z.string().nullable(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
    revoked: z.boolean(),
  })
  .meta({ id: 'ApiKey' })

export type ApiKey = z.infer<typeof ApiKey>

const orNull = (at: number | null): string | null => (at === null ? null : rfc3339(at))

const apiKeyOf = (key: z.infer<typeof KeyRow>): ApiKey => ({ ...key, ...keyTimes(key) })

/** The times of a key, as clients see them. */
export const keyTimes = ({
  created_at,
  last_used_at,
  expires_at,
}: Pick<z.infer<typeof KeyRow>, 'created_at' | 'last_used_at' | 'expires_at'>) => ({
  created_at: rfc3339(created_at),
  last_used_at: orNull(last_used_at),
  expires_at: orNull(expires_at),
})
