import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { ulid } from 'ulid'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { rebuildWithMoved } from '../../maintenance/rebuild/sqlite.ts'
import { treeInFile } from '../../maintenance/rebuild/tree-sqlite.ts'
import { rebuildTree } from '../../maintenance/rebuild/tree.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { checkDatabaseSchema } from '../../maintenance/verify/schema.ts'
import { projections } from '../../projections/index.ts'
import { withRelated } from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { openService } from '../../runtime/open-service.ts'
import { openWriterOnSqlite } from '../../runtime/writer/sqlite.ts'
import type { Rebuilt } from '../../runtime/writer/build-models.ts'
import { fetchMoved } from '../../storage/objects/moved-documents.ts'
import { isShared } from '../../storage/open/reader.ts'
import { takeStateDirectory } from '../../storage/sqlite/instance-lock.ts'
import { namedObjects } from './named-bucket.ts'
import {
  namedStore,
  onStore,
  withStore,
  type StoreSelection,
  type NamedDatabase,
  type NamedStore,
} from './store-options.ts'

export const rebuildCommand = (): Command =>
  withUsageExit(
    withStore(new Command('rebuild')).option(
      '--only <models...>',
      `rebuild only these read models, and those that must be rebuilt with them: ${names(projections)}`,
    ),
  ).action(async ({ only, ...given }: StoreSelection & { readonly only?: readonly string[] }) => {
    const models = only ? namedModels(only) : projections
    const store = namedStore(given, process.env)
    const report = throttled(
      () => performance.now(),
      ({ position: done, size }) =>
        console.error(`replayed ${done} of ${size} records, ${Math.floor((100 * done) / Math.max(size, 1))} %`),
    )
    const position = await onStore(store, () =>
      isShared(store) ? rebuildShared(store, models, report) : rebuildDirectory(store, models, report),
    )
    console.log(`rebuilt ${names(models)} from ${position} records`)
  })

const names = (models: readonly Projection[]): string => models.map(({ name }) => name).join(', ')

/** Throws `UserError` for a name of no read model. */
const namedModels = (only: readonly string[]): readonly Projection[] => {
  const unknown = only.filter((each) => !projections.some(({ name }) => name === each))
  if (unknown.length > 0)
    throw new UserError(`--only: unknown read model ${unknown.join(', ')}; the read models are ${names(projections)}`)
  return withRelated(projections.filter(({ name }) => only.includes(name)))
}

const rebuiltTo = (position: number, models: readonly Projection[]): Rebuilt =>
  models.map(({ name, version }) => ({ name, version, position }))

const reportNodes = () =>
  throttled(
    () => performance.now(),
    ({ position, size }) => console.error(`computed the nodes of the log's tree for ${position} of ${size} records`),
  )

/** Rebuilds the tables and the nodes of the log's tree, and records the rebuild in the log. */
const rebuildDirectory = async (
  { dataDir, file }: Extract<NamedStore, { kind: 'sqlite' }>,
  models: readonly Projection[],
  progress: (reached: ReplayPosition) => void,
): Promise<number> => {
  // Otherwise a mistyped folder would become a new, empty store, and its rebuild would succeed.
  if (!existsSync(file)) throw new UserError(noStoreIn(dataDir))
  const release = takeStateDirectory(dataDir, Date.now)
  try {
    const instance = ulid()
    const writeSide = await openWriterOnSqlite({
      file,
      instance,
      now: Date.now,
      onCommitted: () => {},
      log: (message) => console.error(message),
      skipRebuild: true,
    })
    try {
      const { read } = writeSide.writer
      const moved = fetchMoved({ read, readObject: await namedObjects({ read }) })
      const position = await rebuildWithMoved(writeSide.writer, { models, progress, moved })
      await rebuildTree(treeInFile(writeSide.writer), { progress: reportNodes() })
      await writeSide.commit.recordRebuild(CLI, { instance, rebuilt: rebuiltTo(position, models) })
      return position
    } finally {
      await writeSide.close()
    }
  } finally {
    release()
  }
}

/** Rebuilds the tables and the nodes while replicas keep running. Replicas of another version exit at their next write. */
const rebuildShared = async (
  store: NamedDatabase,
  models: readonly Projection[],
  progress: (reached: ReplayPosition) => void,
): Promise<number> => {
  const { migrateDatabase } = await import('../../storage/postgres/migrate.ts')
  const { withSession } = await import('../../storage/postgres/session.ts')
  const { rebuildDatabase } = await import('../../maintenance/rebuild/postgres.ts')
  const { lockTree, treeInDatabase } = await import('../../maintenance/rebuild/tree-postgres.ts')
  await migrateDatabase(store.url, { now: Date.now })
  const position = await withSession(store.url, async (session) => {
    await checkDatabaseSchema(session, store.url, (message) => console.error(message))
    const moved = fetchMoved({ ...session, readObject: await namedObjects(session) })
    const position = await rebuildDatabase(session, { models, progress, moved })
    await lockTree(session)
    await rebuildTree(treeInDatabase(session), { progress: reportNodes() })
    return position
  })
  if (position === null) throw new Error('the requested rebuild was not done')
  const service = await openService({ database: store })
  try {
    await service.commit.recordRebuild(CLI, { instance: service.instance, rebuilt: rebuiltTo(position, models) })
  } finally {
    await service.close()
  }
  return position
}
