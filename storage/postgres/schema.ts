import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Applied } from '../disk/migrations.ts'
import type { PostgresConnection } from './pool.ts'
import { differencesOf, schemaParts, type Difference, type Part, type Parts } from '../disk/schema-parts.ts'
import { any, mapped, sql, type Fragment } from '../sql.ts'
import type { Query } from '../storage.ts'
import { packageFile } from '../disk/package-file.ts'

// Reads a schema from PostgreSQL's catalogue, which every role may read. The expected parts are stored in a file,
// because the service's role may not create them for comparison.

/** The expected parts, and the number of migrations of each store that create them. */
export type WrittenSchema = {
  readonly schema: Readonly<Record<'service' | 'cache', number>>
  readonly parts: Readonly<Record<string, string>>
}

export const WRITTEN_SCHEMA = packageFile('migrations/postgres-schema.json')

/** Reads the stored parts that the migrations of both stores create. */
const readWrittenSchema = (): WrittenSchema => JSON.parse(readFileSync(WRITTEN_SCHEMA, 'utf8')) as WrittenSchema

const Row = z.object({
  kind: z.custom<Part['kind']>((value) => typeof value === 'string'),
  name: z.string(),
  definition: z.string(),
})

const listed = (names: readonly string[]): Fragment =>
  sql.fragment`(${sql.join([...names].toSorted(), sql.fragment`, `)})`

/** Removes the schema's name, which catalogue texts put before the names of tables. */
const unqualified = (text: Fragment): Fragment =>
  sql.fragment`replace(${text}, ' ' || quote_ident(current_schema()) || '.', ' ')`

/**
 * The parts of the current schema that belong to the given tables and functions. Functions match by name only, with any
 * arguments. Includes what rejects, hides or adds rows (constraints, policies, inheriting tables) and what runs by
 * itself (triggers, rules).
 */
export const readPostgres = (tables: readonly string[], functions: readonly string[]): Query<Parts> =>
  mapped(
    any(sql.type(Row)`
      WITH ours AS (
        SELECT oid, relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relname IN ${listed(tables)}
          AND relkind IN ('r', 'p', 'v', 'm', 'f')
      )
      SELECT 'table' AS kind, CAST(relname AS text) AS name,
        concat_ws(' ', relkind, relpersistence,
          CASE WHEN relrowsecurity THEN 'row security' END, CASE WHEN relforcerowsecurity THEN 'forced' END) AS definition
      FROM ours
      UNION ALL
      SELECT 'child', relname || '.' || CAST(CAST(inhrelid AS regclass) AS text), '' FROM ours JOIN pg_inherits ON inhparent = ours.oid
      UNION ALL
      SELECT 'column', relname || '.' || attname,
        concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
          'collate ' || nullif(collname, 'default'), nullif(attidentity, ''), nullif(attgenerated, ''), pg_get_expr(adbin, adrelid))
      FROM ours JOIN pg_attribute ON attrelid = ours.oid
        LEFT JOIN pg_collation ON pg_collation.oid = attcollation
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attnum > 0 AND NOT attisdropped
      UNION ALL
      SELECT 'constraint', relname || '.' || conname,
        concat_ws(' ', ${unqualified(sql.fragment`pg_get_constraintdef(pg_constraint.oid)`)}, CASE WHEN NOT convalidated THEN 'not valid' END)
      FROM ours JOIN pg_constraint ON conrelid = ours.oid WHERE contype IN ('p', 'u', 'c', 'f', 'x')
      UNION ALL
      SELECT 'index', ours.relname || '.' || i.relname,
        concat_ws(' ', ${unqualified(sql.fragment`pg_get_indexdef(i.oid)`)}, CASE WHEN NOT indisvalid THEN 'not valid' END)
      FROM ours JOIN pg_index ON indrelid = ours.oid JOIN pg_class i ON i.oid = indexrelid
      WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
      UNION ALL
      SELECT 'trigger', relname || '.' || tgname,
        concat_ws(' ', ${unqualified(sql.fragment`pg_get_triggerdef(pg_trigger.oid)`)}, 'enabled', tgenabled)
      FROM ours JOIN pg_trigger ON tgrelid = ours.oid WHERE NOT tgisinternal
      UNION ALL
      SELECT 'rule', relname || '.' || rulename, ${unqualified(sql.fragment`pg_get_ruledef(pg_rewrite.oid)`)}
      FROM ours JOIN pg_rewrite ON ev_class = ours.oid WHERE rulename <> '_RETURN'
      UNION ALL
      SELECT 'policy', relname || '.' || polname, '' FROM ours JOIN pg_policy ON polrelid = ours.oid
      UNION ALL
      SELECT 'function', proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        concat_ws(' ', format_type(prorettype, NULL), CASE WHEN proretset THEN 'set' END, lanname, provolatile, proparallel,
          CASE WHEN proisstrict THEN 'strict' END, CASE WHEN prosecdef THEN 'definer' END,
          replace(array_to_string(proconfig, ' '), 'search_path=' || quote_ident(current_schema()) || ',', 'search_path=,'),
          regexp_replace(prosrc, '[[:space:]]+', ' ', 'g'))
      FROM pg_proc p JOIN pg_language ON pg_language.oid = prolang
      WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND proname IN ${listed(functions)}`),
    schemaParts,
  )

const Name = z.object({ name: z.string() })
const names = (rows: ReadonlyArray<z.infer<typeof Name>>): string[] => rows.map(({ name }) => name)

/** All tables of the current schema. */
export const listTables: Query<string[]> = mapped(
  any(
    sql.type(Name)`
      SELECT CAST(relname AS text) AS name FROM pg_class
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p')`,
  ),
  names,
)

const AppliedMigration = z.object({ number: z.number(), name: z.string(), sha256: z.string() })

/** The service's migrations that the database records as applied, in order. */
export const listApplied: Query<Applied[]> = any(
  sql.type(AppliedMigration)`SELECT number, name, sha256 FROM migrations ORDER BY number`,
)

/** All functions of the current schema. */
export const listFunctions: Query<string[]> = mapped(
  any(
    sql.type(Name)`
      SELECT DISTINCT CAST(proname AS text) AS name FROM pg_proc
      WHERE pronamespace = CAST(current_schema() AS regnamespace)`,
  ),
  names,
)

/** The names of the tables, or of the functions, among parts. */
const namesIn = (parts: Parts, kind: 'table' | 'function'): string[] => [
  ...new Set(
    [...parts.keys()]
      .filter((key) => key.startsWith(`${kind} `))
      .map((key) => key.slice(kind.length + 1).split('(', 1)[0] ?? key),
  ),
]

/** Whether a part belongs to the shared cache, whose content clients can request again. */
const isDisposable = (key: string): boolean => /^\w+ cache_/.test(key)

/**
 * The differences between the current schema and what the migrations of both stores create. All migrations must be
 * applied.
 */
export const differencesInPostgres = async ({ read }: Pick<PostgresConnection, 'read'>): Promise<Difference[]> => {
  const expected: Parts = new Map(Object.entries(readWrittenSchema().parts))
  const compare = async (): Promise<Difference[]> =>
    differencesOf(
      expected,
      await read(readPostgres(namesIn(expected, 'table'), namesIn(expected, 'function'))),
      isDisposable,
    )
  const differences = await compare()
  // Differences are compared once more: some catalogue functions ignore the snapshot, and a concurrent rebuild may have
  // swapped its tables during the first read.
  return differences.length === 0 ? differences : compare()
}
