import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { buildApp } from '../../http/app.ts'
import { openPasswords } from '../../http/identity/passwords.ts'
import { startedTokens } from '../../http/identity/static-tokens.ts'
import { openDocsSite } from '../../http/docs-site.ts'
import { readWebBuild } from '../../http/web.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { findLogTimes } from '../../queries/log-times.ts'
import { aDayBefore, clockBehind, watchClock } from '../../runtime/background/clock-watch.ts'
import { startHourlyTasks } from '../../runtime/background/hourly.ts'
import { logHeadHourly } from '../../runtime/background/publish-head.ts'
import {
  retainNow,
  retentionTasks,
  warnOfClockBehind,
  warnOfUnknownReasons,
} from '../../runtime/background/retention.ts'
import { startMoving } from '../../runtime/background/move-waiting.ts'
import { partTask } from '../../runtime/background/sweep-parts.ts'
import { releaseWhenIdle } from '../../runtime/background/release-when-idle.ts'
import { openLocalDirectory } from '../../runtime/cache/local-directory.ts'
import { openMover } from '../../runtime/moves/mover.ts'
import { openPartStore } from '../../runtime/evidence/part-store.ts'
import type { StartedSharedCache } from '../../runtime/cache/open-cache.ts'
import { storageLocation } from '../../runtime/storage-location.ts'
import type { OpenService } from '../../runtime/services.ts'
import { watchBucket } from '../../runtime/background/watch-bucket.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import type { BucketLocation } from '../../storage/open/reader.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { countInBucket } from '../../storage/objects/rows.ts'
import { isDiskFull } from '../../storage/sqlite/reserve.ts'
import { redactedUrl } from '../../storage/postgres/address.ts'
import { VERSION } from '../version.ts'
import type { Config } from './config.ts'
import { configDigest } from './config-digest.ts'
import { ensureBootstrapAdmin } from './ensure-admin.ts'
import { checkBucket } from './check-bucket.ts'
import { checkPartsFolder } from './check-parts-folder.ts'
import { openPrimary } from './open-primary.ts'
import { openSigner } from './open-signer.ts'
import { openWebhooks } from './open-webhooks.ts'
import { stopGracefully } from './stop-gracefully.ts'
import { warmUp } from './warm-up.ts'

/**
 * Maximum time of a stop. Requests are cut off earlier; the rest of the time is for the service to finish its own work.
 */
const GRACE_MS = 30_000

/** The store of the service, and its cache, which may still be opening. */
export type Stores = {
  readonly service: OpenService
  readonly cache: StartedSharedCache
  readonly bucket: BucketLocation | null
}

