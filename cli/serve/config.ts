import { z } from 'zod'
import { NO_TARGETS, readAllowedTarget, type AllowedTargets } from '../../runtime/webhooks/addresses.ts'
import { mailDomain, type MailConfig } from '../../runtime/webhooks/mail-address.ts'
import { MAX_PART_BYTES } from '../../domain/evidence/manifest.ts'
import { isProxyRange } from '../../http/identity/client-address.ts'
import { readAllowedOrigin } from '../../http/mcp/origins.ts'
import type { AllowedOrigin, HttpConfig, StaticToken } from '../../http/services.ts'
import type { CheckpointConfig } from '../../runtime/proof/checkpoint-config.ts'
import { readAddress, UnusableAddress, withoutSessions } from '../../storage/postgres/address.ts'
import { listEntries, Names, Switch } from './fields.ts'
import { readObjectStore, type ObjectStoreSettings } from './object-store-config.ts'
import { readProof } from './proof-config.ts'
import { readSso } from './sso/read-sso.ts'
import { DEFAULT_PORT, isInjected } from './variables.ts'

/** A variable has an invalid value. The message names the variable. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig'
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof LEVELS)[number]
export type LogFormat = 'pretty' | 'compact' | 'json'

/** The URLs are valid, and the certificate files that they name can be read. Never log them: they contain passwords. */
export type DatabaseConfig = {
  readonly url: string
  /** The URL of a standby for reads; null if reads use `url`. */
  readonly readUrl: string | null
  /** Maximum number of query connections for each of the two URLs. The service opens a few more for itself. */
  readonly poolSize: number
  readonly statementTimeoutMs: number
  /** How long a start waits for an unavailable database; 0 does not wait. */
  readonly waitMs: number
}

export type Config = Omit<HttpConfig, 'version'> & {
  readonly dataDir: string
  /** The PostgreSQL database of all durable state; null stores it in the state directory. */
  readonly database: DatabaseConfig | null
  readonly port: number
  readonly logFormat: LogFormat | null
  readonly logLevel: LogLevel
  /** The admin that every start creates or restores. `adminUser` and `adminPassword` are both null or both set. */
  readonly adminUser: string | null
  readonly adminPassword: string | null
  readonly cookieSecure: boolean
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Each hour, cache entries with these empty reasons are deleted at any age. An empty list disables this. */
  readonly sweepEmptyReasons: readonly string[]
  /** Age in days at which runs are deleted; null never deletes them. */
  readonly runMaxAgeDays: number | null
  /**
   * A directory of cache entries that is listed next to the service's own cache, and the maximum number of files that
   * are read in the directory.
   */
  readonly localCacheDir: string | null
  readonly localCacheMaxScan: number
  readonly checkpoints: CheckpointConfig
  /** The bucket of large parts of evidence; null if they are in files or in the database. */
  readonly objectStore: ObjectStoreSettings | null
}

const wholeNumber = (minimum: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text.trim()) && Number(text) >= minimum,
      `must be a whole number of at least ${minimum}`,
    )
    .transform(Number)

const StagedHours = wholeNumber(1).refine((hours) => hours <= 168, 'must be at most 168')

const AUTH_MODES = {
  open: 'open',
  'protect-writes': 'protect-writes',
  protect_writes: 'protect-writes',
  closed: 'closed',
} as const

const Mode = z
  .string()
  .refine(
    (text): text is keyof typeof AUTH_MODES => Object.hasOwn(AUTH_MODES, text),
    'must be open, protect-writes or closed',
  )
  .transform((text) => AUTH_MODES[text])

// Errors never quote a secret: they name the entry by its position.
const Tokens = z.string().transform((text, context): StaticToken[] =>
  text.split(',').flatMap((entry, i): StaticToken[] => {
    if (entry.trim() === '') return []
    const [, scope, text] = /^(read|write|admin)\s*:(.*)$/s.exec(entry.trim()) ?? []
    const secret = text?.trim()
    if (scope === undefined || secret === undefined || secret === '') {
      context.addIssue({
        code: 'custom',
        message: `entry ${i + 1} is not scope:secret with scope read, write or admin`,
      })
      return []
    }
    return [{ scope: scope as StaticToken['scope'], secret, position: i + 1 }]
  }),
)

const PublicUrl = z.string().transform((text, context): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain =
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.search === '' &&
    url.hash === '' &&
    url.username === ''
  if (!url || !plain) {
    context.addIssue({ code: 'custom', message: 'must be an http or https URL' })
    return z.NEVER
  }
  if (text.endsWith('/') || url.pathname !== '/')
    context.addIssue({ code: 'custom', message: 'must have no path prefix and no trailing slash' })
  return text
})

const Flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const Origins = z.string().transform((text, context): AllowedOrigin[] =>
  listEntries(text).flatMap((entry) => {
    const origin = readAllowedOrigin(entry)
    if (origin) return [origin]
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(entry)} is not an origin such as https://app.example.com, nor a host with or without a port`,
    })
    return []
  }),
)

const Proxies = z.string().transform((text, context): string[] => {
  const entries = listEntries(text)
  for (const entry of entries) {
    if (!isProxyRange(entry))
      context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)} is not an IP address or CIDR range` })
  }
  return entries
})

const WebhookTargets = z.string().transform((text, context): AllowedTargets => {
  const targets = listEntries(text).flatMap((entry) => {
    const target = readAllowedTarget(entry)
    if (target) return [target]
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(entry)} is not a host name, an IP address or a CIDR range`,
    })
    return []
  })
  const textsOf = (kind: (typeof targets)[number]['kind']): string[] =>
    targets.filter((target) => target.kind === kind).map((target) => target.text)
  return { hosts: textsOf('host'), ranges: textsOf('range') }
})

/**
 * Parses `info`, or `warn,http=debug`: the last level without a component applies to everything. If all levels have
 * components, the most verbose one applies.
 */
const Filter = z.string().transform((text, context): LogLevel => {
  let level: LogLevel | null = null
  let mostVerbose: LogLevel | null = null
  for (const directive of text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')) {
    const parts = directive.split('=')
    const found = LEVELS.find((name) => name === parts.at(-1))
    if (!found || parts.length > 2) {
      context.addIssue({
        code: 'custom',
        message: `${JSON.stringify(directive)} is not a level (${LEVELS.join(', ')}) or component=level`,
      })
      return z.NEVER
    }
    if (parts.length === 1) level = found
    else if (mostVerbose === null || LEVELS.indexOf(found) < LEVELS.indexOf(mostVerbose)) mostVerbose = found
  }
  // Without any directive the level is info.
  return level ?? mostVerbose ?? 'info'
})

const DatabaseUrl = z.string().transform((text, context): string => {
  try {
    readAddress(text)
  } catch (error) {
    if (!(error instanceof UnusableAddress)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
  return text
})

/** The length of `SERVICE_SECRET_KEY`, for AES-256. */
const SECRET_KEY_BYTES = 32

// The error does not quote the value, which is a secret.
const SecretKey = z.string().transform((text, context): Uint8Array => {
  const key = Buffer.from(text.trim(), 'base64')
  // Decoding passes over what is not base64.
  if (key.length === SECRET_KEY_BYTES && key.toString('base64') === text.trim()) return key
  context.addIssue({ code: 'custom', message: `must be ${SECRET_KEY_BYTES} bytes in base64: openssl rand -base64 32` })
  return z.NEVER
})

// The errors do not quote the value, which may contain a password.
const SmtpUrl = z.string().transform((text, context): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    context.addIssue({
      code: 'custom',
      message: 'must be smtp://HOST or smtps://HOST, with USER:PASSWORD@ and :PORT if needed',
    })
  else if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    context.addIssue({ code: 'custom', message: 'must have no path and no query' })
  return text
})
const MailAddress = z.string().refine((text) => mailDomain(text) !== null, 'must be one e-mail address, without a name')

const DEFAULT_DATA_DIR = '/data'

const Environment = z.object({
  SERVICE_DATA_DIR: z.string().min(1, 'must not be empty').default(DEFAULT_DATA_DIR),
  SERVICE_DATABASE_URL: DatabaseUrl.nullable().default(null),
  SERVICE_DATABASE_READ_URL: DatabaseUrl.nullable().default(null),
  SERVICE_DATABASE_POOL_SIZE: wholeNumber(1).default(10),
  SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1).default(30_000),
  SERVICE_DATABASE_WAIT_MS: wholeNumber(0).default(30_000),
  SERVICE_DATABASE_PREPARED_STATEMENTS: Flag.default(true),
  SERVICE_TOKENS: Tokens.default([]),
  SERVICE_AUTH_MODE: Mode.default('closed'),
  SERVICE_SECRET_KEY: SecretKey.nullable().default(null),
  SERVICE_PUBLIC_URL: PublicUrl.nullable().default(null),
  SERVICE_COOKIE_SECURE: Flag.nullable().default(null),
  SERVICE_TRUSTED_PROXIES: Proxies.default([]),
  SERVICE_WEBHOOK_ALLOW: WebhookTargets.default(NO_TARGETS),
  SERVICE_SMTP_URL: SmtpUrl.nullable().default(null),
  SERVICE_SMTP_FROM: MailAddress.nullable().default(null),
  SERVICE_SMTP_DOMAINS: Names.default([]),
  SERVICE_LOG_FORMAT: z.enum(['pretty', 'compact', 'json'], 'must be pretty, compact or json').nullable().default(null),
  SERVICE_PART_MAX_BYTES: wholeNumber(1).nullable().default(null),
  SERVICE_RUN_PARTS_MAX_BYTES: wholeNumber(1).default(21_474_836_480),
  SERVICE_STAGED_PARTS_MAX_BYTES: wholeNumber(1).default(53_687_091_200),
  SERVICE_STAGED_PARTS_MAX: wholeNumber(1).default(200_000),
  SERVICE_STAGED_PART_HOURS: StagedHours.default(24),
  SERVICE_CACHE_MAX_ENTRY_BYTES: wholeNumber(1).default(4_194_304),
  SERVICE_CACHE_MAX_BYTES: wholeNumber(0).default(1_073_741_824),
  SERVICE_CACHE_MAX_AGE_DAYS: wholeNumber(0).default(30),
  SERVICE_CACHE_SWEEP_EMPTY_REASON: Names.default([]),
  SERVICE_LOCAL_CACHE_DIR: z.string().min(1, 'must not be empty').nullable().default(null),
  SERVICE_LOCAL_CACHE_MAX_SCAN: wholeNumber(1).default(20_000),
  SERVICE_MCP_ENABLED: Switch.default(false),
  SERVICE_MCP_ALLOWED_ORIGINS: Origins.default([]),
  // 0 would delete every run, which is never intended.
  SERVICE_RUN_MAX_AGE_DAYS: wholeNumber(1).nullable().default(null),
  RUST_LOG: Filter.default('info'),
})

