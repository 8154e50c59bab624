import pg from 'pg'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../../runtime/services.ts'
import type { DatabaseStore } from '../../../storage/open/reader.ts'
import { readTables } from '../../../projections/index.ts'

export const databaseStore = (url: string): DatabaseStore => ({
  kind: 'postgres',
  url,
  readUrl: null,
  connections: 2,
  statementTimeoutMs: 30_000,
})

/** Opens a service on a database, in this thread. Its rows are checked against their schemas. */
export const openServiceOn = (url: string, options: OpenOptions = {}): Promise<OpenService> =>
  openService({ database: databaseStore(url), checkRows: true, ...options })

/** Works on a database through a plain connection, with the rights of the role in the URL. */
export const onDatabase = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs a text of SQL. If it has a single statement, returns the rows of that statement as arrays. */
export const queryArrays = (url: string, text: string): Promise<unknown[][]> =>
  onDatabase(url, async (client) => (await client.query({ text, rowMode: 'array' })).rows as unknown[][])

/** Returns every row of every read table as text, in a fixed order. */
export const tablesOf = (url: string, tables: readonly string[] = readTables): Promise<Record<string, string[]>> =>
  onDatabase(url, async (client) => {
    const rowsByTable: Record<string, string[]> = {}
    for (const table of tables)
      rowsByTable[table] = (
        await client.query<{ row: string }>(
          `SELECT CAST(t AS text) AS row FROM ${table} t ORDER BY CAST(t AS text) COLLATE "C"`,
        )
      ).rows.map(({ row }) => row)
    return rowsByTable
  })

/** Returns tables, keys, indexes, column settings and rights from the catalog. */
export const schemaOf = (url: string): Promise<unknown[][]> =>
  queryArrays(
    url,
    `SELECT 'column', c.relname::text, a.attname::text, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage, coalesce(a.attstattarget, -1), a.attcollation)
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
     UNION ALL SELECT 'key', conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT 'index', tablename::text, indexname::text, indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT 'rights', relname::text, pg_get_userbyid(relowner)::text, (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM unnest(relacl) r) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
     UNION ALL SELECT 'schema', nspname::text, '', '' FROM pg_namespace WHERE nspname NOT LIKE 'pg_%'
     ORDER BY 1, 2, 3, 4`,
  )
