import { isHalfCopied } from '../../maintenance/copy/tables.ts'
import { rebuildDatabase } from '../../maintenance/rebuild/postgres.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkDatabaseSchema } from '../../maintenance/verify/schema.ts'
import { projections } from '../../projections/index.ts'
import { listReadModels, markCurrent, newerProjections, outdatedProjections } from '../../projections/replay.ts'
import { SchemaMismatch, Superseded } from '../../storage/errors.ts'
import { findHead } from '../../storage/log/head.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { migrateDatabase } from '../../storage/postgres/migrate.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { checkHasSessions, inTransaction, withSession } from '../../storage/postgres/session.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import type { Rebuilt, WriterOptions } from './writer.ts'

type Options = Pick<WriterOptions, 'now' | 'log'> & {
  readonly onMigrated: () => void
  readonly onRebuild: () => void
}

/**
 * Brings the schema and the read tables of a database up to date; other replicas may do so concurrently. Throws
 * `SchemaMismatch` if the role may not migrate, or if a copy into the database is unfinished. Throws `Superseded` if a
 * newer build wrote the read tables, and `SchemaAltered` if the schema is not what the migrations create.
 */
export const prepareDatabase = async (
  { url }: DatabaseStore,
  { now, log, onMigrated, onRebuild }: Options,
): Promise<{ readonly schema: number; readonly rebuilt: Rebuilt }> => {
  const schema = await migrateDatabase(url, { now })
  return withSession(url, async (session) => {
    await rejectUnfinishedCopy(session)
    await checkDatabaseSchema(session, url, log)
    onMigrated()
    const beforeRebuild = (): void => {
      checkHasSessions(url, 'the rebuild of the read tables')
      onRebuild()
    }
    return { schema, rebuilt: await bringUpToDate(session, { log, onRebuild: beforeRebuild }) }
  })
}

const rejectUnfinishedCopy = async ({ read }: PostgresConnection): Promise<void> => {
  if (await read(isHalfCopied))
    throw new SchemaMismatch(
      'a state directory is being copied into this database: let "ers migrate" finish, or drop the database',
    )
}

/** Rebuilds the read tables that an older build wrote. Returns the rebuilt read models, which the caller records. */
const bringUpToDate = async (
  session: PostgresConnection,
  { log, onRebuild }: Pick<Options, 'log' | 'onRebuild'>,
): Promise<Rebuilt> => {
  const active = await session.read(listReadModels)
  const newer = newerProjections(active)
  if (newer.length > 0)
    throw new Superseded(`the read tables of ${newer.join(', ')} were written by a newer build than this one`)
  const outdated = outdatedProjections(active)
  if (outdated.length === 0 || (await markCurrentIfEmpty(session))) return []
  onRebuild()
  log('rebuilding read tables of another version', { projections: outdated })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('rebuilding', { done, of }),
  )
  const position = await rebuildDatabase(session, { progress, ifOutdated: true })
  // Another replica has rebuilt them meanwhile.
  if (position === null) return bringUpToDate(session, { log, onRebuild })
  return projections.map(({ name, version }) => ({ name, version, position }))
}

/** Marks the tables current if the log is empty, since there is nothing to replay. Returns whether it is empty. */
const markCurrentIfEmpty = (session: PostgresConnection): Promise<boolean> =>
  inTransaction(session, BEGIN, async () => {
    await session.run(TAKE_LOG)
    if ((await session.read(findHead)).size > 0) return false
    for (const statement of markCurrent(0)) await session.run(statement)
    return true
  })