/** Runs the app until a stop. */
export const run = async (
  config: Config,
  { service, cache, bucket: location }: Stores,
  logger: Logger,
): Promise<void> => {
  const recording = Promise.withResolvers<void>()
  // The first real read reports why one fails.
  warmUp(service, recording.promise).catch((err: unknown) => logger.debug({ err }, 'a read that warms up failed'))
  const passwords = openPasswords()
  const web = readWebBuild()
  if (!web) logger.warn('the web app was not built: run `npm run build`')
  const localCache = await openLocalDirectory(config, logger)
  const parts = {
    ...service,
    sharedCache: cache.sharedCache,
    localCache,
    passwords,
    web,
    docs: openDocsSite(),
    config: { ...config, version: VERSION },
    storage: storageLocation(config),
    ...(config.database ? {} : { isDiskFull: () => isDiskFull(join(config.dataDir, 'service.db')) }),
    logger,
  }
  const primary = await openPrimary(config, service)
  const signer = openSigner(config, { ...service, reader: primary.reader }, logger)
  const webhooks = openWebhooks(config, service, { reader: primary.reader, logger })
  const partsFolder = config.database ? null : join(config.dataDir, PARTS_FOLDER)
  const identity = async () => service.reader.read(findLogIdentity)
  const isUsed = async () => (await primary.reader.read(countInBucket)) > 0
  const bucket =
    location && (await import('../../storage/objects/s3/store.ts')).openS3Store({ ...location, identity, isUsed })
  const partStore = openPartStore({ ...service, reader: primary.reader, partsFolder, bucket }, config.parts)
  // What was deleted while it was away is removed when it is back.
  const stopWatching = bucket
    ? watchBucket(bucket, { logger, onBack: (signal) => partStore.removeDropped(signal) })
    : async () => {}
  const services = { ...parts, partStore, retain: retainNow(parts, config), signer, webhooks: webhooks.sender }
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
  let stopMoving = async (): Promise<void> => {}
  let keepMemory = (): void => {}
  stopGracefully(GRACE_MS, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, 'unexpected failure')
    logger.info({ signal }, 'shutting down')
    stopping = true
    stopLogging()
    const watched = stopWatching()
    const moved = stopMoving()
    keepMemory()
    // A running eviction, hourly or requested, ends early and is still recorded.
    cache.stop()
    const retained = stopRetention()
    await app.close()
    await cache.close()
    await retained
    await webhooks.sender?.close()
    // Behind everything that may still record something.
    await signer?.close()
    bucket?.close()
    await watched
    await moved
    await primary.close()
    await service.close()
    logger.info('stopped')
    await new Promise<void>((resolve) => logger.flush(() => resolve()))
  })

  const releaseMemory = (): void => {
    const before = process.memoryUsage.rss()
    service.releaseMemory().then(
      () => logger.debug({ before, after: process.memoryUsage.rss() }, 'the memory of the start is released'),
      // A stop has closed the threads.
      (err: unknown) => logger.debug({ err }, 'the memory of the start cannot be released'),
    )
  }
  const start = async (): Promise<void> => {
    // Must be read before `recordStart` adds a record, because the time of that record may be wrong.
    const logTimes = await service.reader.read(findLogTimes(aDayBefore(service.now())))
    const watch = watchClock(logTimes, { now: service.now, uptime: () => performance.now() })
    warnOfClockBehind(clockBehind(logTimes, service.now()), logger)
    // Also before a record is added: as long as nothing is written, missing records can still be restored.
    await signer?.check()
    if (partsFolder !== null) await checkPartsFolder(service.reader, partsFolder)
    await webhooks.check()
    const tokens = await startedTokens(service.reader, config.tokens)
    const recorded = service.commit.recordStart(SYSTEM, {
      instance: service.instance,
      config_sha256: configDigest(config),
      schema: service.schema,
      version: VERSION,
      ...tokens,
    })
    // This thread has nothing else to do until the record is durable.
    recording.resolve()
    await recorded
    await checkBucket(bucket, { reader: primary.reader, logger })
    await signer?.start()
    await ensureBootstrapAdmin(service, passwords, config)
    // No request may arrive before the cache is open.
    await cache.whenReady
    if (stopping) return
    // The first request arrives here: everything that it may read is ready.
    await listen()
    stopLogging = await logHeadHourly(logger, service)
    // A stop was requested meanwhile, and closes the stores.
    if (stopping) return stopLogging()
    cache.startIndexing()
    warnOfUnknownReasons(config, logger)
    // Meanwhile a stop may have been requested, which closes the stores.
    if (!stopping) webhooks.sender?.start()
    if (!stopping)
      stopRetention = startHourlyTasks({
        logger,
        tasks: [...retentionTasks(services, config, watch), partTask(partStore)],
      })
    if (!stopping && bucket && location?.movesDocuments) {
      const { commit, now, instance: holder } = service
      stopMoving = startMoving(openMover({ reader: primary.reader, commit, now, holder, bucket, partStore }), {
        logger,
        position: service.position,
      })
    }
    if (!stopping) keepMemory = releaseWhenIdle(releaseMemory)
    const { port } = app.server.address() as AddressInfo
    logger.info(
      {
        port,
        ...(config.database ? { database: redactedUrl(config.database.url) } : { data_dir: config.dataDir }),
        auth_mode: config.authMode,
        version: VERSION,
      },
      'listening',
    )
    // The program that started this one may wait for it, as `npm start` does.
    logger.flush(() => process.send?.('ready'))
  }
  try {
    await start()
  } catch (error) {
    // A stop was requested during the start, and closed the stores.
    if (!stopping) throw error
  }
}
