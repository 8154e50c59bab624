import { isHalfCopied } from '../../maintenance/copy/tables.ts'
import { rebuildDatabase, rejectNewer } from '../../maintenance/rebuild/postgres.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkDatabaseSchema } from '../../maintenance/verify/schema.ts'
import { listReadModels, markCurrent, outdatedModels } from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import { SchemaMismatch } from '../../storage/errors.ts'
import { findHead } from '../../storage/log/head.ts'
import { fetchMoved } from '../../storage/objects/moved-documents.ts'
import { objectsWithBucket } from '../../storage/open/objects.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { migrateDatabase } from '../../storage/postgres/migrate.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction, withSession } from '../../storage/postgres/session.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import type { WriterOptions } from './writer.ts'
import { modelsToBuild, type Rebuilt } from './build-models.ts'

type Options = Pick<WriterOptions, 'now' | 'log'> & {
  readonly onMigrated: () => void
  /** Whether read models are built in the background once the writer is open. */
  readonly inBackground: boolean
}

/**
 * Brings the schema of a database up to date, and the read models that must be current before the writer is open; other replicas may do so concurrently. Throws
 * `SchemaMismatch` if the role may not migrate, or if a copy into the database is unfinished. Throws `Superseded` if a
 * newer build wrote the read tables, and `SchemaAltered` if the schema is not what the migrations create.
 */
export const prepareDatabase = async (
  { url, bucket }: DatabaseStore,
  { now, log, onMigrated, inBackground }: Options,
): Promise<{ readonly schema: number; readonly rebuilt: Rebuilt }> => {
  const schema = await migrateDatabase(url, { now })
  return withSession(url, async (session) => {
    await rejectUnfinishedCopy(session)
    await checkDatabaseSchema(session, url, log)
    onMigrated()
    return { schema, rebuilt: await bringUpToDate(session, { log, inBackground, bucket }) }
  })
}

const rejectUnfinishedCopy = async ({ read }: PostgresConnection): Promise<void> => {
  if (await read(isHalfCopied))
    throw new SchemaMismatch(
      'a state directory is being copied into this database: let "ers migrate" finish, or drop the database',
    )
}

/** Builds the read models that must be current before the writer is open. Returns them; the caller records them. */
const bringUpToDate = async (
  session: PostgresConnection,
  { log, inBackground, bucket }: Pick<Options, 'log' | 'inBackground'> & Pick<DatabaseStore, 'bucket'>,
): Promise<Rebuilt> => {
  const listModels = async (): Promise<Projection[]> => {
    const stored = await session.read(listReadModels)
    rejectNewer(stored)
    return modelsToBuild(stored, inBackground)
  }
  const isOutdated = outdatedModels(await session.read(listReadModels)).length > 0
  const models = await listModels()
  if (isOutdated && (await markCurrentIfEmpty(session))) return []
  if (models.length === 0) return []
  log('building read models before the start', { models: models.map(({ name }) => name) })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('building read models', { done, of }),
  )
  const isNeeded = async (): Promise<boolean> => (await listModels()).length > 0
  const moved = fetchMoved({ ...session, readObject: objectsWithBucket(session, bucket) })
  const position = await rebuildDatabase(session, { models, progress, isNeeded, moved })
  // Another replica has built them meanwhile.
  if (position === null) return bringUpToDate(session, { log, inBackground, bucket })
  return models.map(({ name, version }) => ({ name, version, position }))
}

/** Marks the tables current if the log is empty, since there is nothing to replay. Returns whether it is empty. */
const markCurrentIfEmpty = (session: PostgresConnection): Promise<boolean> =>
  inTransaction(session, BEGIN, async () => {
    await session.run(TAKE_LOG)
    if ((await session.read(findHead)).size > 0) return false
    for (const statement of markCurrent(0)) await session.run(statement)
    return true
  })
