import type { Logger } from 'pino'
import { listedMetadata } from '../engine/cache-listing.ts'
import type { LocalTier } from '../http/shared-cache.ts'
import { openLocalCache } from '../storage/local-cache.ts'
import type { Config } from './config.ts'

/** The directory of entries that the service was told to show; null without one, and where it cannot be resolved, which is logged. */
export const openLocalTier = async ({ localCacheDir, localCacheMaxScan, cache }: Pick<Config, 'localCacheDir' | 'localCacheMaxScan' | 'cache'>, logger: Pick<Logger, 'warn'>): Promise<LocalTier | null> => {
  if (localCacheDir === null) return null
  try {
    return await openLocalCache({
      directory: localCacheDir,
      mostFiles: localCacheMaxScan,
      mostBytes: cache.max_entry_bytes,
      describe: listedMetadata,
      clock: () => performance.now(),
    })
  } catch (error) {
    logger.warn({ directory: localCacheDir, error: String(error) }, 'the local cache directory cannot be resolved; it is not shown')
    return null
  }
}
