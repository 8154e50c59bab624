import { lockTree, treeInDatabase } from '../../maintenance/rebuild/tree-postgres.ts'
import { COPIED } from '../../maintenance/copy/tables.ts'
import { beginDatabaseBuild } from '../../maintenance/rebuild/postgres.ts'
import { releaseRebuild, renewRebuild } from '../../maintenance/rebuild/progress.ts'
import { readTables } from '../../projections/index.ts'
import { listReadModels, missingModels, projectFor } from '../../projections/models.ts'
import { runAsync } from '../../storage/commit/steps.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { checkHasSessions, wipeTables, withSession } from '../../storage/postgres/session.ts'
import { openPostgresWriter } from '../../storage/postgres/storage.ts'
import type { BuildAccess } from './build-models.ts'
import { prepareDatabase } from './prepare-database.ts'
import { withGroupCommit, type OpenedWriter, type TreeAccess, type WriterOptions } from './writer.ts'

/**
 * Every table that an erasure, or the deletion before it, deletes rows of: all that are not derived, the read tables, and the
 * outlines with their keys, which have texts of transcripts.
 */
const WIPED: readonly string[] = [
  'event_bodies',
  'outlines',
  'outline_keys',
  ...COPIED.map(({ name }) => name),
  ...readTables,
]

/**
 * Opens the writer of a PostgreSQL database in the calling thread: applies missing migrations, and builds the read models
 * that must be current before. Throws `SchemaMismatch` if migrations are missing and the role may not apply them. Other
 * replicas may write concurrently.
 */
export const openWriterOnPostgres = async (
  store: DatabaseStore,
  {
    now,
    onCommitted,
    onMigrated = () => {},
    log,
    checkRows = false,
    isNew = false,
    instance,
    openBatchReader,
    missing,
  }: WriterOptions,
): Promise<OpenedWriter> => {
  const { schema, rebuilt } = isNew
    ? { schema: migrationsOf('service', 'postgres').length, rebuilt: [] }
    : await prepareDatabase(store, { now, log, onMigrated, inBackground: openBatchReader !== undefined })
  const writer = await openPostgresWriter({
    url: store.url,
    connections: 2,
    statementTimeoutMs: store.statementTimeoutMs,
    checkRows,
    projectFor,
    ...(missing ? { checkRead: missing.check } : {}),
    now,
    onCommitted,
  })
  const tree: TreeAccess = {
    read: writer.read,
    withTree: async (signal, work) => {
      checkHasSessions(store.url, 'the tree of the log, which lacks nodes of an earlier version,')
      return withSession(store.url, async (session) => {
        if (await lockTree(session, signal)) await work(treeInDatabase(session))
      })
    },
  }
  missing?.set(missingModels(await writer.read(listReadModels)))
  const { url } = store
  const builds: BuildAccess = {
    listStored: () => writer.read(listReadModels),
    withBuild: (models, _signal, work) =>
      withSession(url, async (session) => {
        const renew = (): Promise<void> =>
          writer.pool.withConnection((connection) => runAsync(renewRebuild(instance), connection))
        const build = await beginDatabaseBuild(session, instance, { models, renew })
        if (!build) return
        try {
          await work(build)
        } finally {
          await session.run(releaseRebuild(instance))
        }
      }),
    removeReplaced: () => false,
  }
  return {
    ...withGroupCommit(writer, writer.close, { bucket: store.bucket, now }),
    head: writer.head,
    wipe: () => wipeTables(store.url, WIPED),
    schema,
    rebuilt,
    tree,
    builds,
  }
}
