import { z } from 'zod'
import { any, maybeOne, sql, statement } from '../sql.ts'
import { ask, write, type Steps } from '../commit/steps.ts'
import { findSchema } from './shadow-tables.ts'

const Name = z.object({ name: z.string() })

/**
 * The tables on which the service's role has fewer rights than on others: the log is append-only, and only event bodies
 * may be erased.
 */
const RESTRICTED_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  events: ['SELECT', 'INSERT'],
  event_bodies: ['SELECT', 'INSERT', 'DELETE'],
  migrations: ['SELECT'],
  cache_migrations: ['SELECT'],
}

const ROW_RIGHTS: readonly string[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/** The role does not exist, or has the rights of the owner. */
export class NoAppRole extends Error {
  override readonly name = 'NoAppRole'
}

const findRole = (role: string) =>
  maybeOne(sql.type(z.object({ owns: z.boolean() }))`
    SELECT rolsuper OR EXISTS (
      SELECT 1 FROM pg_namespace n, pg_database d
      WHERE n.nspname = current_schema() AND d.datname = current_database()
        AND (pg_has_role(rolname, CAST(current_user AS name), 'MEMBER')
          OR pg_has_role(rolname, n.nspowner, 'MEMBER')
          OR pg_has_role(rolname, d.datdba, 'MEMBER'))
    ) AS owns
    FROM pg_roles WHERE rolname = ${role}`)

const raw = (text: string) => ({ ...sql.fragment``, sql: text })

/**
 * Gives a role exactly the rights that the service needs on every table of the schema, and revokes all others. Runs on
 * an open transaction as the owner. Throws `NoAppRole` if the role does not exist or has the owner's rights.
 */
export function* grantAppRole(role: string): Steps<void> {
  const roleRow = yield* ask(findRole(role))
  if (!roleRow) throw new NoAppRole(`there is no role ${role}`)
  if (roleRow.owns)
    throw new NoAppRole(`the role ${role} has the rights of the owner: the service needs a role without them`)
  const schema = yield* ask(findSchema)
  const grantee = sql.identifier([role])
  yield* write(statement`GRANT USAGE ON SCHEMA ${sql.identifier([schema])} TO ${grantee}`)
  const tables = yield* ask(
    any(sql.type(Name)`
    SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${schema} AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE') ORDER BY c.relname`),
  )
  for (const { name } of tables) {
    const table = sql.identifier([schema, name])
    yield* write(statement`REVOKE ALL ON ${table} FROM ${grantee}`)
    yield* write(statement`GRANT ${raw((RESTRICTED_RIGHTS[name] ?? ROW_RIGHTS).join(', '))} ON ${table} TO ${grantee}`)
  }
}
