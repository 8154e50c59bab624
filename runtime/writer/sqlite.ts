import { setImmediate as turn } from 'node:timers/promises'
import { beginFileBuild, removeReplaced } from '../../maintenance/rebuild/sqlite.ts'
import { treeInFile } from '../../maintenance/rebuild/tree-sqlite.ts'
import { checkHeadFile } from '../../maintenance/verify/head-file.ts'
import { project, projections } from '../../projections/index.ts'
import { listReadModels, missingModels } from '../../projections/models.ts'
import type { Recorded } from '../../storage/command.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import { asDamageLater } from '../../storage/sqlite/damage.ts'
import { headFileOf, openHeadFile } from '../../storage/sqlite/head-file.ts'
import { openReserve } from '../../storage/sqlite/reserve.ts'
import { openSqliteWriter, type SqliteWriter } from '../../storage/sqlite/storage.ts'
import { wipeFile } from '../../storage/sqlite/wipe.ts'
import type { Statement } from '../../storage/storage.ts'
import type { BuildAccess, Rebuilt } from './build-models.ts'
import type { Swapped } from '../../maintenance/rebuild/build.ts'
import { bringUpToDate, migrate } from './prepare-file.ts'
import { withGroupCommit, type OpenedWriter, type TreeAccess, type WriterOptions } from './writer.ts'

type SqliteWriterOptions = {
  readonly file: string
  /** Leaves read tables of another version as they are: for a rebuild, which recreates them anyway. */
  readonly skipRebuild?: boolean
}

type Opened = {
  readonly schema: number
  readonly writer: SqliteWriter
  readonly rebuilt: Rebuilt
  readonly close: () => void
}

/**
 * Opens the writer of a SQLite file in the calling thread: checks the log against the head file, checks and migrates
 * the schema, opens the only read-write connection, and builds the read models that must be current before.
 */
export const openWriterOnSqlite = async ({
  file,
  instance,
  now,
  onCommitted,
  onMigrated = () => {},
  log,
  checkRows = false,
  isNew = false,
  hasReserve = false,
  skipRebuild = false,
  openBatchReader,
  missing,
  bucket,
}: WriterOptions & SqliteWriterOptions): Promise<OpenedWriter & { readonly writer: SqliteWriter }> => {
  let projectStored: (recorded: Recorded) => Iterable<Statement> = project
  /** From the next commit on, rows are written of the read models that have tables now. */
  const useStored = ({ read }: SqliteWriter): void => {
    const without = missingModels(read(listReadModels))
    const written = projections.filter((model) => !without.includes(model))
    projectStored = (recorded) => project(recorded, written)
    missing?.set(without)
  }
  const open = async (): Promise<Opened> => {
    // Before the first write: as long as nothing is written, records missing from the log can still be restored.
    checkHeadFile(file)
    const schema = isNew ? migrationsOf('service', 'sqlite').length : migrate(file, { now, log })
    const headFile = openHeadFile(headFileOf(file), {
      onFailure: (error) => log('the head file cannot be written', { error: String(error) }),
    })
    const noteCommit: WriterOptions['onCommitted'] = (head, recorded) => {
      headFile.note(head)
      onCommitted(head, recorded)
    }
    const reserve = hasReserve ? openReserve(file) : null
    const writer = openSqliteWriter({
      file,
      reserve,
      project: (recorded) => projectStored(recorded),
      ...(missing ? { checkRead: missing.check } : {}),
      now,
      instance,
      onCommitted: noteCommit,
      checkRows,
    })
    const close = (): void => {
      writer.close()
      headFile.close()
    }
    try {
      onMigrated()
      const rebuilt = skipRebuild
        ? []
        : await bringUpToDate(writer, { log, bucket, inBackground: openBatchReader !== undefined })
      useStored(writer)
      noteCommit(writer.head(), [])
      return { schema, writer, rebuilt, close }
    } catch (error) {
      close()
      throw error
    }
  }
  const { schema, writer, rebuilt, close } = await asDamageLater(file, open)
  const store = treeInFile(writer)
  const tree: TreeAccess = { read: store.read, withTree: (_signal, work) => work(store) }
  return {
    ...withGroupCommit(writer, close, { bucket, now }),
    head: writer.head,
    wipe: () => wipeFile(writer),
    schema,
    rebuilt,
    tree,
    builds: buildsIn(writer, useStored),
    writer,
  }
}

/** The builds of an open file. `onSwapped` is called in the same turn as the swap, before the next commit. */
const buildsIn = (writer: SqliteWriter, onSwapped: (writer: SqliteWriter) => void): BuildAccess => ({
  listStored: async () => writer.read(listReadModels),
  withBuild: async (models, signal, work) => {
    for (;;) {
      const build = beginFileBuild(writer, { models, isLive: true })
      if (build) {
        const swap = (): Swapped | null => {
          const swapped = build.swap()
          if (swapped !== null) onSwapped(writer)
          return swapped
        }
        return work({ ...build, swap })
      }
      await turn()
      if (signal.aborted) return
    }
  },
  removeReplaced: () => removeReplaced(writer),
})
