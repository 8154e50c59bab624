import { join } from 'node:path'
import type { CacheStore } from '../cache/store.ts'
import { isSqliteCacheSettled, openSqliteCache, readsNotingDamage, removeCacheLog } from '../sqlite/cache.ts'
import { lazyReader } from '../lazy-reader.ts'
import type { Reader } from '../storage.ts'
import { openReader, type DatabaseStore, type OpenReader, type Store } from './reader.ts'

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
  /** Whether a file that cannot be used may be set aside. See `openSqliteCache`. */
  readonly maySetAside?: boolean
  readonly onSetAside?: NonNullable<Parameters<typeof openSqliteCache>[1]>['onSetAside']
}

/**
 * Whether the cache needs no writer until something is written: a file that was closed, with current tables and an index of
 * all entries. A database never is: other replicas may leave entries without an index.
 */
export const isCacheSettled = (location: Store): boolean =>
  location.kind === 'sqlite' && isSqliteCacheSettled(location.file)

/** Leaves the cache as one complete file, after its last reader has closed. Call it if no writer was open then. */
export const tidyCache = (location: Store): void => {
  if (location.kind === 'sqlite') removeCacheLog(location.file)
}

/**
 * Opens the cache for changes. The tables of a database must exist; those of a file are created. Throws `Unavailable`.
 */
export const openCacheStore = async (
  location: Store,
  { checkRows = false, maySetAside = true, onSetAside }: Options = {},
): Promise<CacheStore> => {
  if (location.kind === 'sqlite')
    return openSqliteCache(location.file, { checkRows, maySetAside, ...(onSetAside ? { onSetAside } : {}) })
  // Imported on demand: loading slonik takes a quarter of a second.
  const { openPostgresCache } = await import('../postgres/cache.ts')
  return openPostgresCache({ url: location.url, statementTimeoutMs: location.statementTimeoutMs, checkRows })
}

/**
 * The maximum number of connections of the main thread, which reads bodies that are not in memory, and of a thread that
 * lists entries.
 */
const MAX_BODY_CONNECTIONS = 4
const MAX_BROWSING_CONNECTIONS = 2

/**
 * Reads the cache, on PostgreSQL from the primary only: a recent entry may still be missing on a standby. Opens on the
 * first read.
 */
export const cacheReader = (
  location: Store,
  {
    checkRows = false,
    maxConnections = MAX_BODY_CONNECTIONS,
  }: { readonly checkRows?: boolean; readonly maxConnections?: number } = {},
): OpenReader => {
  if (location.kind === 'postgres')
    return lazyReader(location.kind, () =>
      openReader(location, { checkRows, connections: Math.min(location.connections, maxConnections) }),
    )
  const reader = lazyReader(location.kind, () => openReader(location, { checkRows }))
  return { ...reader, ...readsNotingDamage(location.file, reader) }
}

/**
 * A reader of the cache for a thread that also reads the service's store. If the service's reader only uses the
 * primary, it is used for both.
 */
export const openCacheReader = (
  reader: OpenReader,
  store: Store,
  location: Store,
  options: { readonly checkRows?: boolean } = {},
): Pick<OpenReader, 'close'> & { readonly reader: Reader } => {
  if (store.kind === 'postgres' && store.readUrl === null) return { reader, close: () => {} }
  const cacheOnly = cacheReader(location, { ...options, maxConnections: MAX_BROWSING_CONNECTIONS })
  return { reader: cacheOnly, close: cacheOnly.close }
}
