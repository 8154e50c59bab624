import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../../projections/index.ts'
import { runAtOnce, runInTurn } from '../../storage/commit/steps.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import { findHead } from '../../storage/log/head.ts'
import { migrateDatabase } from '../../storage/postgres/migrate.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction, withSession } from '../../storage/postgres/session.ts'
import { BEGIN, LOG_LOCK, TAKE_LOG } from '../../storage/postgres/storage.ts'
import { statement } from '../../storage/sql.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { asDamage } from '../../storage/sqlite/damage.ts'
import { headFileOf } from '../../storage/sqlite/head-file.ts'
import { takeStateDirectory } from '../../storage/sqlite/instance-lock.ts'
import { migrateSqlite } from '../../storage/sqlite/migrate.ts'
import { openSqliteWriter } from '../../storage/sqlite/storage.ts'
import type { Dialect } from '../../storage/storage.ts'
import { noStoreIn } from '../no-store.ts'
import { rebuildDatabase } from '../rebuild/postgres.ts'
import { rebuildTables } from '../rebuild/sqlite.ts'
import { UserError } from '../user-error.ts'
import { checkHeadFile } from '../verify/head-file.ts'
import type { CopySource, CopyTarget } from './copy-store.ts'
import { countRows, isHalfCopied } from './tables.ts'

const taken = async <T>(dataDir: string, now: () => number, work: () => Promise<T>): Promise<T> => {
  const release = takeStateDirectory(dataDir, now)
  try {
    return await work()
  } finally {
    release()
  }
}

/**
 * A state directory that no server uses, to be copied. Throws `StateDirectoryTaken`, and `UserError` where it is not
 * current or holds nothing.
 */
export const fromDirectory = async <T>(
  dataDir: string,
  now: () => number,
  work: (source: CopySource) => Promise<T>,
): Promise<T> => {
  const file = join(dataDir, 'service.db')
  if (!existsSync(file)) throw new UserError(noStoreIn(dataDir))
  return taken(dataDir, now, async () => {
    const connection = asDamage(file, () => {
      checkHeadFile(file)
      return connect(file, { readonly: true })
    })
    const source: CopySource = { read: async (query) => connection.read(query) }
    try {
      await checkCurrent(source, 'sqlite')
      return await work(source)
    } finally {
      connection.close()
    }
  })
}

/**
 * A state directory that is to be made, or whose making was broken off. It gets its name when it is whole. Throws
 * `UserError` where one is there.
 */
export const intoDirectory = (
  dataDir: string,
  now: () => number,
  source: CopySource,
  work: (target: CopyTarget) => Promise<void>,
): Promise<void> =>
  taken(dataDir, now, async () => {
    const file = join(dataDir, 'service.db')
    const part = `${file}.part`
    if (existsSync(file) || existsSync(headFileOf(file))) throw new UserError(`${dataDir} holds a store already`)
    const connection = connect(part, { readonly: false })
    try {
      migrateSqlite(connection, 'service', now)
      // All that was left to do was to give it its name.
      if (!(await isWhole(connection, source))) await work(targetIn(connection, part, now))
    } finally {
      // What is closed last leaves one file, without a write-ahead log.
      connection.close()
    }
    synced(part)
    renameSync(part, file)
    rmSync(`${part}-shm`, { force: true })
    synced(dataDir)
  })

const isWhole = async ({ read }: Connection, source: CopySource): Promise<boolean> => {
  if (read(isHalfCopied)) return false
  const [ours, theirs] = [read(findHead), await source.read(findHead)]
  return ours.size > 0 && ours.size === theirs.size && ours.root.equals(theirs.root)
}

const targetIn = (connection: Connection, file: string, now: () => number): CopyTarget => ({
  dialect: 'sqlite',
  read: async (query) => connection.read(query),
  transact: async (work) => connection.database.transaction(() => runAtOnce(work(), connection)).immediate(),
  rebuild: async (progress) => {
    const writer = openSqliteWriter({ file, project, now, instance: 'copy' })
    try {
      rebuildTables(writer, { progress })
    } finally {
      writer.close()
    }
  },
})

const synced = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whoever writes takes the log for a commit; here it is kept to the end, so that nobody writes meanwhile. */
const holdLog = (session: PostgresConnection): Promise<void> =>
  session.run(statement`SELECT pg_advisory_lock(${LOG_LOCK})`)

/**
 * A database to be copied; until then its writes wait and are refused as busy. Throws `UserError` where it is not
 * current.
 */
export const fromDatabase = <T>(url: string, work: (source: CopySource) => Promise<T>): Promise<T> =>
  withSession(url, async (session) => {
    await checkCurrent(session, 'postgres')
    await holdLog(session)
    if (await session.read(isHalfCopied))
      throw new UserError('the database is being copied into itself: let that be finished first')
    return work({ read: session.read })
  })

/** A database to copy into, as the role that owns its tables; they are made where there are none. Throws `SchemaMismatch`. */
export const intoDatabase = async (
  url: string,
  now: () => number,
  work: (target: CopyTarget) => Promise<void>,
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
          return runInTurn(steps(), session)
        }),
      rebuild: async (progress) => void (await rebuildDatabase(session, { progress })),
    })
  })
}

/** Columns come with migrations, which a copy cannot make up for. */
const checkCurrent = async ({ read }: CopySource, dialect: Dialect): Promise<void> => {
  const applied = await read(countRows('migrations')).catch((cause: unknown) => {
    throw new UserError(
      `what is to be copied is no store of this service: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  })
  if (applied !== migrationsOf('service', dialect).length)
    throw new UserError(
      'what is to be copied was written by another version: start this one on it once, which brings it up to date',
    )
}
