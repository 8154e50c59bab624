import { createHash } from 'node:crypto'
import { z } from 'zod'
import { any, mapped, one, sql, statement } from '../sql.ts'
import { ask, write, type Steps } from '../commit/steps.ts'
import type { Query, Statement } from '../storage.ts'

// On PostgreSQL: tables of the same shape and name in another schema, which are filled there and then replace the live
// tables.

/** The schema of the tables that unqualified names refer to. */
export const findSchema: Query<string> = mapped(
  one(sql.type(z.object({ name: z.string() }))`SELECT current_schema() AS name`),
  ({ name }) => name,
)

/** The schema in which the read tables of a schema are rebuilt. */
export const shadowSchema = (live: string): string => `ers_fresh_${live}`

const inSchema = (schema: string, table: string) => sql.identifier([schema, table])

/** Text from the catalogue, unescaped: never pass anything from a request. */
const raw = (text: string) => ({ ...sql.fragment``, sql: text })

const Option = z.object({ table: z.string(), text: z.string() })

/** What `LIKE` does not copy: the statistics targets of columns, and the storage and vacuum options of the table. */
const listOptions = (live: string, tables: readonly string[]) =>
  any(sql.type(Option)`
    SELECT c.relname AS table, format('ALTER COLUMN %I SET STATISTICS %s', a.attname, a.attstattarget) AS text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)})
      AND a.attnum > 0 AND NOT a.attisdropped AND coalesce(a.attstattarget, -1) >= 0
    UNION ALL
    SELECT c.relname, format('SET (%s)', array_to_string(c.reloptions, ', ')) FROM pg_class c
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)}) AND c.reloptions IS NOT NULL`)

const schemaId = (schema: string) => sql.fragment`(SELECT oid FROM pg_namespace WHERE nspname = ${schema})`
const names = (all: readonly string[]) => sql.join(all, sql.fragment`, `)

const SchemaObject = z.object({ table: z.string(), name: z.string(), text: z.string() })

/** Primary and unique keys. */
const listKeys = (live: string, tables: readonly string[]) =>
  any(sql.type(SchemaObject)`
    SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS text
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)}) AND k.contype IN ('p', 'u') ORDER BY c.relname, k.conname`)

/** Indexes that belong to no key. The text starts at `USING`, preceded by `UNIQUE` if it applies. */
const listIndexes = (live: string, tables: readonly string[]) =>
  any(sql.type(SchemaObject)`
    SELECT c.relname AS table, i.relname AS name,
      CASE WHEN x.indisunique THEN 'UNIQUE ' ELSE '' END || substr(pg_get_indexdef(i.oid), strpos(pg_get_indexdef(i.oid), ' USING ') + 1) AS text
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)})
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u')) ORDER BY i.relname`)

const Column = z.object({ table: z.string(), name: z.string(), type: z.string() })

const listColumns = (live: string, tables: readonly string[]) =>
  any(sql.type(Column)`
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS type
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)}) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname, a.attnum`)

/**
 * Returns a digest of the versions and the shape of tables, the plan of a rebuild. A rebuild that was started with
 * another plan cannot be continued.
 */
export function* rebuildPlan(live: string, tables: readonly string[], versions: unknown): Steps<string> {
  const shape = [
    versions,
    yield* ask(listColumns(live, tables)),
    yield* ask(listKeys(live, tables)),
    yield* ask(listIndexes(live, tables)),
  ]
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex')
}

/** Creates empty tables of the same shape with their keys, without other indexes. `into` may be `pg_temp`. */
export function* createShadowTables(live: string, into: string, tables: readonly string[]): Steps<void> {
  for (const table of tables)
    yield* write(
      statement`CREATE TABLE ${inSchema(into, table)} (LIKE ${inSchema(live, table)} INCLUDING ALL EXCLUDING INDEXES)`,
    )
  for (const { table, text } of yield* ask(listOptions(live, tables)))
    yield* write(statement`ALTER TABLE ${inSchema(into, table)} ${raw(text)}`)
  for (const { table, name, text } of yield* ask(listKeys(live, tables)))
    yield* write(statement`ALTER TABLE ${inSchema(into, table)} ADD CONSTRAINT ${sql.identifier([name])} ${raw(text)}`)
}

/** Creates the indexes that belong to no key, with the names of the live ones. Skips those that already exist. */
export function* indexShadowTables(live: string, into: string, tables: readonly string[]): Steps<void> {
  const existing = new Set((yield* ask(listIndexes(into, tables))).map(({ name }) => name))
  for (const { table, name, text } of yield* ask(listIndexes(live, tables))) {
    if (existing.has(name)) continue
    const isUnique = text.startsWith('UNIQUE ')
    yield* write(
      statement`CREATE ${raw(isUnique ? 'UNIQUE INDEX' : 'INDEX')} ${sql.identifier([name])} ON ${inSchema(into, table)} ${raw(text.slice(isUnique ? 7 : 0))}`,
    )
  }
}

/** Collects planner statistics, so that the first queries after the swap have the same plans as those before. */
export function* analyzeAll(schema: string, tables: readonly string[]): Steps<void> {
  for (const table of tables) yield* write(statement`ANALYZE ${inSchema(schema, table)}`)
}

const Name = z.object({ name: z.string() })

const listTables = (schema: string) =>
  any(
    sql.type(Name)`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = ${schemaId(schema)} AND relkind IN ('r', 'p')
      ORDER BY relname`,
  )

/** Whether all the tables exist. */
export function* hasShadowTables(schema: string, tables: readonly string[]): Steps<boolean> {
  const found = new Set((yield* ask(listTables(schema))).map(({ name }) => name))
  return tables.every((table) => found.has(table))
}

