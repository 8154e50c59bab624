import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../../projections/index.ts'
import { runSync, runAsync } from '../../storage/commit/steps.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import { syncFile, syncFolder } from '../../storage/disk/replace-file.ts'
import { findHead } from '../../storage/log/head.ts'
import { migrateDatabase } from '../../storage/postgres/migrate.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction, withSession } from '../../storage/postgres/session.ts'
import { BEGIN, LOG_LOCK, TAKE_LOG } from '../../storage/postgres/storage.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { fetchMoved, type MovedDocuments } from '../../storage/objects/moved-documents.ts'
import { objectReader, type ObjectSource } from '../../storage/objects/read-object.ts'
import { statement } from '../../storage/sql.ts'
import { connect, type Connection } from '../../storage/sqlite/connection.ts'
import { asDamage } from '../../storage/sqlite/damage.ts'
import { headFileOf } from '../../storage/sqlite/head-file.ts'
import { takeStateDirectory } from '../../storage/sqlite/instance-lock.ts'
import { migrateSqlite } from '../../storage/sqlite/migrate.ts'
import { openSqliteWriter } from '../../storage/sqlite/storage.ts'
import type { Dialect } from '../../storage/storage.ts'
import { noStoreIn } from '../no-store.ts'
import { rebuildDatabase } from '../rebuild/postgres.ts'
import { rebuildWithMoved } from '../rebuild/sqlite.ts'
import { UserError } from '../user-error.ts'
import { checkHeadFile } from '../verify/head-file.ts'
import type { CopySource, CopyTarget } from './copy-store.ts'
import { countRows, isHalfCopied } from './tables.ts'

const withStateDirectory = async <T>(dataDir: string, now: () => number, work: () => Promise<T>): Promise<T> => {
  const release = takeStateDirectory(dataDir, now)
  try {
    return await work()
  } finally {
    release()
  }
}

/**
 * Opens a state directory as the source of a copy. Throws `StateDirectoryTaken` if a server uses the directory. Throws
 * `UserError` if it holds no store or its schema is not current.
 */
export const fromDirectory = async <T>(
  dataDir: string,
  now: () => number,
  work: (source: CopySource) => Promise<T>,
): Promise<T> => {
  const file = join(dataDir, 'service.db')
  if (!existsSync(file)) throw new UserError(noStoreIn(dataDir))
  return withStateDirectory(dataDir, now, async () => {
    const connection = asDamage(file, () => {
      checkHeadFile(file)
      return connect(file, { readonly: true })
    })
    const source: CopySource = {
      read: async (query) => connection.read(query),
      partsFolder: join(dataDir, PARTS_FOLDER),
    }
    try {
      await checkCurrent(source, 'sqlite')
      return await work(source)
    } finally {
      connection.close()
    }
  })
}

/**
 * Creates a state directory as the target of a copy, or resumes an interrupted one. The file gets its final name when
 * it is complete. Throws `UserError` if there is a store already.
 */
export const intoDirectory = (
  dataDir: string,
  now: () => number,
  source: CopySource,
  work: (target: CopyTarget) => Promise<void>,
  bucket: Bucket = null,
): Promise<void> =>
  withStateDirectory(dataDir, now, async () => {
    const file = join(dataDir, 'service.db')
    const part = `${file}.part`
    if (existsSync(file) || existsSync(headFileOf(file))) throw new UserError(`${dataDir} already holds a store`)
    const connection = connect(part, { readonly: false })
    try {
      migrateSqlite(connection, 'service', now)
      // An interrupted copy may already be complete. Then the file only needs its final name.
      if (!(await isComplete(connection, source))) await work(targetIn(connection, part, now, bucket))
    } finally {
      // Closing the last connection leaves one file, without a write-ahead log.
      connection.close()
    }
    syncFile(part)
    renameSync(part, file)
    rmSync(`${part}-shm`, { force: true })
    syncFolder(dataDir)
  })

const isComplete = async ({ read }: Connection, source: CopySource): Promise<boolean> => {
  if (read(isHalfCopied)) return false
  const [ours, theirs] = [read(findHead), await source.read(findHead)]
  return ours.size > 0 && ours.size === theirs.size && ours.root.equals(theirs.root)
}

const targetIn = (connection: Connection, file: string, now: () => number, bucket: Bucket): CopyTarget => ({
  dialect: 'sqlite',
  read: async (query) => connection.read(query),
  transact: async (work) => connection.database.transaction(() => runSync(work(), connection)).immediate(),
  rebuild: async (progress) => {
    const writer = openSqliteWriter({ file, project, now, instance: 'copy' })
    try {
      await rebuildWithMoved(writer, { progress, moved: movedIn(writer, bucket) })
    } finally {
      writer.close()
    }
  },
})

/** The bucket of the source: the rebuild reads documents that were moved there. */
type Bucket = NonNullable<ObjectSource['s3']> | null

const movedIn = ({ read }: Pick<ObjectSource, 'read'>, s3: Bucket): MovedDocuments =>
  fetchMoved({ read, readObject: objectReader({ read, s3 }) })

/**
 * Takes the lock that every commit needs, and holds it to the end of the session: no other process writes meanwhile.
 */
const holdLog = (session: PostgresConnection): Promise<void> =>
  session.run(statement`SELECT pg_advisory_lock(${LOG_LOCK})`)

/**
 * Opens a database as the source of a copy. During the copy, commits of servers wait for the lock of the log and are
 * then rejected as busy. Throws `UserError` if its schema is not current.
 */
export const fromDatabase = <T>(url: string, work: (source: CopySource) => Promise<T>): Promise<T> =>
  withSession(url, async (session) => {
    await checkCurrent(session, 'postgres')
    await holdLog(session)
    if (await session.read(isHalfCopied))
      throw new UserError('a copy into this database is not finished: finish it first')
    return work({ read: session.read })
  })

/**
 * Opens a database as the target of a copy, as the role that owns its tables. Creates the tables if there are none.
 * Throws `SchemaMismatch`.
 */
export const intoDatabase = async (
  url: string,
  now: () => number,
  work: (target: CopyTarget) => Promise<void>,
  bucket: Bucket = null,
): Promise<void> => {
  await migrateDatabase(url, { now })
  await withSession(url, async (session) => {
    await holdLog(session)
    await work({
      dialect: 'postgres',
      read: session.read,
      transact: (steps) =>
        inTransaction(session, BEGIN, async () => {
          await session.run(TAKE_LOG)
          return runAsync(steps(), session)
        }),
      rebuild: async (progress) => void (await rebuildDatabase(session, { progress, moved: movedIn(session, bucket) })),
    })
  })
}

/** A copy needs the columns of all migrations, and cannot add them to the source. */
const checkCurrent = async ({ read }: CopySource, dialect: Dialect): Promise<void> => {
  const applied = await read(countRows('migrations')).catch((cause: unknown) => {
    throw new UserError(
      `the source is not a store of this service: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  })
  if (applied !== migrationsOf('service', dialect).length)
    throw new UserError('the source was written by another version: start this version on it once to update it')
}
