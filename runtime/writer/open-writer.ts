import { commands } from '../../commands/index.ts'
import { rebuildTables, unfinishedRebuild } from '../../maintenance/rebuild/sqlite.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkHeadFile } from '../../maintenance/verify/head-file.ts'
import { checkFileSchema } from '../../maintenance/verify/schema.ts'
import { project, projections } from '../../projections/index.ts'
import { listActive, markCurrent, outdatedProjections } from '../../projections/replay.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { AnyCommand } from '../../storage/command.ts'
import { groupCommit } from '../../storage/commit/group-commit.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import type { Store } from '../../storage/open/reader.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import { asDamage } from '../../storage/sqlite/damage.ts'
import { headFileOf, openHeadFile } from '../../storage/sqlite/head-file.ts'
import { migrateSqlite } from '../../storage/sqlite/migrate.ts'
import { openSqliteWriter } from '../../storage/sqlite/storage.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import type { SqliteWriterOptions, Opened, OpenedWriter, Rebuilt, Writer, WriterOptions } from './write-side.ts'

/** Everything that writes to a store, in the thread that calls it. */
export const openWriter = async (store: Store, options: WriterOptions): Promise<Writer> => {
  const { commit, rebuilt, ...side } = await (store.kind === 'sqlite'
    ? openWriterOnSqlite({ ...options, file: store.file })
    : (await import('./postgres.ts')).openWriterOnPostgres(store, options))
  if (rebuilt.length > 0) await commit('recordRebuild', SYSTEM, { instance: options.instance, rebuilt } as never)
  return { ...side, commit }
}

/**
 * Everything that writes to a SQLite file, in the thread that calls it: checks the log against the head file and the
 * schema, migrates, opens the only read-write connection, rebuilds read tables that another version of this build
 * wrote, and commits in groups.
 */
export const openWriterOnSqlite = async ({
  file,
  instance,
  now,
  onCommitted,
  onMigrated = () => {},
  onRebuild = () => {},
  log,
  checkRows = false,
  isNew = false,
  asTheyAre = false,
}: WriterOptions & SqliteWriterOptions): Promise<OpenedWriter & { readonly writer: SqliteWriter }> => {
  const open = (): Opened => {
    // Before anything is written: what is missing from the store can still be put back then.
    checkHeadFile(file)
    const schema = isNew ? migrationsOf('service', 'sqlite').length : migrate(file, { now, log })
    const headFile = openHeadFile(headFileOf(file), {
      onFailure: (error) => log('the head file cannot be written', { error: String(error) }),
    })
    const committed: WriterOptions['onCommitted'] = (head, recorded) => {
      headFile.note(head)
      onCommitted(head, recorded)
    }
    const writer = openSqliteWriter({ file, project, now, instance, onCommitted: committed, checkRows })
    const close = (): void => {
      writer.close()
      headFile.close()
    }
    try {
      onMigrated()
      const rebuilt = asTheyAre ? [] : bringUpToDate(writer, { log, onRebuild })
      committed(writer.head(), [])
      return { schema, writer, rebuilt, close }
    } catch (error) {
      close()
      throw error
    }
  }
  const { schema, writer, rebuilt, close } = asDamage(file, open)
  const { commit, drained } = groupCommit({
    storage: writer,
    clock: () => performance.now(),
    yielded: () => new Promise((resolve) => setImmediate(resolve)),
  })
  return {
    commit: (name, viewer, args) =>
      commit((commands[name] as (viewer: Viewer, args: never) => AnyCommand)(viewer, args)),
    head: writer.head,
    schema,
    rebuilt,
    writer,
    close: async () => {
      await drained()
      close()
    },
  }
}

const migrate = (file: string, { now, log }: Pick<WriterOptions, 'now' | 'log'>): number => {
  const connection = connect(file, { readonly: false })
  try {
    // Before the first write: what was planted in the schema would act on it.
    checkFileSchema(connection, file, log)
    return migrateSqlite(connection, 'service', now)
  } finally {
    connection.close()
  }
}

/** Rebuilds what another version of this build wrote; answers which read models, for the record. */
const bringUpToDate = (
  writer: SqliteWriter,
  { log, onRebuild }: Pick<WriterOptions, 'log'> & { readonly onRebuild: () => void },
): Rebuilt => {
  const old = outdatedProjections(writer.read(listActive))
  if (old.length === 0) {
    const unfinished = unfinishedRebuild(writer)
    if (unfinished) log('a rebuild was begun and not finished; "ers rebuild" goes on with it', unfinished)
    return []
  }
  // An empty log has nothing to replay: the tables are current as they are.
  if (writer.head().size === 0) {
    writer.exclusively(() => {
      for (const each of markCurrent(0)) writer.connection.run(each)
    })
    return []
  }
  onRebuild()
  log('rebuilding read tables of another version', { projections: old })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('rebuilding', { done, of }),
  )
  const position = rebuildTables(writer, { progress })
  return projections.map(({ name, version }) => ({ name, version, position }))
}
