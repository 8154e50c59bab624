import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../../runtime/services.ts'
import { databaseStore } from './database.ts'
import { freshDatabase } from './fresh-database.ts'
import { onPostgres } from './open-fresh.ts'
import { sqlOnDatabase, sqlOnFile, type PlainSql } from './plain-sql.ts'

/**
 * A store that outlives its services, on the storage that the specs run on: a spec can start a service on it, close the
 * service, change the data, and start another service.
 */
export type DurableStore = {
  readonly dataDir: string
  /** The URLs for the serving role and for the owner of the tables; null on SQLite. */
  readonly databaseUrl: string | null
  readonly ownerUrl: string | null
  readonly sql: PlainSql
  /** Command line options that name it. */
  readonly cliOptions: readonly string[]
  readonly start: (options?: Pick<OpenOptions, 'now' | 'log'>) => Promise<OpenService>
  readonly remove: () => Promise<void>
}

/** Creates an empty store, whose schema is created by its first start. */
export const durableStore = async (): Promise<DurableStore> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-durable-'))
  const database = onPostgres ? await freshDatabase() : null
  const sql = database ? sqlOnDatabase(database.superUrl) : sqlOnFile(join(dataDir, 'service.db'))
  return {
    dataDir,
    databaseUrl: database?.appUrl ?? null,
    ownerUrl: database?.ownerUrl ?? null,
    sql,
    cliOptions: database ? ['--database-url', database.appUrl] : ['--data-dir', dataDir],
    start: (options = {}) =>
      openService({
        ...(database ? { database: databaseStore(database.appUrl) } : { dataDir }),
        checkRows: true,
        ...options,
      }),
    remove: async () => {
      await sql.close()
      await database?.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
