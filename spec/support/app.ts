import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { openService } from '../../cli/open-service.ts'
import type { OpenService } from '../../cli/open-service.ts'
import { ACCESS } from '../../commands/tags.ts'
import { buildApp } from '../../http/app.ts'
import { staticTokenId } from '../../http/identity.ts'
import type { AuthMode, HttpConfig, Services, StaticToken } from '../../http/services.ts'
import { SYSTEM } from '../../queries/viewer.ts'
import type { Level } from '../../queries/visible.ts'
import type { ADocument } from './documents.ts'

/** The secrets of the static tokens, by their scope. */
export const TOKENS = { read: 'read-secret', write: 'write-secret', admin: 'admin-secret' } as const
export type Caller = keyof typeof TOKENS | null

type Options = {
  readonly mode?: AuthMode
  readonly tokens?: readonly StaticToken[]
  readonly publicUrl?: string | null
  readonly now?: () => number
  /** Whether the read tables are current; they are, unless told otherwise. */
  readonly isReady?: () => boolean
  /** Parts of the app in place of the service's own. */
  readonly parts?: (service: OpenService) => Partial<Services>
}

type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly body?: NonNullable<InjectOptions['payload']> }
export type Send = (method: NonNullable<InjectOptions['method']>, path: string, sent?: Sent) => Promise<LightMyRequestResponse>

export type SpecApp = {
  readonly app: FastifyInstance
  readonly service: OpenService
  readonly services: Services
  readonly dataDir: string
  /** Sends as the holder of a static token, or as nobody. Paths are below /api/v1 unless they start elsewhere: `/health`. */
  readonly as: (caller: Caller) => Send
  /** Uploads a document (or bytes as they are) with the write token, unless told otherwise. */
  readonly ingest: (document: ADocument | string | Buffer, options?: { readonly caller?: Caller; readonly headers?: Readonly<Record<string, string>> }) => Promise<LightMyRequestResponse>
  /** Restricts a project, or one suite of it, as the tables have it. */
  readonly restrict: (project: string, suite?: string | null) => void
  /** Grants a user a level on a project, or on one suite of it, as the tables have it. */
  readonly grant: (user_id: string, level: Level, project: string, suite?: string | null) => void
  /** Undoes every restriction. */
  readonly lift: () => void
  readonly close: () => Promise<void>
}

const elsewhere = /^\/(?:api|health$|metrics$)/

/** The whole app on a fresh state directory, in this thread, its rows checked against their schemas. */
export const openApp = async ({ mode = 'closed', tokens, publicUrl = null, now, isReady, parts = () => ({}) }: Options = {}): Promise<SpecApp> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-app-'))
  const service = await openService({ dataDir, checkRows: true, ...(now ? { now } : {}) })
  const config: HttpConfig = {
    version: '1.2.3',
    authMode: mode,
    tokens: tokens ?? (['read', 'write', 'admin'] as const).map((scope, i) => ({ scope, secret: TOKENS[scope], position: i + 1 })),
    publicUrl,
    cache: { max_entry_bytes: 4_194_304, max_bytes: 1_073_741_824, max_age_days: 30 },
  }
  await service.commit('recordStart', SYSTEM, {
    instance: service.instance,
    config_sha256: '0'.repeat(64),
    schema: (await service.whenReady).schema,
    version: config.version,
    principals: config.tokens.map((token) => ({ id: staticTokenId(token), kind: 'static' as const, label: token.scope })),
  })
  const services: Services = { ...service, ...(isReady ? { isReady } : {}), config, logger: pino({ level: 'silent' }), ...parts(service) }
  const app = await buildApp(services)
  await app.ready()

  const as: SpecApp['as'] = (caller) => (method, path, { headers = {}, body } = {}) =>
    app.inject({
      method,
      url: elsewhere.test(path) ? path : `/api/v1${path}`,
      headers: { ...(caller === null ? {} : { authorization: `Bearer ${TOKENS[caller]}` }), ...headers },
      ...(body === undefined ? {} : { payload: body }),
    })
  const onFile = (work: (db: Database.Database) => void): void => {
    const db = new Database(join(dataDir, 'service.db'))
    work(db)
    db.close()
    // Past the writer, which would tell it.
    service.cache.moved([ACCESS])
  }
  return {
    app,
    service,
    services,
    dataDir,
    as,
    ingest: (document, { caller = 'write', headers = {} } = {}) =>
      as(caller)('POST', '/runs', {
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof document === 'string' || Buffer.isBuffer(document) ? document : JSON.stringify(document),
      }),
    restrict: (project, suite = null) =>
      onFile((db) => {
        const key = JSON.stringify(suite === null ? [project] : [project, suite])
        db.prepare('INSERT INTO restrictions (scope_key, project, suite, created_at) VALUES (?, ?, ?, 0)').run(key, project, suite)
      }),
    grant: (user_id, level, project, suite = null) =>
      onFile((db) => {
        const key = JSON.stringify(suite === null ? [project] : [project, suite])
        db.prepare('INSERT INTO grants (scope_key, user_id, project, suite, level, created_at) VALUES (?, ?, ?, ?, ?, 0)').run(key, user_id, project, suite, level)
      }),
    lift: () => onFile((db) => void db.exec('DELETE FROM restrictions')),
    close: async () => {
      await app.close()
      await service.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
