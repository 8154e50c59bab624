import { commands } from '../commands/index.ts'
import type { CommandName } from '../commands/index.ts'
import { project, projections } from '../projections/index.ts'
import { markCurrent, outdated, rebuild } from '../projections/replay.ts'
import { SYSTEM } from '../queries/viewer.ts'
import type { Viewer } from '../queries/viewer.ts'
import { groupCommit } from '../storage/group-commit.ts'
import { migrateSqlite } from '../storage/migrate.ts'
import { connect } from '../storage/sqlite-connection.ts'
import { openSqliteWriter } from '../storage/sqlite.ts'
import type { SqliteWriter } from '../storage/sqlite.ts'
import type { AnyCommand, Head } from '../storage/storage.ts'

export type WriteSideOptions = {
  readonly file: string
  readonly instance: string
  readonly now: () => number
  readonly onCommitted: (head: Head) => void
  /** Called once the schema is current: from here on the store can be read, though not yet answered from. */
  readonly onMigrated?: () => void
  /** Told what a start does before it is ready. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly checkRows?: boolean
}

export type WriteSide = {
  readonly commit: (name: CommandName, viewer: Viewer, args: never) => Promise<unknown>
  readonly head: () => Head
  readonly schema: number
  readonly writer: SqliteWriter
  readonly close: () => Promise<void>
}

/**
 * Everything that writes, in the thread that calls it: migrates, opens the only read-write connection, rebuilds read
 * tables that another version of this build wrote, and commits in groups.
 */
export const openWriteSide = async ({ file, instance, now, onCommitted, onMigrated = () => {}, log, checkRows = false }: WriteSideOptions): Promise<WriteSide> => {
  const schema = migrate(file, now)
  const writer = openSqliteWriter({ file, project, now, instance, onCommitted, checkRows })
  onMigrated()
  const rebuilt = bringUpToDate(writer, log)
  onCommitted(writer.head())
  const { commit, drained } = groupCommit({
    storage: writer,
    clock: () => performance.now(),
    yielded: () => new Promise((resolve) => setImmediate(resolve)),
  })
  if (rebuilt.length > 0) await commit(commands.recordRebuild(SYSTEM, { instance, rebuilt }))
  return {
    commit: (name, viewer, args) => commit((commands[name] as (viewer: Viewer, args: never) => AnyCommand)(viewer, args)),
    head: writer.head,
    schema,
    writer,
    close: async () => {
      await drained()
      writer.close()
    },
  }
}

const migrate = (file: string, now: () => number): number => {
  const connection = connect(file, { readonly: false })
  try {
    return migrateSqlite(connection, 'service', now)
  } finally {
    connection.close()
  }
}

/** Rebuilds what another version of this build wrote; answers which read models, for the record. */
const bringUpToDate = (writer: SqliteWriter, log: WriteSideOptions['log']): Array<{ name: string; version: number; position: number }> => {
  const old = outdated(writer.read)
  if (old.length === 0) return []
  // An empty log has nothing to replay: the tables are current as they are.
  if (writer.head().size === 0) {
    writer.exclusively(() => markCurrent(writer.connection.run, 0))
    return []
  }
  log('rebuilding read tables of another version', { projections: old })
  const position = writer.exclusively(() => rebuild(writer.connection, (done, of) => log('rebuilding', { done, of })))
  return projections.map(({ name, version }) => ({ name, version, position }))
}