const Port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a port from 0 to 65535')
  .transform(Number)

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the bootstrap admin. The name is trimmed, the password is not. An empty value counts as unset. */
const readAdmin = (
  env: Variables,
): { readonly adminUser: string | null; readonly adminPassword: string | null; readonly errors: readonly string[] } => {
  const adminUser = env['SERVICE_ADMIN_USER']?.trim() || null
  const adminPassword = env['SERVICE_ADMIN_PASSWORD'] || null
  const errors = [
    ...(adminUser === null && adminPassword !== null
      ? ['SERVICE_ADMIN_USER: must be set together with SERVICE_ADMIN_PASSWORD']
      : []),
    ...(adminUser !== null && adminPassword === null
      ? ['SERVICE_ADMIN_PASSWORD: must be set together with SERVICE_ADMIN_USER']
      : []),
  ]
  return { adminUser, adminPassword, errors }
}

const DATABASE_VARIABLES = [
  'SERVICE_DATABASE_READ_URL',
  'SERVICE_DATABASE_POOL_SIZE',
  'SERVICE_DATABASE_STATEMENT_TIMEOUT_MS',
  'SERVICE_DATABASE_WAIT_MS',
  'SERVICE_DATABASE_PREPARED_STATEMENTS',
] as const

/** Errors for database variables that would have no effect, misspelt names included. */
const databaseErrors = (env: Variables): string[] => [
  ...Object.keys(env)
    .filter(
      (name) => name.startsWith('SERVICE_DATABASE_') && !Object.hasOwn(Environment.shape, name) && !isInjected(name),
    )
    .sort()
    .map((name) => `${name}: is not a variable of this service`),
  ...DATABASE_VARIABLES.filter((name) => env[name] !== undefined && env['SERVICE_DATABASE_URL'] === undefined).map(
    (name) => `${name}: must be set together with SERVICE_DATABASE_URL`,
  ),
]

/** Errors for variables of e-mails of which another one is missing. */
const mailErrors = (env: Variables): string[] =>
  [
    ['SERVICE_SMTP_FROM', 'SERVICE_SMTP_URL'],
    ['SERVICE_SMTP_URL', 'SERVICE_SMTP_FROM'],
    ['SERVICE_SMTP_URL', 'SERVICE_SMTP_DOMAINS'],
  ].flatMap(([missing = '', name = '']) =>
    env[name] !== undefined && env[missing] === undefined ? [`${missing}: must be set together with ${name}`] : [],
  )

type Flags = {
  readonly port?: string | undefined
  readonly dataDir?: string | undefined
  readonly quietRequests?: boolean | undefined
}

/**
 * Returns the variables without the empty ones, which count as unset: compose files and CI set a variable without a
 * value to an empty text. An empty database URL is not removed, and is rejected later: if it counted as unset, data
 * would be stored in the state directory.
 */
const withoutEmpty = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== '' || name === 'SERVICE_DATABASE_URL'),
    ),
  )

/** E-mails go to the domain of their sender, unless domains are listed. */
const mailOf = ({
  SERVICE_SMTP_URL: url,
  SERVICE_SMTP_FROM: from,
  SERVICE_SMTP_DOMAINS: domains,
}: z.infer<typeof Environment>): MailConfig | null =>
  url === null || from === null
    ? null
    : { url, from, domains: domains.length > 0 ? domains.map((name) => name.toLowerCase()) : [mailDomain(from) ?? ''] }

