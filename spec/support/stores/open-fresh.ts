import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheLocationOf } from '../../../storage/open/cache.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import type { BucketLocation, Store } from '../../../storage/open/reader.ts'
import { putEmptyStore } from './empty-stores.ts'
import { freshDatabase } from './fresh-database.ts'
import { sqlOnDatabase, sqlOnFile, type PlainSql } from './plain-sql.ts'
import { recordEarlier, type EarlierEvents } from './recorded-before.ts'

/** Whether this run of the specs uses PostgreSQL. */
export const onPostgres = process.env['SPEC_STORAGE'] === 'postgres'

/** `icu` is a PostgreSQL database whose texts sort by the rules of a language. */
export type SpecStorageKind = 'sqlite' | 'postgres' | 'icu'

export type FreshService = {
  readonly service: OpenService
  /** The state directory of the service. */
  readonly dataDir: string
  readonly cacheStore: Store
  /** The URL for the serving role; null on SQLite. */
  readonly databaseUrl: string | null
  /** Direct SQL on its data. */
  readonly sql: PlainSql
  readonly close: () => Promise<void>
}

type OpenedOptions = {
  readonly now?: () => number
  readonly storage?: SpecStorageKind
  /** Existing content of the store, as an earlier version recorded it. */
  readonly before?: EarlierEvents
  /** The bucket of large parts; none by default. */
  readonly bucket?: BucketLocation | undefined
}

/**
 * Opens a separate service in this thread, by default on the storage of this run. Its rows are checked against their
 * schemas.
 */
export const openFreshService = async ({
  now,
  storage = onPostgres ? 'postgres' : 'sqlite',
  before,
  bucket,
}: OpenedOptions = {}): Promise<FreshService> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-app-'))
  const database = storage === 'sqlite' ? null : await freshDatabase({ icu: storage === 'icu' })
  const databaseStore =
    database &&
    ({ kind: 'postgres', url: database.appUrl, readUrl: null, connections: 4, statementTimeoutMs: 30_000 } as const)
  const location = databaseStore ? { database: databaseStore } : { dataDir }
  if (!database) putEmptyStore('service', join(dataDir, 'service.db'))
  if (before) await recordEarlier(databaseStore ?? { kind: 'sqlite', file: join(dataDir, 'service.db') }, before)
  const service = await openService({
    ...location,
    ...(bucket ? { bucket } : {}),
    checkRows: true,
    isNew: before === undefined,
    ...(now ? { now } : {}),
  })
  const sql = database ? sqlOnDatabase(database.superUrl) : sqlOnFile(join(dataDir, 'service.db'))
  return {
    service,
    dataDir,
    cacheStore: cacheLocationOf({ dataDir, ...location }),
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
