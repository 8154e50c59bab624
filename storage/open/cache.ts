import { join } from 'node:path'
import type { CacheStore } from '../cache/store.ts'
import { openSqliteCache, readsNotingDamage } from '../sqlite/cache.ts'
import { lazyReader } from '../lazy-reader.ts'
import type { Reader } from '../storage.ts'
import { openReader } from './reader.ts'
import type { DatabaseStore, OpenReader, Store } from './reader.ts'

/** The location of the shared cache: the service's database, or a file of its own in a state directory. */
export const cacheLocationOf = ({
  dataDir,
  database,
}: {
  readonly dataDir: string
  readonly database?: DatabaseStore | undefined
}): Store => database ?? { kind: 'sqlite', file: join(dataDir, 'cache.db') }

type Options = {
  readonly checkRows?: boolean
  readonly onSetAside?: NonNullable<Parameters<typeof openSqliteCache>[1]>['onSetAside']
}

/**
 * Opens the cache for changes. The tables of a database must exist; those of a file are created. Throws `Unavailable`.
 */
export const openCacheStore = async (
  at: Store,
  { checkRows = false, onSetAside }: Options = {},
): Promise<CacheStore> => {
  if (at.kind === 'sqlite') return openSqliteCache(at.file, { checkRows, ...(onSetAside ? { onSetAside } : {}) })
  // Imported on demand: loading slonik takes a quarter of a second.
  const { openPostgresCache } = await import('../postgres/cache.ts')
  return openPostgresCache({ url: at.url, statementTimeout: at.statementTimeout, checkRows })
}

/** Connections of the main thread, which reads bodies that are not in memory, and of a thread that lists entries. */
const MAX_FOR_BODIES = 4
const FOR_BROWSING = 2

/**
 * Reads the cache, on PostgreSQL from the primary only: a recent entry may still be missing on a standby. Opens on the
 * first read.
 */
export const cacheReader = (
  at: Store,
  { checkRows = false, most = MAX_FOR_BODIES }: { readonly checkRows?: boolean; readonly most?: number } = {},
): OpenReader => {
  if (at.kind === 'postgres')
    return lazyReader(at.kind, () => openReader(at, { checkRows, connections: Math.min(at.connections, most) }))
  const reader = lazyReader(at.kind, () => openReader(at, { checkRows }))
  return { ...reader, ...readsNotingDamage(at.file, reader) }
}

/**
 * A reader of the cache for a thread that also reads the service's store. A reader that only uses the primary serves
 * both.
 */
export const openCacheReader = (
  reader: OpenReader,
  store: Store,
  at: Store,
  options: { readonly checkRows?: boolean } = {},
): Pick<OpenReader, 'close'> & { readonly reader: Reader } => {
  if (store.kind === 'postgres' && store.readUrl === null) return { reader, close: () => {} }
  const own = cacheReader(at, { ...options, most: FOR_BROWSING })
  return { reader: own, close: own.close }
}
