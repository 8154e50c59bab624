import { isHalfCopied } from '../../maintenance/copy/tables.ts'
import { rebuildDatabase } from '../../maintenance/rebuild/postgres.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { checkDatabaseSchema } from '../../maintenance/verify/schema.ts'
import { projections } from '../../projections/index.ts'
import { listActive, markCurrent, newerThanThisBuild, outdatedProjections } from '../../projections/replay.ts'
import { SchemaMismatch, Superseded } from '../../storage/errors.ts'
import { findHead } from '../../storage/log/head.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { migrateDatabase } from '../../storage/postgres/migrate.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction, withSession } from '../../storage/postgres/session.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import type { Rebuilt, WriterOptions } from './writer.ts'

type Options = Pick<WriterOptions, 'now' | 'log'> & {
  readonly onMigrated: () => void
  readonly onRebuild: () => void
}

/**
 * Brings schema and read tables of a database up to date, beside other replicas that do the same. Throws `SchemaMismatch` where
 * the role may not, or a copy into the database was never finished; `SchemaAltered`; `Superseded` where a newer build
 * wrote the read tables.
 */
export const prepareDatabase = async (
  { url }: DatabaseStore,
  { now, log, onMigrated, onRebuild }: Options,
): Promise<{ readonly schema: number; readonly rebuilt: Rebuilt }> => {
  const schema = await migrateDatabase(url, { now })
  return withSession(url, async (session) => {
    await refuseHalfCopied(session)
    await checkDatabaseSchema(session, url, log)
    onMigrated()
    return { schema, rebuilt: await bringUpToDate(session, { log, onRebuild }) }
  })
}

const refuseHalfCopied = async ({ read }: PostgresConnection): Promise<void> => {
  if (await read(isHalfCopied))
    throw new SchemaMismatch(
      'a state directory is being copied into this database: let "ers migrate" finish, or drop the database',
    )
}

/** Rebuilds what an older build wrote; answers which read models, for the record. */
const bringUpToDate = async (
  session: PostgresConnection,
  { log, onRebuild }: Pick<Options, 'log' | 'onRebuild'>,
): Promise<Rebuilt> => {
  const active = await session.read(listActive)
  const newer = newerThanThisBuild(active)
  if (newer.length > 0)
    throw new Superseded(`the read tables of ${newer.join(', ')} were written by a newer build than this one`)
  const old = outdatedProjections(active)
  if (old.length === 0 || (await markEmpty(session))) return []
  onRebuild()
  log('rebuilding read tables of another version', { projections: old })
  const progress = throttled(
    () => performance.now(),
    ({ position: done, size: of }) => log('rebuilding', { done, of }),
  )
  const position = await rebuildDatabase(session, { progress, ifOutdated: true })
  // Another replica was first.
  if (position === null) return bringUpToDate(session, { log, onRebuild })
  return projections.map(({ name, version }) => ({ name, version, position }))
}

/** An empty log has nothing to replay: the tables are current as they are. Answers whether it is empty. */
const markEmpty = (session: PostgresConnection): Promise<boolean> =>
  inTransaction(session, BEGIN, async () => {
    await session.run(TAKE_LOG)
    if ((await session.read(findHead)).size > 0) return false
    for (const each of markCurrent(0)) await session.run(each)
    return true
  })
