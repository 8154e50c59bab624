import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryIndex } from '../../../runtime/cache/indexing.ts'
import { cacheLocationOf, openCacheStore as openStore } from '../../../storage/open/cache.ts'
import type { Store } from '../../../storage/open/reader.ts'
import { keyDigest, putEntries } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { databaseStore } from './database.ts'
import { putEmptyStore } from './empty-stores.ts'
import { freshDatabase } from './fresh-database.ts'
import { onPostgres } from './open-fresh.ts'
import { sqlOnDatabase, sqlOnFile, type PlainSql } from './plain-sql.ts'

/** The location of a separate cache, by default on the storage of this run. */
export type CacheLocation = {
  readonly storeLocation: Store
  /** The state directory of the cache; on PostgreSQL nothing is stored there. */
  readonly dir: string
  /** Direct SQL on its content, after a cache was opened there. */
  readonly sql: PlainSql
  readonly close: () => Promise<void>
}

export const freshCacheLocation = async ({
  storage = onPostgres ? 'postgres' : 'sqlite',
}: { readonly storage?: 'sqlite' | 'postgres' | 'icu' } = {}): Promise<CacheLocation> => {
  const dir = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  const database = storage === 'sqlite' ? null : await freshDatabase({ icu: storage === 'icu' })
  const storeLocation = cacheLocationOf({
    dataDir: dir,
    database: database ? databaseStore(database.appUrl) : undefined,
  })
  const sql = database ? sqlOnDatabase(database.superUrl) : sqlOnFile(join(dir, 'cache.db'))
  return {
    storeLocation,
    dir,
    sql,
    close: async () => {
      await sql.close()
      await database?.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type SpecCache = Pick<CacheLocation, 'storeLocation' | 'sql' | 'close'> & { readonly store: CacheStore }

/** Opens a fresh cache whose rows are checked against their schemas. */
export const openCacheStore = async (options: Parameters<typeof freshCacheLocation>[0] = {}): Promise<SpecCache> => {
  const { storeLocation, sql, close } = await freshCacheLocation(options)
  if (storeLocation.kind === 'sqlite') putEmptyStore('cache', storeLocation.file)
  const store = await openStore(storeLocation, { checkRows: true })
  return {
    storeLocation,
    sql,
    store,
    close: async () => {
      await store.close()
      await close()
    },
  }
}

/** Deletes the content of a cache, for specs that would otherwise open hundreds. */
export const emptyCache = ({ sql }: Pick<SpecCache, 'sql'>): Promise<void> =>
  sql.execute(
    'DELETE FROM cache_entries; DELETE FROM cache_bodies; DELETE FROM cache_facets; DELETE FROM cache_search; UPDATE cache_totals SET value = 0',
  )

/** Puts each body under the key of its name. With `indexed: false` no body is read, as in a bulk load. */
export const putAll = (
  store: CacheStore,
  bodies: Readonly<Record<string, Buffer>>,
  {
    at = 1000,
    indexed = true,
    rules = 1,
  }: { readonly at?: number; readonly indexed?: boolean; readonly rules?: number } = {},
): Promise<boolean[]> =>
  store.change(
    putEntries(
      Object.entries(bodies).map(([name, bytes]) => ({
        digest: keyDigest(cacheKeyOf(name)),
        bytes,
        index: indexed ? entryIndex(bytes) : null,
      })),
      { at, rules },
    ),
  )
