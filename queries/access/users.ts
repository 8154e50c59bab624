import { z } from 'zod'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { ROLES } from './viewer.ts'

export const User = z.object({
  id: z.string(),
  username: z.string(),
  role: z.enum(ROLES),
  disabled: z.boolean(),
  has_password: z.boolean(),
  created_at: z.number(),
})

export type User = z.infer<typeof User>

const users = (where: Fragment) => sql.type(User)`
  SELECT users.id, coalesce(principals.label, users.id) AS username, users.role, users.disabled, users.has_password, users.created_at
  FROM users LEFT JOIN principals ON principals.id = users.id
  WHERE ${where} ORDER BY users.created_at, users.id`

export const findUser = (user_id: string): Query<User | null> => maybeOne(users(sql.fragment`users.id = ${user_id}`))

/** The account of a name, as it is spelled. Names of deleted accounts are free again. */
export const findUserNamed = (username: string): Query<User | null> =>
  maybeOne(users(sql.fragment`users.id IN (SELECT id FROM principals WHERE label = ${username} AND kind = 'user')`))

/** Every account, oldest first. */
export const listUsers: Query<User[]> = any(users(sql.fragment`TRUE`))
