import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { buildApp } from '../../http/app.ts'
import { staticTokenId } from '../../http/identity/static-tokens.ts'
import { openPasswords } from '../../http/identity/passwords.ts'
import { readWebBuild } from '../../http/web.ts'
import { findLogTimes } from '../../queries/log-times.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { redacted } from '../../storage/postgres/address.ts'
import { checkStateDirectory } from '../../storage/disk/state-directory.ts'
import { cacheLocationOf } from '../../storage/open/cache.ts'
import { aDayBefore, clockBehind, watchClock } from '../../runtime/background/clock-watch.ts'
import type { Config } from './config.ts'
import { InvalidConfig, readConfig } from './config.ts'
import { warnOfConfig } from './config-warnings.ts'
import { ensureBootstrapAdmin } from './ensure-admin.ts'
import { openLocalDirectory } from '../../runtime/cache/local-directory.ts'
import { logFailure } from '../terminal/log-failure.ts'
import { DATA_DIR_HELP } from '../store/store-options.ts'
import { logHeadHourly } from '../../runtime/background/publish-head.ts'
import { createLogger } from './logger.ts'
import { openService } from '../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../runtime/services.ts'
import { openSharedCache } from '../../runtime/cache/open-cache.ts'
import type { OpenSharedCache } from '../../runtime/cache/open-cache.ts'
import { startHourlyTasks } from '../../runtime/background/hourly.ts'
import {
  retainNow,
  retentionTasks,
  warnOfClockBehind,
  warnOfUnknownReasons,
} from '../../runtime/background/retention.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { stopGracefully } from './stop-gracefully.ts'
import { VERSION } from '../version.ts'

/**
 * Maximum time of a stop. Requests are cut off earlier; the rest of the time is for the service to finish its own work.
 */
const GRACE_MS = 30_000

export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the service until interrupted')
    .option('--port <port>', 'port to listen on, 0 for any free one (default 8321)')
    .option('--data-dir <folder>', DATA_DIR_HELP)
    .action(async (given: { port?: string; dataDir?: string }) => {
      let config: Config
      try {
        config = readConfig(process.env, given)
      } catch (error) {
        if (!(error instanceof InvalidConfig)) throw error
        console.error(error.message.replace(/^/gm, 'misconfigured: '))
        process.exitCode = 1
        return
      }
      await serve(config)
    })

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

  warnOfConfig(process.env, config.tokens, (fields, message) => logger.warn(fields, message))
  let service: OpenService
  let cache: OpenSharedCache
  try {
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
    service = await openService({
      ...storeOf(config),
      threads: true,
      log: (message, fields) => logger.info(fields, message),
      onFatal,
    })
  } catch (error) {
    logFailure(logger, error)
    process.exitCode = 1
    return
  }

  try {
    cache = await openSharedCache({
      store: cacheLocationOf(storeOf(config)),
      cacheGeneration: service.cacheGeneration,
      threads: true,
      log: (message, fields) => logger.info(fields, message),
      warn: (message, fields) => logger.warn(fields, message),
      onFatal,
    })
  } catch (error) {
    logFailure(logger, error)
    await service.close()
    process.exitCode = 1
    return
  }

  try {
    await run(config, { service, cache }, logger)
  } catch (error) {
    // The threads and the lock would keep a half-started process alive.
    logFailure(logger, error)
    await cache.close().catch((failed: unknown) => logger.error({ err: failed }, 'the cache cannot be closed'))
    await service.close().catch((failed: unknown) => logger.error({ err: failed }, 'the store cannot be closed'))
    logger.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), 1000).unref()
  }
}