/** Reads flags and environment. Throws `InvalidConfig`, which names every invalid variable or flag. */
export const readConfig = (environment: Variables, flags: Flags = {}): Config => {
  const env = withoutEmpty(environment)
  const values = Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, env[name]]))
  const parsed = Environment.safeParse({
    ...values,
    ...(flags.dataDir === undefined ? {} : { SERVICE_DATA_DIR: flags.dataDir }),
  })
  const { adminUser, adminPassword, ...admin } = readAdmin(env)
  const { sso, ...signOn } = readSso(env)
  const { proof, checkpoints, ...proofs } = readProof(env, {
    dataDir: flags.dataDir ?? env['SERVICE_DATA_DIR'] ?? DEFAULT_DATA_DIR,
    isDatabase: env['SERVICE_DATABASE_URL'] !== undefined,
  })
  const { objectStore, ...objects } = readObjectStore(env)
  const errors = [
    ...admin.errors,
    ...databaseErrors(env),
    ...mailErrors(env),
    ...signOn.errors,
    ...proofs.errors,
    ...objects.errors,
  ]
  const port = Port.safeParse(flags.port ?? env['PORT'] ?? DEFAULT_PORT)
  const portName = flags.port === undefined ? 'PORT' : '--port'
  if (!port.success) errors.push(...port.error.issues.map(({ message }) => `${portName}: ${message}`))
  if (!parsed.success) errors.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  if (!parsed.success || !port.success || errors.length > 0) throw new InvalidConfig(errors.join('\n'))
  const settings = parsed.data
  const addressed = settings.SERVICE_DATABASE_PREPARED_STATEMENTS ? (url: string) => url : withoutSessions
  return {
    dataDir: settings.SERVICE_DATA_DIR,
    database:
      settings.SERVICE_DATABASE_URL === null
        ? null
        : {
            url: addressed(settings.SERVICE_DATABASE_URL),
            readUrl: settings.SERVICE_DATABASE_READ_URL && addressed(settings.SERVICE_DATABASE_READ_URL),
            poolSize: settings.SERVICE_DATABASE_POOL_SIZE,
            statementTimeoutMs: settings.SERVICE_DATABASE_STATEMENT_TIMEOUT_MS,
            waitMs: settings.SERVICE_DATABASE_WAIT_MS,
          },
    port: port.data,
    authMode: settings.SERVICE_AUTH_MODE,
    tokens: settings.SERVICE_TOKENS,
    secretKey: settings.SERVICE_SECRET_KEY,
    webhookTargets: settings.SERVICE_WEBHOOK_ALLOW,
    mail: mailOf(settings),
    publicUrl: settings.SERVICE_PUBLIC_URL,
    adminUser,
    adminPassword,
    cookieSecure:
      settings.SERVICE_COOKIE_SECURE ??
      (settings.SERVICE_PUBLIC_URL !== null && new URL(settings.SERVICE_PUBLIC_URL).protocol === 'https:'),
    trustedProxies: settings.SERVICE_TRUSTED_PROXIES,
    sweepEmptyReasons: settings.SERVICE_CACHE_SWEEP_EMPTY_REASON,
    runMaxAgeDays: settings.SERVICE_RUN_MAX_AGE_DAYS,
    localCacheDir: settings.SERVICE_LOCAL_CACHE_DIR,
    localCacheMaxScan: settings.SERVICE_LOCAL_CACHE_MAX_SCAN,
    mcp: settings.SERVICE_MCP_ENABLED ? { allowedOrigins: settings.SERVICE_MCP_ALLOWED_ORIGINS } : null,
    sso,
    proof,
    checkpoints,
    objectStore,
    logFormat: settings.SERVICE_LOG_FORMAT,
    logLevel: settings.RUST_LOG,
    ...(flags.quietRequests === true ? { quietRequests: true } : {}),
    parts: {
      // The log of a database takes every byte twice.
      maxBytes: Math.min(
        settings.SERVICE_PART_MAX_BYTES ??
          (settings.SERVICE_DATABASE_URL === null || objectStore !== null ? MAX_PART_BYTES : 268_435_456),
        MAX_PART_BYTES,
      ),
      maxRunBytes: settings.SERVICE_RUN_PARTS_MAX_BYTES,
      staged: {
        maxBytes: settings.SERVICE_STAGED_PARTS_MAX_BYTES,
        maxParts: settings.SERVICE_STAGED_PARTS_MAX,
        hours: settings.SERVICE_STAGED_PART_HOURS,
      },
    },
    cache: {
      max_entry_bytes: settings.SERVICE_CACHE_MAX_ENTRY_BYTES,
      max_bytes: settings.SERVICE_CACHE_MAX_BYTES,
      max_age_days: settings.SERVICE_CACHE_MAX_AGE_DAYS,
    },
  }
}
