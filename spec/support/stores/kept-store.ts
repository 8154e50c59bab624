import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../../runtime/open-service.ts'
import { storeAt } from './database.ts'
import { freshDatabase } from './fresh-database.ts'
import { onPostgres } from './open-fresh.ts'
import { sqlOnDatabase, sqlOnFile } from './plain-sql.ts'
import type { PlainSql } from './plain-sql.ts'

/**
 * A store on the storage of this run that outlives its services: it is started, closed, changed beneath, and started
 * again.
 */
export type KeptStore = {
  readonly dataDir: string
  /** As the role that serves, and as the one that owns the tables; null on SQLite. */
  readonly databaseUrl: string | null
  readonly ownerUrl: string | null
  readonly sql: PlainSql
  /** Options of the command line that name it. */
  readonly named: readonly string[]
  readonly start: (options?: Pick<OpenOptions, 'now' | 'log'>) => Promise<OpenService>
  readonly remove: () => Promise<void>
}

/** An empty store, whose schema is there once it was started. */
export const keptStore = async (): Promise<KeptStore> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-kept-'))
  const database = onPostgres ? await freshDatabase() : null
  const sql = database ? sqlOnDatabase(database.superUrl) : sqlOnFile(join(dataDir, 'service.db'))
  return {
    dataDir,
    databaseUrl: database?.appUrl ?? null,
    ownerUrl: database?.ownerUrl ?? null,
    sql,
    named: database ? ['--database-url', database.appUrl] : ['--data-dir', dataDir],
    start: (options = {}) =>
      openService({
        ...(database ? { database: storeAt(database.appUrl) } : { dataDir }),
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
