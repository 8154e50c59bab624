import { rebuildWithMoved, unfinishedRebuild } from '../../maintenance/rebuild/sqlite.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkFileSchema } from '../../maintenance/verify/schema.ts'
import { listReadModels, markCurrent, outdatedModels } from '../../projections/models.ts'
import { fetchMoved } from '../../storage/objects/moved-documents.ts'
import { objectsWithBucket } from '../../storage/open/objects.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../storage/sqlite/migrate.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import type { WriterOptions } from './writer.ts'
import { modelsToBuild, type Rebuilt } from './build-models.ts'

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

/** Builds the read models that must be current before the writer is open. Returns them, to be recorded. */
export const bringUpToDate = async (
  writer: SqliteWriter,
  { log, bucket, inBackground }: Pick<WriterOptions, 'log' | 'bucket'> & { readonly inBackground: boolean },
): Promise<Rebuilt> => {
  const stored = writer.read(listReadModels)
  if (outdatedModels(stored).length === 0) {
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
  const models = modelsToBuild(stored, inBackground)
  if (models.length === 0) return []
  log('building read models before the start', { models: models.map(({ name }) => name) })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('building read models', { done, of }),
  )
  const moved = fetchMoved({ read: writer.read, readObject: objectsWithBucket({ read: writer.read }, bucket) })
  const position = await rebuildWithMoved(writer, { models, progress, moved })
  return models.map(({ name, version }) => ({ name, version, position }))
}
