import { CLI } from '../../queries/access/viewer.ts'
import { StateDirectoryTaken } from '../../storage/sqlite/instance-lock.ts'
import { cacheLocationOf } from '../../storage/open/cache.ts'
import { InvalidConfig, readConfig, type Config } from '../serve/config.ts'
import { createLogger } from '../serve/logger.ts'
import { namedStore, onStore, type StoreSelection, type NamedStore } from './store-options.ts'
import { openStore } from './open-store.ts'
import type { OpenService } from '../../runtime/services.ts'
import { openSharedCache } from '../../runtime/cache/open-cache.ts'
import { retainNow } from '../../runtime/background/retention.ts'
import { UserError } from '../../maintenance/user-error.ts'

type RetentionRequest = { readonly dryRun: boolean; readonly signal: AbortSignal }
type Counts = { readonly dry_run: boolean; readonly runs: number; readonly cache_entries: number }

/**
 * Deletes everything that exceeds the limits in the environment variables, or only counts it. Throws `UserError` if a
 * server uses the directory, if it contains no store, or if a variable is invalid.
 */
export const retainInStore = (given: StoreSelection, request: RetentionRequest): Promise<Counts> => {
  const store = namedStore(given, process.env)
  const config = limitsOf(given)
  return onStore(store, () => retain(store, config, request))
}

const limitsOf = ({ dataDir }: StoreSelection): Config => {
  try {
    return readConfig(process.env, { dataDir })
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    throw new UserError(error.message.replace(/^/gm, 'misconfigured: '), { cause: error })
  }
}

const retain = async (store: NamedStore, config: Config, { dryRun, signal }: RetentionRequest): Promise<Counts> => {
  const location = store.kind === 'postgres' ? { dataDir: config.dataDir, database: store } : { dataDir: store.dataDir }
  const logger = await createLogger({ format: config.logFormat, level: 'warn', terminal: process.stderr.isTTY })
  const service = await openForRetention(store)
  try {
    const cache = await openSharedCache({
      store: cacheLocationOf(location),
      cacheGeneration: service.cacheGeneration,
      warn: (message, fields) => logger.warn(fields, message),
    })
    try {
      const parts = { ...service, sharedCache: cache.sharedCache, logger }
      return { dry_run: dryRun, ...(await retainNow(parts, config)(CLI, { dry_run: dryRun, signal })) }
    } finally {
      await cache.close()
    }
  } finally {
    await service.close()
  }
}

const openForRetention = async (store: NamedStore): Promise<OpenService> => {
  try {
    return await openStore(store)
  } catch (error) {
    const { cause } = error as Error
    if (!(cause instanceof StateDirectoryTaken)) throw error
    throw new UserError(`${cause.message} Without --data-dir the command asks the running service`, { cause })
  }
}
