import { commands } from '../../commands/index.ts'
import { project, projections } from '../../projections/index.ts'
import type { AnyCommand } from '../../storage/command.ts'
import { groupCommit } from '../../storage/commit/group-commit.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { openPostgresWriter } from '../../storage/postgres/storage.ts'
import { prepareDatabase } from './prepare-database.ts'
import type { OpenedWriter, WriterOptions } from './write-side.ts'

/**
 * Everything that writes to a PostgreSQL database, in the thread that calls it: migrates where the role may, rebuilds
 * read tables that an older build wrote, and commits in groups beside other replicas.
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
    statementTimeout: store.statementTimeout,
    checkRows,
    project,
    writes: projections,
    now,
    onCommitted,
  })
  const { commit, drained } = groupCommit({
    storage: writer,
    clock: () => performance.now(),
    yielded: () => new Promise((resolve) => setImmediate(resolve)),
  })
  return {
    commit: (name, viewer, args) =>
      commit((commands[name] as (viewer: never, args: never) => AnyCommand)(viewer as never, args)),
    head: writer.head,
    schema,
    rebuilt,
    close: async () => {
      await drained()
      await writer.close()
    },
  }
}
