import { z } from 'zod'
import { scopeKey, type SetScope } from '../../domain/sets.ts'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from './viewer.ts'
import { includes, findLevel, LEVELS, type Level } from './levels.ts'

/** `managed_by` is the identity provider whose groups gave it, such as `oidc:corp`; null for a grant by a person. */
export const Grant = z
  .object({
    user_id: z.string(),
    username: z.string(),
    level: z.enum(LEVELS),
    created_at: z.number().int(),
    created_by: z.string().nullable(),
    managed_by: z.string().nullable(),
  })
  .meta({ id: 'Grant' })

/** What is recorded for exactly this scope: whether it is restricted itself, and the grants on it. */
export const AccessList = z.object({ restricted: z.boolean(), grants: z.array(Grant) }).meta({ id: 'AccessList' })
export type AccessList = z.infer<typeof AccessList>

/** A user, and the scope of the user's grant. */
export type Grantee = SetScope & { readonly user_id: string }

const Found = z.object({ project: z.string() })

/**
 * Whether exactly this scope is restricted. Has no `viewer` parameter: the API scope that a route requires decides who
 * may restrict.
 */
export const findRestricted = (scope: SetScope): Query<boolean> =>
  mapped(
    maybeOne(sql.type(Found)`SELECT project FROM restrictions WHERE scope_key = ${scopeKey(scope)}`),
    (row) => row !== null,
  )

const Granted = z.object({ level: z.enum(LEVELS) })

/**
 * The level that a user is granted at exactly this scope, or null. Has no `viewer` parameter: the commands that use
 * this query check access themselves.
 */
export const findGrantedLevel = ({ user_id, ...scope }: Grantee): Query<Level | null> =>
  mapped(
    maybeOne(sql.type(Granted)`SELECT level FROM grants WHERE scope_key = ${scopeKey(scope)} AND user_id = ${user_id}`),
    (row) => row?.level ?? null,
  )

const Scope = z.object({ project: z.string(), suite: z.string().nullable() })

/** Every scope at which a user has a grant. Has no `viewer` parameter: the grants are deleted with the user. */
export const listUserGrants = (user_id: string): Query<SetScope[]> =>
  any(sql.type(Scope)`SELECT project, suite FROM grants WHERE user_id = ${user_id} ORDER BY project, suite NULLS FIRST`)

const UserGrant = Scope.extend({ level: z.enum(LEVELS), managed_by: z.string().nullable() })
export type UserGrant = z.infer<typeof UserGrant>

/** Every grant of a user with the provider that gave it. Has no `viewer` parameter: a sign-in sets the grants of its account. */
export const listGrantsWithProvider = (user_id: string): Query<UserGrant[]> =>
  any(sql.type(UserGrant)`
    SELECT project, suite, level, managed_by FROM grants WHERE user_id = ${user_id} ORDER BY project, suite NULLS FIRST`)

const User = z.object({ id: z.string() })

/** Whether the user exists, disabled or not. Has no `viewer` parameter, for the same reason as `findGrantedLevel`. */
export const findIsUser = (user_id: string): Query<boolean> =>
  mapped(maybeOne(sql.type(User)`SELECT id FROM users WHERE id = ${user_id}`), (row) => row !== null)

const listGrants = (scope: SetScope): Query<AccessList['grants']> =>
  any(sql.type(Grant)`
    SELECT grants.user_id, coalesce(holder.label, grants.user_id) AS username, grants.level, grants.created_at, giver.label AS created_by, grants.managed_by
    FROM grants
      LEFT JOIN principals holder ON holder.id = grants.user_id
      LEFT JOIN principals giver ON giver.id = grants.created_by
    WHERE grants.scope_key = ${scopeKey(scope)}
    ORDER BY grants.created_at, username`)

/** The access list of a scope; null if the viewer may not manage it. A scope without runs has an access list too. */
export const findAccessList = async (reader: Reader, viewer: Viewer, scope: SetScope): Promise<AccessList | null> => {
  // All three are read from one snapshot. So a viewer who loses the level does not see a change that was made after
  // that.
  const { level, restricted, grants } = await reader.readAll({
    level: findLevel(viewer, scope),
    restricted: findRestricted(scope),
    grants: listGrants(scope),
  })
  return includes(level, 'manage') ? { restricted, grants } : null
}

const Account = z.object({ user_id: z.string(), username: z.string() })

/** Accounts by the beginning of their name, for callers who may grant them a level. */
export const FoundAccounts = z.object({ accounts: z.array(Account) }).meta({ id: 'FoundAccounts' })
export type FoundAccounts = z.infer<typeof FoundAccounts>

/** Few, because managers of a set look for one account and may not list all. */
const MAX_ACCOUNTS = 10

const listEnabled: Query<Array<z.infer<typeof Account>>> = any(sql.type(Account)`
  SELECT users.id AS user_id, principals.label AS username FROM users JOIN principals ON principals.id = users.id
  WHERE NOT users.disabled ORDER BY principals.label, users.id`)

/**
 * Enabled accounts whose name begins with a text, in any case; none for an empty text, null if the viewer may not manage the
 * scope. The exact name is first.
 */
export const findAccounts = async (
  reader: Reader,
  viewer: Viewer,
  scope: SetScope,
  name: string,
): Promise<FoundAccounts | null> => {
  const { level, enabled } = await reader.readAll({ level: findLevel(viewer, scope), enabled: listEnabled })
  if (!includes(level, 'manage')) return null
  const beginning = name.toLowerCase()
  const found = enabled.filter(({ username }) => name !== '' && username.toLowerCase().startsWith(beginning))
  const exact = found.filter(({ username }) => username === name)
  return { accounts: [...exact, ...found.filter(({ username }) => username !== name)].slice(0, MAX_ACCOUNTS) }
}
