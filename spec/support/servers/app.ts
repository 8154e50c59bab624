import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { openPartStore, type PartLimits } from '../../../runtime/evidence/part-store.ts'
import { openSharedCache } from '../../../runtime/cache/open-cache.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { storageLocation } from '../../../runtime/storage-location.ts'
import { retainNow } from '../../../runtime/background/retention.ts'
import { NO_TARGETS } from '../../../runtime/webhooks/addresses.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { storeHealth } from '../../../storage/objects/s3/health.ts'
import type { S3Settings } from '../../../storage/objects/s3/settings.ts'
import { openS3Store } from '../../../storage/objects/s3/store.ts'
import { PARTS_FOLDER } from '../../../storage/objects/file-store.ts'
import { buildApp } from '../../../http/app.ts'
import { startedTokens } from '../../../http/identity/static-tokens.ts'
import { openPasswords } from '../../../http/identity/passwords.ts'
import type { AuthMode, HttpConfig, Services, StaticToken } from '../../../http/services.ts'
import { hashOfToken, newSessionToken } from '../../../http/identity/secrets.ts'
import { openDocsSite } from '../../../http/docs-site.ts'
import { readWebBuild } from '../../../http/web.ts'
import { CEILING, SYSTEM } from '../../../queries/access/viewer.ts'
import type { Role, Viewer } from '../../../queries/access/viewer.ts'
import type { Level } from '../../../queries/access/levels.ts'
import { injectEndless } from '../http/inject-endless.ts'
import type { ADocument } from '../documents/documents.ts'
import { putEmptyStore } from '../stores/empty-stores.ts'
import { openFreshService } from '../stores/open-fresh.ts'
import type { SpecStorageKind } from '../stores/open-fresh.ts'
import { PART_LIMITS } from './part-limits.ts'
import type { PlainSql } from '../stores/plain-sql.ts'
import type { EarlierEvents } from '../stores/recorded-before.ts'

/** The secrets of the static tokens, by scope. */
export const TOKENS = { read: 'read-secret', write: 'write-secret', admin: 'admin-secret' } as const
export type Caller = keyof typeof TOKENS | null

/**
 * Hashes passwords at a low cost. All apps of a spec share its queue, because they run on the same machine. Another spec
 * covers the real cost.
 */
const passwords = openPasswords({ cost: { memoryKib: 64, passes: 1 } })
const web = readWebBuild()
const docs = openDocsSite()

type Options = {
  readonly mode?: AuthMode
  readonly tokens?: readonly StaticToken[]
  readonly publicUrl?: string | null
  readonly cookieSecure?: boolean
  readonly trustedProxies?: readonly string[]
  readonly secretKey?: Uint8Array | null
  /** Where webhooks may send besides public addresses; nowhere by default. */
  readonly webhookTargets?: HttpConfig['webhookTargets']
  readonly mail?: HttpConfig['mail']
  readonly now?: () => number
  readonly storage?: SpecStorageKind
  /** The endpoint for agents; not mounted by default. */
  readonly mcp?: HttpConfig['mcp']
  /** The identity providers; none by default. */
  readonly sso?: HttpConfig['sso']
  /** Who may read checkpoints and receipts; the defaults of the service if it is not given. */
  readonly proof?: HttpConfig['proof']
  /** Existing content of the store, as an earlier version recorded it. */
  readonly before?: EarlierEvents
  /** Limits of the shared cache that replace the defaults. */
  readonly limits?: Partial<HttpConfig['cache']>
  /** What the retention deletes by age or empty reason; nothing by default. */
  readonly retention?: Partial<Pick<Parameters<typeof retainNow>[1], 'sweepEmptyReasons' | 'runMaxAgeDays'>>
  /** Limits of parts of evidence that replace the defaults. */
  readonly partLimits?: Partial<PartLimits>
  /** Bytes of all uploads that are received at the same time; the default of the service if it is not given. */
  readonly receivedBytes?: number
  /** The settings of a bucket of large parts; none by default. Credentials are those of the environment. */
  readonly bucket?: S3Settings
  /** Whether the documents of new runs wait to be moved into the bucket. Nothing moves them by itself. */
  readonly movesDocuments?: boolean
  /** Parts of the app that replace those of the service. */
  readonly parts?: (service: OpenService) => Partial<Services>
}

