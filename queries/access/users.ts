import { z } from 'zod'
import { any, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { IDENTITY_PARTS, LinkedIdentity, withIdentities } from './identities.ts'
import { ROLES } from './viewer.ts'

// Queries of accounts. No row contains the name of a run set, so no query has a `viewer` parameter: the API scope that
// a route requires decides who sees them.

export const User = z.object({
  id: z.string(),
  username: z.string(),
  role: z.enum(ROLES),
  disabled: z.boolean(),
  has_password: z.boolean(),
  /** An account of a machine, which has only keys: no password, no sign-in. */
  service: z.boolean(),
  created_at: z.number(),
})

export type User = z.infer<typeof User>

const users = (where: Fragment) => sql.type(User)`
  SELECT users.id, coalesce(principals.label, users.id) AS username, users.role, users.disabled, users.has_password, users.service, users.created_at
  FROM users LEFT JOIN principals ON principals.id = users.id
  WHERE ${where} ORDER BY users.created_at, users.id`

export const findUser = (user_id: string): Query<User | null> => maybeOne(users(sql.fragment`users.id = ${user_id}`))

/** The account with exactly this name. Names of deleted accounts are free again. */
export const findUserNamed = (username: string): Query<User | null> =>
  maybeOne(users(sql.fragment`users.id IN (SELECT id FROM principals WHERE label = ${username} AND kind = 'user')`))

const Count = z.object({ n: z.number() })

/** Whether there is any account. */
export const findAnyUser: Query<boolean> = mapped(
  one(sql.type(Count)`SELECT count(*) AS n FROM (SELECT id FROM users LIMIT 1) first`),
  ({ n }) => n > 0,
)

/** The number of enabled admins other than one account. */
export const countOtherAdmins = (user_id: string): Query<number> =>
  mapped(
    one(sql.type(Count)`SELECT count(*) AS n FROM users WHERE role = 'admin' AND NOT disabled AND id <> ${user_id}`),
    ({ n }) => n,
  )

export const UserView = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(ROLES),
    disabled: z.boolean(),
    created_at: z.string(),
    email: z.string().nullable(),
    has_password: z.boolean(),
    service: z.boolean(),
    identities: z.array(LinkedIdentity),
    role_managed_by: z.string().nullable(),
  })
  .meta({ id: 'User' })

export type UserView = z.infer<typeof UserView>

/** An account as clients see it. Its e-mail address is the one that a provider vouched for last. */
export const userView = (
  { id, username, role, disabled, has_password, service, created_at }: User,
  identities: readonly LinkedIdentity[],
): UserView => ({
  id,
  username,
  role,
  disabled,
  created_at: rfc3339(created_at),
  email: identities.find(({ email }) => email !== null)?.email ?? null,
  has_password,
  service,
  identities: [...identities],
  role_managed_by: identities[0]?.provider ?? null,
})

const views = (where: Fragment): Query<UserView[]> =>
  mapped(
    any(sql.type(z.object({ ...User.shape, ...IDENTITY_PARTS.shape }))`
      SELECT users.id, coalesce(principals.label, users.id) AS username, users.role, users.disabled, users.has_password,
        users.service, users.created_at, ${IDENTITY_PARTS.columns}
      FROM users LEFT JOIN principals ON principals.id = users.id ${IDENTITY_PARTS.join}
      WHERE ${where} ORDER BY users.created_at, users.id, ${IDENTITY_PARTS.order}`),
    (rows) => withIdentities(rows).map(({ row, identities }) => userView(row, identities)),
  )

/** One account with its identities. */
export const findUserView = (user_id: string): Query<UserView | null> =>
  mapped(views(sql.fragment`users.id = ${user_id}`), ([view]) => view ?? null)

/** Every account with its identities, oldest first. */
export const listUserViews: Query<UserView[]> = views(sql.fragment`TRUE`)

/** The account of the caller, as the response of `/auth/me` contains it. */
export const OwnUser = UserView.pick({
  id: true,
  username: true,
  role: true,
  has_password: true,
  identities: true,
  role_managed_by: true,
}).meta({ id: 'OwnUser' })

export const ownUser = ({
  id,
  username,
  role,
  has_password,
  identities,
  role_managed_by,
}: UserView): z.infer<typeof OwnUser> => ({
  id,
  username,
  role,
  has_password,
  identities,
  role_managed_by,
})
