import { z } from 'zod'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { ROLES, SCOPES, type Viewer } from './viewer.ts'

// Queries of API keys. No row contains the name of a run set, so most queries have no `viewer` parameter. Only the
// queries of a viewer's own keys have one.

const Count = z.object({ n: z.number() })

const PresentedKey = z.object({ id: z.string(), user_id: z.string(), role: z.enum(ROLES), scope: z.enum(SCOPES) })

/** The key of a secret, with the role of its account; null if it is revoked or the account is disabled. */
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

/** A key with its owner. Takes no viewer: an admin may revoke any key. */
export const findKey = (key_id: string): Query<z.infer<typeof OwnedKey> | null> =>
  maybeOne(sql.type(OwnedKey)`SELECT id, user_id, revoked FROM api_keys WHERE id = ${key_id}`)

export const KeyRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  prefix: z.string(),
  scope: z.enum(SCOPES),
  created_at: z.number(),
  last_used_at: z.number().nullable(),
  revoked: z.boolean(),
})

/** Maximum number of keys of an account that are not revoked. */
export const MAX_LIVE_KEYS = 100

/** Maximum number of revoked keys in a list. */
const MAX_REVOKED_KEYS = 100

/** How many keys of an account are not revoked. */
export const countLiveKeys = (user_id: string | null): Query<number> =>
  user_id === null
    ? constant(0)
    : mapped(
        one(sql.type(Count)`SELECT count(*) AS n FROM api_keys WHERE user_id = ${user_id} AND NOT revoked`),
        ({ n }) => n,
      )

const keys = (user_id: string, where: Fragment) => sql.type(KeyRow)`
  SELECT api_keys.id, principals.label AS name, key_secrets.prefix, api_keys.scope, api_keys.created_at,
    credential_uses.last_used_at, api_keys.revoked
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
  user_id === null
    ? constant(null)
    : mapped(maybeOne(keys(user_id, sql.fragment`api_keys.id = ${key_id}`)), (row) => row && apiKeyOf(row))

/** A key without its owner and its secret. */
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
