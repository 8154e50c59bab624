import { rebuildTables, unfinishedRebuild } from '../../maintenance/rebuild/sqlite.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkFileSchema } from '../../maintenance/verify/schema.ts'
import { projections } from '../../projections/index.ts'
import { listReadModels, markCurrent, outdatedProjections } from '../../projections/replay.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../storage/sqlite/migrate.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import type { Rebuilt, WriterOptions } from './writer.ts'

export const migrate = (file: string, { now, log }: Pick<WriterOptions, 'now' | 'log'>): number => {
  const connection = connect(file, { readonly: false })
  try {
    // Before the first write, because that write would run a trigger that was planted in the schema.
    checkFileSchema(connection, file, log)
    return migrateSqlite(connection, 'service', now)
  } finally {
    connection.close()
  }
}

/** Rebuilds the read tables that another version wrote. Returns the rebuilt read models, to be recorded. */
export const bringUpToDate = (
  writer: SqliteWriter,
  { log, onRebuild }: Pick<WriterOptions, 'log'> & { readonly onRebuild: () => void },
): Rebuilt => {
  const outdated = outdatedProjections(writer.read(listReadModels))
  if (outdated.length === 0) {
    const unfinished = unfinishedRebuild(writer)
    if (unfinished) log('a rebuild was interrupted; "ers rebuild" resumes it', unfinished)
    return []
  }
  // An empty log has nothing to replay: the tables are current as they are.
  if (writer.head().size === 0) {
    writer.exclusively(() => {
      for (const statement of markCurrent(0)) writer.connection.run(statement)
    })
    return []
  }
  onRebuild()
  log('rebuilding read tables of another version', { projections: outdated })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('rebuilding', { done, of }),
  )
  const position = rebuildTables(writer, { progress })
  return projections.map(({ name, version }) => ({ name, version, position }))
}