/** Runs the app until a stop. The function is long because start and stop share the state of what has been started. */
const run = async (
  config: Config,
  { service, cache }: { readonly service: OpenService; readonly cache: OpenSharedCache },
  logger: Logger,
): Promise<void> => {
  const passwords = openPasswords()
  let isStarted = false
  const isReady = (): boolean => isStarted && service.isReady()
  const web = readWebBuild()
  if (!web) logger.warn('the web app was not built: run `npm run build`')
  const localCache = await openLocalDirectory(config, logger)
  const parts = {
    ...service,
    sharedCache: cache.sharedCache,
    localCache,
    isReady,
    passwords,
    web,
    config: { ...config, version: VERSION },
    logger,
  }
  const services = { ...parts, retain: retainNow(parts, config) }
  const app = await buildApp(services)
  const listen = async (): Promise<void> => {
    try {
      await app.listen({ host: '0.0.0.0', port: config.port })
    } catch (cause) {
      throw new UserError(
        `cannot listen on port ${config.port}: ${cause instanceof Error ? cause.message : String(cause)}. Choose another port with --port.`,
        { cause },
      )
    }
  }
  let stopping = false
  let stopLogging = (): void => {}
  let stopRetention = async (): Promise<void> => {}
  stopGracefully(GRACE_MS, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, 'unexpected failure')
    logger.info({ signal }, 'shutting down')
    stopping = true
    stopLogging()
    // A running eviction, hourly or requested, ends early and is still recorded.
    cache.stop()
    const retained = stopRetention()
    await app.close()
    await cache.close()
    await retained
    await service.close()
    logger.info('stopped')
    await new Promise<void>((resolve) => logger.flush(() => resolve()))
  })

  const start = async (): Promise<void> => {
    // A rebuild can take long, so the service listens before it and answers 503 meanwhile. Without a rebuild it listens
    // at the end of the start.
    const mustRebuild = await service.mustRebuild
    if (mustRebuild && !stopping) await listen()
    const { schema } = await service.whenReady
    // A stop was requested during the rebuild: there is nothing left to start.
    if (stopping) return
    // Must be read before `recordStart` adds a record, because the time of that record may be wrong.
    const logTimes = await service.reader.read(findLogTimes(aDayBefore(service.now())))
    const watch = watchClock(logTimes, { now: service.now, uptime: () => performance.now() })
    warnOfClockBehind(clockBehind(logTimes, service.now()), logger)
    await service.commit('recordStart', SYSTEM, {
      instance: service.instance,
      config_sha256: configDigest(config),
      schema,
      version: VERSION,
      principals: config.tokens.map((token) => ({ id: staticTokenId(token), kind: 'static', label: token.scope })),
    })
    await ensureBootstrapAdmin(service, passwords, config)
    if (stopping) return
    isStarted = true
    if (!mustRebuild) await listen()
    stopLogging = await logHeadHourly(logger, service)
    cache.startIndexing()
    warnOfUnknownReasons(config, logger)
    // Meanwhile a stop may have been requested, which closes the stores.
    if (!stopping) stopRetention = startHourlyTasks({ logger, tasks: retentionTasks(services, config, watch) })
    const { port } = app.server.address() as AddressInfo
    logger.info(
      {
        port,
        ...(config.database ? { database: redacted(config.database.url) } : { data_dir: config.dataDir }),
        auth_mode: config.authMode,
        version: VERSION,
      },
      'listening',
    )
  }
  try {
    await start()
  } catch (error) {
    // A stop was requested during the start, and closed the stores.
    if (!stopping) throw error
  }
}

/** The store that the configuration names. */
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

/**
 * Identifies the configuration in the audit trail. Does not include secrets and names, because weak ones could be
 * guessed from the digest. Includes the keys of `Config`, so renaming a key changes the digest.
 */
const configDigest = ({ tokens, adminUser: _user, adminPassword: _password, database, ...config }: Config): string => {
  const shown = {
    ...config,
    database: database && {
      ...database,
      url: redacted(database.url),
      readUrl: database.readUrl && redacted(database.readUrl),
    },
    tokens: tokens.map(({ scope, position }) => ({ scope, position })),
  }
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}
