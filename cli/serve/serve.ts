import { Command } from 'commander'
import type { Logger } from 'pino'
import { startSharedCache } from '../../runtime/cache/open-cache.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenOptions } from '../../runtime/services.ts'
import { checkStateDirectory } from '../../storage/disk/state-directory.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { cacheLocationOf } from '../../storage/open/cache.ts'
import { DATA_DIR_HELP } from '../store/store-options.ts'
import { logFailure } from '../terminal/log-failure.ts'
import { ersProgram, runArguments } from '../terminal/program.ts'
import { storeHealth } from '../../storage/objects/s3/health.ts'
import { InvalidConfig, readConfig, type Config } from './config.ts'
import { warnOfConfig } from './config-warnings.ts'
import { createLogger } from './logger.ts'
import type { Stores } from './run.ts'

export const serveCommand = (): Command =>
  withUsageExit(new Command('serve'))
    .option('--port <port>', 'port to listen on, 0 for any free one (default PORT, else 8321)')
    .option('--data-dir <folder>', DATA_DIR_HELP)
    .option('--quiet-requests', 'log requests at the level debug instead of info')
    .action(async (given: { port?: string; dataDir?: string; quietRequests?: boolean }) => {
      let config: Config
      try {
        config = readConfig(process.env, given)
      } catch (error) {
        if (!(error instanceof InvalidConfig)) throw error
        console.error(error.message.replace(/^/gm, 'misconfigured: '))
        process.exitCode = 2
        return
      }
      await serve(config)
    })

/** Runs `ers serve` with the arguments of the process. */
export const runServeArguments = (description: string): Promise<void> =>
  runArguments(ersProgram().addCommand(serveCommand().description(description)))

const serve = async (config: Config): Promise<void> => {
  const logger = await createLogger({
    format: config.logFormat,
    level: config.logLevel,
    terminal: process.stderr.isTTY,
  })
  // Without the writer nothing can be stored: exit at once instead of serving outdated data.
  const onFatal = (error: Error): void => {
    logFailure(logger, error)
    logger.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), 1000).unref()
  }

  warnOfConfig(process.env, config, Date.now(), (fields, message) => logger.warn(fields, message))
  const opening = openStores(config, logger, onFatal)
  // The modules of the app are loaded while the threads of the stores start.
  const loading = import('./run.ts')
  // Avoids an unhandled rejection while the stores open. It is awaited below.
  loading.catch(() => {})
  let stores: Stores
  try {
    stores = await opening
  } catch (error) {
    logFailure(logger, error)
    process.exitCode = 1
    return
  }

  try {
    const { run } = await loading
    await run(config, stores, logger)
  } catch (error) {
    // The threads and the lock would keep a half-started process alive.
    logFailure(logger, error)
    const { cache, service } = stores
    await cache.close().catch((failed: unknown) => logger.error({ err: failed }, 'the cache cannot be closed'))
    await service.close().catch((failed: unknown) => logger.error({ err: failed }, 'the store cannot be closed'))
    logger.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), 1000).unref()
  }
}

const openStores = async (config: Config, logger: Logger, onFatal: (error: Error) => void): Promise<Stores> => {
  if (config.database) {
    // Loaded on demand: slonik takes a quarter of a second to load.
    const { awaitDatabase } = await import('./await-database.ts')
    const { url, waitMs } = config.database
    await awaitDatabase({
      url,
      patience: waitMs,
      onWait: (fields) => logger.warn(fields, 'waiting for the database'),
    })
    checkStateDirectory(config.dataDir)
  }
  // What has failed in the background has an error.
  const log = (message: string, fields: Readonly<Record<string, unknown>>): void =>
    logger[fields['error'] === undefined ? 'info' : 'error'](fields, message)
  // Threads share what they know of a bucket: one that is away costs none of them more time.
  const bucket = config.objectStore && {
    settings: config.objectStore,
    health: storeHealth().buffer,
    movesDocuments: config.objectStore.movesDocuments ?? false,
  }
  const service = await openService({ ...storeOf(config), bucket, threads: true, log, onFatal })
  try {
    const cache = startSharedCache({
      store: cacheLocationOf(storeOf(config)),
      cacheGeneration: service.cacheGeneration,
      log,
      warn: (message, fields) => logger.warn(fields, message),
      onFatal,
    })
    return { service, cache, bucket }
  } catch (error) {
    await service.close()
    throw error
  }
}

const storeOf = ({ dataDir, database }: Config): Pick<OpenOptions, 'database'> & { readonly dataDir: string } =>
  database
    ? {
        database: {
          kind: 'postgres',
          url: database.url,
          readUrl: database.readUrl,
          connections: database.poolSize,
          statementTimeoutMs: database.statementTimeoutMs,
        },
        dataDir,
      }
    : { dataDir }
