import type { Client } from 'pg'
import { migrationsOf, missingMigrations, type Applied, type Migration } from '../disk/migrations.ts'
import { SchemaMismatch } from '../errors.ts'
import { readAddress } from './address.ts'
import { DISTRIBUTABLE_TABLES, hasCitus, listDistributed } from './citus.ts'
import { connectTo } from './connect.ts'
import { checkEncoding } from './encoding.ts'
import { asUnavailable } from './errors.ts'

/** The tables that record the migrations of each store. */
const RECORD_TABLES = { service: 'migrations', cache: 'cache_migrations' } as const
type Store = keyof typeof RECORD_TABLES

/** The advisory lock that lets only one replica migrate at a time. */
const MIGRATION_LOCK = 0x657273_02

type Options = {
  /** `service` or `cache`: both are in one database, and each has its own record of applied migrations. */
  readonly store: Store
  readonly now: () => number
  /** Called before each statement, for injected faults. */
  readonly observe?: (text: string) => void
}

/**
 * Applies all missing migrations, each in its own transaction under a lock. If replicas start concurrently, one applies
 * a migration while the others wait; then all continue. If the process is killed at any statement, the next start
 * completes the work. With a role that does not own the tables, it changes nothing, and throws `SchemaMismatch` if the
 * schema is not current. Returns the number of the schema. Throws `WrongEncoding` before anything is created.
 */
export const migratePostgres = (url: string, { store, ...options }: Options): Promise<number> =>
  withClient(url, (client) => migrateStore(client, store, options))

/** Runs `work` on a new connection. Throws `Unavailable`, or the server's error if the server rejects something. */
export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  let client: Client
  try {
    client = (await connectTo(readAddress(url))).client
  } catch (error) {
    throw asUnavailable(error)
  }
  try {
    await checkEncoding((text) => client.query<Record<string, unknown>>(text))
    return await work(client)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
}

const migrateStore = async (
  client: Client,
  store: Store,
  { now, observe = () => {} }: Omit<Options, 'store'>,
): Promise<number> => {
  const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
    observe(text)
    return (await client.query<Row>(text, values as unknown[] | undefined)).rows
  }
  const all = migrationsOf(store, 'postgres')
  const table = RECORD_TABLES[store]
  for (;;) {
    const applied = await appliedIn(query, table)
    // If there is nothing to apply, the role needs no right to migrate.
    if (applied && missingMigrations(all, applied).length === 0) return all.length
    if (!(await mayMigrate(query)))
      throw new SchemaMismatch(
        `the schema of the database is not current and its tables belong to another role: let that role run "ers migrate-schema"`,
      )
    await query('BEGIN ISOLATION LEVEL READ COMMITTED')
    await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const isCitus = await hasCitus(query)
    // Citus would send a migration to its workers, which refuse a text of several statements.
    if (isCitus) await query('SET LOCAL citus.enable_ddl_propagation = off')
    await query(
      `CREATE TABLE IF NOT EXISTS ${table} (number bigint PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at bigint NOT NULL)`,
    )
    // Another replica may have applied it meanwhile.
    const [next] = missingMigrations(all, (await appliedIn(query, table)) ?? [])
    if (next) {
      if (isCitus) await checkIsLocal(query, next)
      // Functions keep the search path under which they were created, so no temporary table of a session can shadow the
      // service's tables.
      await query("SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)")
      await query(next.text)
      await query(`INSERT INTO ${table} (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)`, [
        next.number,
        next.name,
        next.sha256,
        now(),
      ])
    }
    await query('COMMIT')
  }
}

/** Throws `SchemaMismatch` if a migration names a distributed table: it would change the coordinator's part alone. */
const checkIsLocal = async (query: RunQuery, { number, text }: Migration): Promise<void> => {
  const distributed = await listDistributed(query)
  const statements = text.replaceAll(/--.*/g, '')
  const changed = DISTRIBUTABLE_TABLES.filter(
    (table) => distributed.includes(table) && new RegExp(`\\b${table}\\b`).test(statements),
  )
  if (changed.length === 0) return
  throw new SchemaMismatch(
    `migration ${number} changes ${changed.join(', ')}, which is distributed: run "ers distribute --undo", migrate, then run "ers distribute"`,
  )
}

/** Migrates both stores of a database. Returns the number of the service's schema. Throws like `migratePostgres`. */
export const migrateDatabase = (url: string, options: Omit<Options, 'store'>): Promise<number> =>
  withClient(url, async (client) => {
    const schema = await migrateStore(client, 'service', options)
    await migrateStore(client, 'cache', options)
    return schema
  })

type RunQuery = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Null if no migration was ever applied. */
const appliedIn = async (query: RunQuery, records: string): Promise<Applied[] | null> => {
  const [table] = await query<{ name: string | null }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '.${records}') AS name`,
  )
  if (!table)
    throw new SchemaMismatch('the database has no schema for the tables: the role needs one in its search_path')
  if (table.name === null) return null
  return query<Applied>(`SELECT CAST(number AS int) AS number, name, sha256 FROM ${records} ORDER BY number`)
}

/**
 * Whether the role owns the service's tables, or may create tables if these do not exist. The service's tables are
 * created before the cache's.
 */
const mayMigrate = async (query: RunQuery): Promise<boolean> => {
  const [row] = await query<{ may: boolean }>(`
    SELECT CASE WHEN t.oid IS NULL THEN has_schema_privilege(current_schema(), 'CREATE') ELSE pg_has_role(t.relowner, 'USAGE') END AS may
    FROM (SELECT 1) one LEFT JOIN pg_class t ON t.oid = to_regclass(quote_ident(current_schema()) || '.migrations')`)
  return row?.may === true
}
