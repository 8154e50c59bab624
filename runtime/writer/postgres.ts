import { lockTree, treeInDatabase } from '../../maintenance/rebuild/tree-postgres.ts'
import { COPIED } from '../../maintenance/copy/tables.ts'
import { project, projections, readTables } from '../../projections/index.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { checkHasSessions, wipeTables, withSession } from '../../storage/postgres/session.ts'
import { openPostgresWriter } from '../../storage/postgres/storage.ts'
import { prepareDatabase } from './prepare-database.ts'
import { withGroupCommit } from './writer.ts'
import type { OpenedWriter, TreeAccess, WriterOptions } from './writer.ts'

/** Every table that an erasure, or the deletion before it, deletes rows of: all that are not derived, and the read tables. */
const WIPED: readonly string[] = ['event_bodies', ...COPIED.map(({ name }) => name), ...readTables]

/**
 * Opens the writer of a PostgreSQL database in the calling thread: applies missing migrations, and rebuilds read tables
 * that an older build wrote. Throws `SchemaMismatch` if migrations are missing and the role may not apply them. Other
 * replicas may write concurrently.
 */
export const openWriterOnPostgres = async (
  store: DatabaseStore,
  {
    now,
    onCommitted,
    onMigrated = () => {},
    onRebuild = () => {},
    log,
    checkRows = false,
    isNew = false,
  }: WriterOptions,
): Promise<OpenedWriter> => {
  const { schema, rebuilt } = isNew
    ? { schema: migrationsOf('service', 'postgres').length, rebuilt: [] }
    : await prepareDatabase(store, { now, log, onMigrated, onRebuild })
  const writer = await openPostgresWriter({
    url: store.url,
    connections: 2,
    statementTimeoutMs: store.statementTimeoutMs,
    checkRows,
    project,
    writes: projections,
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
  return {
    ...withGroupCommit(writer, writer.close),
    head: writer.head,
    wipe: () => wipeTables(store.url, WIPED),
    schema,
    rebuilt,
    tree,
  }
}
