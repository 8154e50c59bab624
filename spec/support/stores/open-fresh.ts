import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheLocationOf } from '../../../storage/open/cache.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/open-service.ts'
import type { Store } from '../../../storage/open/reader.ts'
import { putEmptyStore } from './empty-stores.ts'
import { freshDatabase } from './fresh-database.ts'
import { sqlOnDatabase, sqlOnFile } from './plain-sql.ts'
import type { PlainSql } from './plain-sql.ts'
import { recordBefore } from './recorded-before.ts'
import type { RecordedBefore } from './recorded-before.ts'

/** Whether this run of the specifications is on PostgreSQL. */
export const onPostgres = process.env['SPEC_STORAGE'] === 'postgres'

/** `icu` is a PostgreSQL database whose texts sort by the rules of a language. */
export type SpecStorageKind = 'sqlite' | 'postgres' | 'icu'

export type Opened = {
  readonly service: OpenService
  /** Where its files would be. */
  readonly dataDir: string
  readonly cacheAt: Store
  /** As the role that serves; null on SQLite. */
  readonly databaseUrl: string | null
  /** What it keeps, as it is. */
  readonly sql: PlainSql
  readonly close: () => Promise<void>
}

type OpenedOptions = {
  readonly now?: () => number
  readonly storage?: SpecStorageKind
  /** What is in the store already, as an earlier version recorded it. */
  readonly before?: RecordedBefore
}

/**
 * A service of its own on the storage of this run unless told otherwise, in this thread, its rows checked against their
 * schemas.
 */
export const openFresh = async ({
  now,
  storage = onPostgres ? 'postgres' : 'sqlite',
  before,
}: OpenedOptions = {}): Promise<Opened> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-app-'))
  const database = storage === 'sqlite' ? null : await freshDatabase({ icu: storage === 'icu' })
  const shared =
    database &&
    ({ kind: 'postgres', url: database.appUrl, readUrl: null, connections: 4, statementTimeout: 30_000 } as const)
  const at = shared ? { database: shared } : { dataDir }
  if (!database) putEmptyStore('service', join(dataDir, 'service.db'))
  if (before) await recordBefore(shared ?? { kind: 'sqlite', file: join(dataDir, 'service.db') }, before)
  const service = await openService({ ...at, checkRows: true, isNew: before === undefined, ...(now ? { now } : {}) })
  const sql = database ? sqlOnDatabase(database.superUrl) : sqlOnFile(join(dataDir, 'service.db'))
  return {
    service,
    dataDir,
    cacheAt: cacheLocationOf({ dataDir, ...at }),
    databaseUrl: database?.appUrl ?? null,
    sql,
    close: async () => {
      await sql.close()
      await service.close()
      await database?.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
