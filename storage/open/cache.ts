import { join } from 'node:path'
import type { CacheStore } from '../cache/store.ts'
import { openSqliteCache, readsNotingDamage } from '../sqlite/cache.ts'
import { lazyReader } from '../lazy-reader.ts'
import type { Reader } from '../storage.ts'
import { openReader } from './reader.ts'
import type { DatabaseStore, OpenReader, Store } from './reader.ts'

/**
 * Where the shared cache is kept: beside everything else in the database, or in a file of its own in a state directory.
 */
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

/** Opens the cache for changes. A database's tables must be there, a file's are made. Throws `Unavailable`. */
export const openCacheStore = async (
  at: Store,
  { checkRows = false, onSetAside }: Options = {},
): Promise<CacheStore> => {
  if (at.kind === 'sqlite') return openSqliteCache(at.file, { checkRows, ...(onSetAside ? { onSetAside } : {}) })
  // Loaded where it is used: slonik costs a quarter of a second.
  const { openPostgresCache } = await import('../postgres/cache.ts')
  return openPostgresCache({ url: at.url, statementTimeout: at.statementTimeout, checkRows })
}

/** Connections of the main thread that read bodies which are not in memory, and those of a thread that browses. */
const MAX_FOR_BODIES = 4
const FOR_BROWSING = 2

/**
 * Reads the cache, from a database's primary alone: what was put a moment ago may be missing on a standby. Opened by
 * the first read.
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

/** The same for what reads the service's store as well: a reader that asks the primary alone serves for both. */
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
