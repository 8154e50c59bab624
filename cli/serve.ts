import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import { Command } from 'commander'
import type { Logger } from 'pino'
import { buildApp } from '../http/app.ts'
import { staticTokenId } from '../http/identity.ts'
import { openPasswords } from '../http/passwords.ts'
import { SYSTEM } from '../queries/viewer.ts'
import type { Config } from './config.ts'
import { Misconfigured, readConfig } from './config.ts'
import { ensureBootstrapAdmin } from './ensure-admin.ts'
import { logHeadHourly } from './log-head.ts'
import { createLogger } from './logger.ts'
import { openService } from './open-service.ts'
import type { OpenService } from './open-service.ts'
import { VERSION } from './version.ts'

/** How long requests in flight may take to finish once the process is told to stop. */
const GRACE_MS = 30_000

export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the service until interrupted')
    .option('--port <port>', 'port to listen on, 0 for any free one (default 8321)')
    .option('--data-dir <folder>', 'state directory (default SERVICE_DATA_DIR, else /data)')
    .action(async (given: { port?: string; dataDir?: string }) => {
      let config: Config
      try {
        config = readConfig(process.env, given)
      } catch (error) {
        if (!(error instanceof Misconfigured)) throw error
        console.error(error.message.replace(/^/gm, 'misconfigured: '))
        process.exitCode = 1
        return
      }
      await serve(config)
    })

const serve = async (config: Config): Promise<void> => {
  const logger = await createLogger({ format: config.logFormat, level: config.logLevel, terminal: process.stderr.isTTY })
  // Without the writer nothing can be kept: end at once rather than answer from the past.
  const onFatal = (error: Error): void => {
    logger.fatal({ err: error }, 'the service cannot go on')
    logger.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), 1000).unref()
  }

  let service: OpenService
  try {
    service = await openService({ dataDir: config.dataDir, threads: true, log: (message, fields) => logger.info(fields, message), onFatal })
  } catch (error) {
    logger.fatal({ err: error }, error instanceof Error ? error.message : 'the state directory cannot be opened')
    process.exitCode = 1
    return
  }

  try {
    await run(config, service, logger)
  } catch (error) {
    // The threads and the lock would keep a half-started process alive.
    logger.fatal({ err: error }, error instanceof Error ? error.message : 'the service cannot start')
    await service.close().catch((failed: unknown) => logger.error({ err: failed }, 'the store cannot be closed'))
    logger.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), 1000).unref()
  }
}

const run = async (config: Config, service: OpenService, logger: Logger): Promise<void> => {
  const passwords = openPasswords()
  let isStarted = false
  const isReady = (): boolean => isStarted && service.isReady()
  const app = await buildApp({ ...service, isReady, passwords, config: { ...config, version: VERSION }, logger })
  try {
    // Listening before the read tables are current: readiness tells, and everything else answers 503 until then.
    await app.listen({ host: '0.0.0.0', port: config.port })
  } catch (cause) {
    throw new Error(`cannot listen on port ${config.port}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  let stopping = false
  let stopLogging = (): void => {}
  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, 'unexpected failure')
    logger.info({ signal }, 'shutting down')
    stopping = true
    stopLogging()
    await app.close()
    await service.close()
    logger.info('stopped')
    await new Promise<void>((resolve) => logger.flush(() => resolve()))
  })

  let schema: number
  try {
    schema = (await service.whenReady).schema
  } catch (error) {
    if (stopping) return
    throw error
  }
  // Told to stop while the read tables were being rebuilt: there is nothing left to start.
  if (stopping) return
  await service.commit('recordStart', SYSTEM, {
    instance: service.instance,
    config_sha256: configDigest(config),
    schema,
    version: VERSION,
    principals: config.tokens.map((token) => ({ id: staticTokenId(token), kind: 'static', label: token.scope })),
  })
  await ensureBootstrapAdmin(service, passwords, config)
  isStarted = true
  stopLogging = await logHeadHourly(logger, service)
  const { port } = app.server.address() as AddressInfo
  logger.info({ port, data_dir: config.dataDir, auth_mode: config.authMode, version: VERSION }, 'listening')
}

/** Tells configurations apart in the audit trail. Secrets and names are left out: a digest of a weak one could be guessed. */
const configDigest = ({ tokens, adminUser: _user, adminPassword: _password, ...config }: Config): string => {
  const shown = { ...config, tokens: tokens.map(({ scope, position }) => ({ scope, position })) }
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}