type RequestParts = {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: NonNullable<InjectOptions['payload']>
}
export type Send = (
  method: NonNullable<InjectOptions['method']>,
  path: string,
  request?: RequestParts,
) => Promise<LightMyRequestResponse>

/** An account that is signed in. */
export type SpecUser = {
  readonly user_id: string
  readonly session_id: string
  readonly token: string
  readonly send: Send
  readonly viewer: Viewer
}

/** An app and its store. `rows`, `column` and `execute` work directly on the store. */
export type SpecApp = Omit<PlainSql, 'close'> & {
  readonly app: FastifyInstance
  readonly service: OpenService
  readonly services: Services
  readonly dataDir: string
  /** The URL for the serving role; null on SQLite. */
  readonly databaseUrl: string | null
  /** Sends with a static token, or without a credential. Paths are below /api/v1, except for those like `/health`. */
  readonly sendAs: (caller: Caller) => Send
  /** The JSON with which a GET is answered, as `read` by default. Fails unless the status is 200. */
  readonly getJson: <T>(path: string, caller?: Caller) => Promise<T>
  /** Sends with a credential, or without any. */
  readonly sendWithToken: (token: string | null) => Send
  /** Creates an account whose name is also its id, and signs it in; it has no usable password. */
  readonly addUser: (username: string, role?: Role) => Promise<SpecUser>
  /** Uploads a document (or raw bytes), with the write token by default. */
  readonly ingest: (
    document: ADocument | string | Buffer,
    options?: { readonly caller?: Caller; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<LightMyRequestResponse>
  /** Restricts a project, or one of its suites. */
  readonly restrict: (project: string, suite?: string | null) => Promise<void>
  /** Grants a user a level on a project, or on one of its suites. */
  readonly grant: (user_id: string, level: Level, project: string, suite?: string | null) => Promise<void>
  /** Revokes such a grant. */
  readonly revoke: (user_id: string, project: string, suite?: string | null) => Promise<void>
  /** Lifts the restriction of a project, or of one of its suites. */
  readonly lift: (project: string, suite?: string | null) => Promise<void>
  readonly close: () => Promise<void>
}

/** The folder of large parts of an app; null on PostgreSQL. */
export const partsFolderOf = ({ databaseUrl, dataDir }: Pick<SpecApp, 'databaseUrl' | 'dataDir'>): string | null =>
  databaseUrl === null ? join(dataDir, PARTS_FOLDER) : null

const OUTSIDE_API = /^\/(?:api\/|health$|metrics$)/

/**
 * Opens the whole app on a fresh state directory, in this thread. Rows are checked against their schemas.
 */
export const openApp = async ({
  mode = 'closed',
  tokens,
  publicUrl = null,
  cookieSecure = false,
  trustedProxies = [],
  secretKey = null,
  webhookTargets = NO_TARGETS,
  mail = null,
  mcp = null,
  sso = null,
  proof = { checkpointAccess: 'admin', receipts: 'uploader' },
  now,
  storage,
  before,
  limits = {},
  partLimits: givenPartLimits = {},
  receivedBytes,
  retention = {},
  bucket: bucketSettings,
  movesDocuments = false,
  parts = () => ({}),
}: Options = {}): Promise<SpecApp> => {
  const location = bucketSettings && { settings: bucketSettings, health: storeHealth().buffer, movesDocuments }
  const fresh = await openFreshService({
    bucket: location,
    ...(now ? { now } : {}),
    ...(storage ? { storage } : {}),
    ...(before ? { before } : {}),
  })
  const { service, dataDir, databaseUrl, sql } = fresh
  if (fresh.cacheStore.kind === 'sqlite') putEmptyStore('cache', fresh.cacheStore.file)
  const cache = await openSharedCache({
    store: fresh.cacheStore,
    cacheGeneration: service.cacheGeneration,
    checkRows: true,
    ...(now ? { now } : {}),
  })
  const partLimits = { ...PART_LIMITS, ...givenPartLimits }
  const config: HttpConfig = {
    version: '1.2.3',
    authMode: mode,
    tokens:
      tokens ??
      (['read', 'write', 'admin'] as const).map((scope, i) => ({ scope, secret: TOKENS[scope], position: i + 1 })),
    publicUrl,
    cookieSecure,
    trustedProxies,
    secretKey,
    webhookTargets,
    mail,
    sweepEmptyReasons: [],
    runMaxAgeDays: null,
    mcp,
    sso,
    proof,
    ...retention,
    parts: partLimits,
    ...(receivedBytes !== undefined && { receivedBytes }),
    cache: { max_entry_bytes: 4_194_304, max_bytes: 1_073_741_824, max_age_days: 30, ...limits },
  }
  await service.commit.recordStart(SYSTEM, {
    instance: service.instance,
    config_sha256: '0'.repeat(64),
    schema: service.schema,
    version: config.version,
    ...(await startedTokens(service.reader, config.tokens)),
  })
  const defaults = {
    ...service,
    sharedCache: cache.sharedCache,
    localCache: null,
    passwords,
    web,
    docs,
    config,
    storage: storageLocation({ dataDir, database: databaseUrl === null ? null : { url: databaseUrl } }),
    logger: pino({ level: 'silent' }),
  }
  const bucket =
    location &&
    openS3Store({ ...location, identity: async () => service.reader.read(findLogIdentity), random: () => 0 })
  const services: Services = {
    ...defaults,
    retain: retainNow(defaults, config),
    partStore: openPartStore({ ...service, partsFolder: partsFolderOf({ databaseUrl, dataDir }), bucket }, partLimits),
    signer: null,
    webhooks: null,
    ...parts(service),
  }
  const app = await buildApp(services)
  await app.ready()
  app.inject = injectEndless(app)

  const sendWithToken: SpecApp['sendWithToken'] =
    (token) =>
    (method, path, { headers = {}, body } = {}) =>
      app.inject({
        method,
        url: OUTSIDE_API.test(path) ? path : `/api/v1${path}`,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
        ...(body === undefined ? {} : { payload: body }),
      })
  const sendAs: SpecApp['sendAs'] = (caller) => sendWithToken(caller && TOKENS[caller])
  return {
    app,
    service,
    services,
    dataDir,
    databaseUrl,
    rows: sql.rows,
    column: sql.column,
    execute: sql.execute,
    sendAs,
    getJson: async <T>(path: string, caller: Caller = 'read') => {
      const { statusCode, body } = await sendAs(caller)('GET', path)
      if (statusCode !== 200) throw new Error(`GET ${path} was answered with ${statusCode}: ${body}`)
      return JSON.parse(body) as T
    },
    sendWithToken,
    ingest: (document, { caller = 'write', headers = {} } = {}) =>
      sendAs(caller)('POST', '/runs', {
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof document === 'string' || Buffer.isBuffer(document) ? document : JSON.stringify(document),
      }),
    restrict: (project, suite = null) => service.commit.restrictSet(SYSTEM, { project, suite }),
    lift: (project, suite = null) => service.commit.liftRestriction(SYSTEM, { project, suite }),
    grant: (user_id, level, project, suite = null) =>
      service.commit.grantAccess(SYSTEM, { project, suite, user_id, level }),
    revoke: (user_id, project, suite = null) => service.commit.revokeAccess(SYSTEM, { project, suite, user_id }),
    addUser: async (username, role = 'member') => {
      const user_id = username
      const session_id = `session of ${username}`
      const token = newSessionToken()
      await service.commit.createUser(SYSTEM, { user_id, username, password_hash: '', role })
      await service.commit.signIn(SYSTEM, { user_id, password_hash: '', session_id, token_hash: hashOfToken(token) })
      const actor = {
        address: null,
        credential_id: session_id,
        kind: 'session',
        scope: CEILING[role],
        user_id,
      } as const
      return {
        user_id,
        session_id,
        token,
        send: sendWithToken(token),
        viewer: { actor, request_id: null, sees_all: role === 'admin', needed: null },
      }
    },
    close: async () => {
      await app.close()
      await cache.close()
      bucket?.close()
      await fresh.close()
    },
  }
}
