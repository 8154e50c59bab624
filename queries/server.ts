import { z } from 'zod'
import { rfc3339 } from '../domain/wire.ts'
import { findTotal } from '../storage/cache/entries.ts'
import { findHead } from '../storage/log/head.ts'
import { findNewestRecord, recordedOf, type LogRecord } from '../storage/log/records.ts'
import { TREE } from '../storage/log/nodes.ts'
import { modelState, type Model } from '../storage/missing-tables.ts'
import { any, mapped, maybeOne, one, perDialect, sql } from '../storage/sql.ts'
import type { Dialect, Query, Reader } from '../storage/storage.ts'
import { PartBytes } from './evidence/part-bytes.ts'
import type { Viewer } from './access/viewer.ts'

const count = z.number().int()
const text = z.string().nullable()

/** The newest record of a type: what the service did last. */
const Record = z.object({ seq: count, recorded_at: z.string(), data: z.record(z.string(), z.unknown()).nullable() })

/**
 * A read model. `building`: another version wrote its tables, and new ones are being built. `missing`: it has no tables
 * that can be read. `built` is how many of the `log.size` records are built.
 */
const ReadModel = z.object({
  name: z.string(),
  version: count.nullable(),
  rebuilt_to: count,
  state: z.enum(['current', 'building', 'missing']),
  built: count.nullable(),
})

/** What the store holds. Bytes of the database are those on its disk; `documents_bytes` counts documents as uploaded. */
const StoreFacts = z.object({
  log: z.object({ size: count, root: z.string(), recorded_at: text }),
  contents: z.object({
    runs: count,
    cases: count,
    documents_bytes: count,
    cache_entries: count,
    cache_bytes: count,
    database_bytes: count,
  }),
  read_tables: z.array(ReadModel),
  last: z.object({ start: Record.nullable(), rebuild: Record.nullable(), cache_prune: Record.nullable() }),
})
export type StoreFacts = z.infer<typeof StoreFacts>

/** This process and its store: what an admin needs to know, and no secret. */
export const Server = z
  .object({
    version: z.string(),
    instance: z.string(),
    node_version: z.string(),
    started_at: z.string(),
    uptime_ms: count,
    memory_bytes: count,
    auth_mode: z.enum(['open', 'protect-writes', 'closed']),
    public_url: z.string().nullable(),
    storage: z.object({
      kind: z.enum(['sqlite', 'postgres']),
      location: z.string(),
      free_bytes: count.nullable(),
      schema: count,
    }),
    object_store: z
      .object({ location: z.string(), is_up: z.boolean(), objects_pending: count, documents_pending: count })
      .nullable()
      .meta({
        description:
          'The bucket of large parts; null if they are in files or in the database. Objects are pending until their bytes are removed, and documents until they are moved there',
      }),
    retention: z.object({
      run_max_age_days: z.number().nullable(),
      cache_max_age_days: count,
      cache_max_bytes: count,
      cache_max_entry_bytes: count,
      sweep_empty_reasons: z.array(z.string()),
    }),
    ...StoreFacts.shape,
    contents: StoreFacts.shape.contents
      .extend({ part_bytes: PartBytes, part_bytes_counted_at: z.string() })
      .meta({ description: 'The bytes of parts are counted at most every ten minutes; all else is of now' }),
  })
  .meta({ id: 'Server' })
export type Server = z.infer<typeof Server>

const Runs = z.object({ runs: count, cases: count, documents_bytes: count })
const Bytes = z.object({ bytes: count })
const ReadTable = z.object({ name: z.string(), version: count, rebuilt_to: count })

const findRuns: Query<z.infer<typeof Runs>> = one(
  sql.type(Runs)`
    SELECT count(*) AS runs, coalesce(sum(case_count), 0) AS cases, coalesce(sum(document_bytes), 0) AS documents_bytes
    FROM runs`,
)

/** On SQLite the size of the file, without its write-ahead log. */
const findDatabaseBytes: Query<number> = mapped(
  one(
    perDialect(
      sql.type(Bytes)`
        SELECT pages.page_count * sizes.page_size AS bytes
        FROM pragma_page_count pages, pragma_page_size sizes`,
      sql.type(Bytes)`SELECT pg_database_size(current_database()) AS bytes`,
    ),
  ),
  ({ bytes }) => bytes,
)

/** The read models, and the record up to which their last rebuild replayed the log; each commit updates them. */
const listReadTables: Query<Array<z.infer<typeof ReadTable>>> = any(
  sql.type(ReadTable)`
    SELECT name, version, position AS rebuilt_to FROM projections WHERE name <> ${TREE.name} ORDER BY name`,
)

const Building = z.object({ models: z.string().nullable(), position: count })

/** The read models that are being built, and the record up to which they are built. */
const findBuilding = maybeOne(sql.type(Building)`SELECT models, position FROM rebuilds WHERE one = 1`)

/** A read model of this build. */
export type ModelVersion = Pick<Model, 'name' | 'version' | 'readableFrom'>

const readModels = (
  models: readonly ModelVersion[],
  stored: ReadonlyArray<z.infer<typeof ReadTable>>,
  building: z.infer<typeof Building> | null,
): Array<z.infer<typeof ReadModel>> => {
  const names = JSON.parse(building?.models ?? '[]') as string[]
  return models
    .map((model) => {
      const { name } = model
      const { version, rebuilt_to } = stored.find((table) => table.name === name) ?? { version: null, rebuilt_to: 0 }
      const isBuilt = names.includes(name)
      const state = isBuilt && version !== null ? ('building' as const) : modelState(model, version)
      return { name, version, rebuilt_to, state, built: isBuilt ? (building?.position ?? null) : null }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const lastRecord = (record: LogRecord | null): z.infer<typeof Record> | null => {
  if (!record) return null
  const data = recordedOf(record)?.data as { [field: string]: unknown } | undefined
  return { seq: record.seq, recorded_at: rfc3339(record.recorded_at), data: data ?? null }
}

/** On PostgreSQL the cache is in the same database, and its size is counted there already. */
const storeSize = (dialect: Dialect, store: number, cache: number): number =>
  dialect === 'sqlite' ? store + cache : store

/** Facts about the whole store. Counts include restricted sets, so there are none for a viewer who does not see them. */
export const findStoreFacts = async (
  reader: Reader,
  cache: Reader,
  { sees_all }: Viewer,
  models: readonly ModelVersion[],
): Promise<StoreFacts | null> => {
  if (!sees_all) return null
  const { head, runs, bytes, tables, building, start, rebuild, prune } = await reader.readAll({
    head: findHead,
    runs: findRuns,
    bytes: findDatabaseBytes,
    tables: listReadTables,
    building: findBuilding,
    start: findNewestRecord('Started'),
    rebuild: findNewestRecord('ProjectionRebuilt'),
    prune: findNewestRecord('CachePruned'),
  })
  const stored = await cache.readAll({
    entries: findTotal('entries'),
    bytes: findTotal('bytes'),
    file: findDatabaseBytes,
  })
  return {
    log: {
      size: head.size,
      root: head.root.toString('hex'),
      recorded_at: head.size === 0 ? null : rfc3339(head.recorded_at),
    },
    contents: {
      ...runs,
      cache_entries: stored.entries,
      cache_bytes: stored.bytes,
      database_bytes: storeSize(reader.dialect, bytes, stored.file),
    },
    read_tables: readModels(models, tables, building),
    last: { start: lastRecord(start), rebuild: lastRecord(rebuild), cache_prune: lastRecord(prune) },
  }
}