/** Whether the role may read all the tables, which exist. */
export const mayRead = (schema: string, tables: readonly string[]): Query<boolean> =>
  mapped(
    one(sql.type(z.object({ may: z.boolean() }))`
      SELECT bool_and(has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(oid, 'SELECT')) AS may
      FROM pg_class WHERE relnamespace = ${schemaId(schema)} AND relname IN (${names(tables)})`),
    ({ may }) => may,
  )

const Rights = z.object({
  owned: z.boolean(),
  make: z.boolean(),
  there: z.boolean(),
  database: z.string(),
  role: z.string(),
})

/**
 * The rights that a rebuild needs: the role must own the live tables. It must also have the right to create the shadow
 * schema, or to create tables in it if it exists.
 */
export const findRights = (live: string, shadow: string, tables: readonly string[]) =>
  one(sql.type(Rights)`
    SELECT
      (
        SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), false) FROM pg_class
        WHERE relnamespace = ${schemaId(live)} AND relname IN (${names(tables)})
      ) AS owned,
      has_database_privilege(current_database(), 'CREATE') AS make,
      EXISTS (SELECT FROM pg_namespace WHERE nspname = ${shadow} AND has_schema_privilege(oid, 'CREATE')) AS there,
      CAST(current_database() AS text) AS database, CAST(current_user AS text) AS role`)

/**
 * Provides an empty schema of that name. An existing one is emptied instead of dropped: another role may have created
 * it, and this role could not create it again.
 */
export function* emptySchema(schema: string): Steps<void> {
  for (const { name } of yield* ask(listTables(schema))) yield* write(statement`DROP TABLE ${inSchema(schema, name)}`)
  const existing = yield* ask(any(sql.type(Name)`SELECT nspname AS name FROM pg_namespace WHERE nspname = ${schema}`))
  if (existing.length === 0) yield* write(statement`CREATE SCHEMA ${sql.identifier([schema])}`)
}

const Grant = z.object({
  table: z.string(),
  grantee: z.string().nullable(),
  privilege: z.string(),
  grantable: z.boolean(),
})

const listGrants = (live: string, tables: readonly string[]) =>
  any(sql.type(Grant)`
    SELECT c.relname AS table, CASE WHEN g.grantee = 0 THEN NULL ELSE pg_get_userbyid(g.grantee) END AS grantee,
      g.privilege_type AS privilege, g.is_grantable AS grantable
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS g
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)}) AND g.grantee <> c.relowner`)

const Owner = z.object({ table: z.string(), owner: z.string() })

const listOwners = (live: string, tables: readonly string[]) =>
  any(sql.type(Owner)`
    SELECT relname AS table, pg_get_userbyid(relowner) AS owner FROM pg_class
    WHERE relnamespace = ${schemaId(live)} AND relname IN (${names(tables)}) AND pg_get_userbyid(relowner) <> current_user`)

const Trigger = z.object({ text: z.string() })

const listTriggers = (live: string, tables: readonly string[]) =>
  any(sql.type(Trigger)`
    SELECT pg_get_triggerdef(t.oid) AS text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = ${schemaId(live)} AND c.relname IN (${names(tables)}) AND NOT t.tgisinternal`)

export type SwapStep = 'swap' | 'locked' | 'dropped' | 'moved'

/** How long the statement that locks all live tables waits for reads. New reads queue behind it, and all commits wait. */
const LOCK_TIMEOUT = '100ms'

const limitStatements = (duration: string): Statement =>
  statement`SELECT set_config('statement_timeout', ${duration}, true)`

/**
 * Replaces the live tables with those of another schema; rights, owners and triggers stay the same. Runs in an open
 * transaction, and takes away its limit of a statement. After the lock, reads of the live tables wait until that
 * transaction ends.
 */
export function* swapShadowTables(
  live: string,
  shadow: string,
  tables: readonly string[],
  observe: (step: SwapStep) => void = () => {},
): Steps<void> {
  observe('swap')
  const all = (schema: string) =>
    sql.join(
      tables.map((table) => inSchema(schema, table)),
      sql.fragment`, `,
    )
  yield* write(limitStatements(LOCK_TIMEOUT))
  yield* write(statement`LOCK TABLE ${all(live)} IN ACCESS EXCLUSIVE MODE`)
  yield* write(limitStatements('0'))
  observe('locked')
  const [grants, owners, triggers] = [
    yield* ask(listGrants(live, tables)),
    yield* ask(listOwners(live, tables)),
    yield* ask(listTriggers(live, tables)),
  ]
  yield* write(statement`DROP TABLE ${all(live)}`)
  observe('dropped')
  // The new tables may have default privileges, which the server grants on every table that this role creates.
  for (const { table, grantee } of yield* ask(listGrants(shadow, tables)))
    yield* write(statement`REVOKE ALL ON ${inSchema(shadow, table)} FROM ${granteeRole(grantee)}`)
  for (const table of tables)
    yield* write(statement`ALTER TABLE ${inSchema(shadow, table)} SET SCHEMA ${sql.identifier([live])}`)
  for (const grant of grants) yield* write(grantStatement(live, grant))
  for (const { table, owner } of owners)
    yield* write(statement`ALTER TABLE ${inSchema(live, table)} OWNER TO ${sql.identifier([owner])}`)
  for (const { text } of triggers) yield* write(statement`${raw(text)}`)
  observe('moved')
}

const grantStatement = (live: string, { table, grantee, privilege, grantable }: z.infer<typeof Grant>): Statement =>
  statement`GRANT ${raw(privilege)} ON ${inSchema(live, table)} TO ${granteeRole(grantee)} ${raw(grantable ? 'WITH GRANT OPTION' : '')}`

const granteeRole = (grantee: string | null) => (grantee === null ? raw('PUBLIC') : sql.identifier([grantee]))
