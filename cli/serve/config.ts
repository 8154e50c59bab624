import { z } from 'zod'
import { isProxyRange } from '../../http/identity/client-address.ts'
import type { HttpConfig, StaticToken } from '../../http/services.ts'
import { readAddress, UnusableAddress } from '../../storage/postgres/address.ts'
import { isInjected } from './config-warnings.ts'

/** A variable that the service cannot start with; the message names it. */
export class InvalidConfig extends Error {
  override readonly name = 'Misconfigured'
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof LEVELS)[number]
export type LogFormat = 'pretty' | 'compact' | 'json'

/** Its URLs are readable ones, with the certificate files that they name. They hold passwords: never log this. */
export type DatabaseConfig = {
  readonly url: string
  /** Where reads may go; null is to `url`, too. */
  readonly readUrl: string | null
  /**
   * The most connections for queries that each of the two URLs gets, besides the few that the service keeps for itself.
   */
  readonly poolSize: number
  readonly statementTimeoutMs: number
  /** How long a start waits for a database that is away; 0 not at all. */
  readonly waitMs: number
}

export type Config = Omit<HttpConfig, 'version'> & {
  readonly dataDir: string
  /** The PostgreSQL that holds all durable state; null keeps it in the state directory. */
  readonly database: DatabaseConfig | null
  readonly port: number
  readonly logFormat: LogFormat | null
  readonly logLevel: LogLevel
  /** The account that every start ensures, with `adminPassword`; both are null or neither. */
  readonly adminUser: string | null
  readonly adminPassword: string | null
  readonly cookieSecure: boolean
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Empty reasons whose cache entries go each hour at any age; none means no sweep. */
  readonly sweepEmptyReasons: readonly string[]
  /** Days after which runs go, null for never. */
  readonly runMaxAgeDays: number | null
  /** A directory of cache entries that is shown beside the service's own, and how many of its files are looked at. */
  readonly localCacheDir: string | null
  readonly localCacheMaxScan: number
}

const wholeNumber = (least: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text.trim()) && Number(text) >= least,
      `must be a whole number of at least ${least}`,
    )
    .transform(Number)

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

// A secret is never quoted back: an error names the entry by its place.
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

const Proxies = z.string().transform((text, context): string[] => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  for (const entry of entries) {
    if (!isProxyRange(entry))
      context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)} is not an IP address or CIDR range` })
  }
  return entries
})

/** Names between commas; white space around them and what is empty count for nothing. */
const Names = z.string().transform((text) => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
])

/**
 * `info`, or `warn,http=debug`: the first part without a component is the level. Components are accepted and share it.
 */
const Filter = z.string().transform((text, context): LogLevel => {
  let level: LogLevel | null = null
  let loudest: LogLevel | null = null
  for (const directive of text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')) {
    const named = directive.split('=')
    const found = LEVELS.find((each) => each === named.at(-1))
    if (!found || named.length > 2) {
      context.addIssue({
        code: 'custom',
        message: `${JSON.stringify(directive)} is not a level (${LEVELS.join(', ')}) or component=level`,
      })
      return z.NEVER
    }
    if (named.length === 1) level = found
    else if (loudest === null || LEVELS.indexOf(found) < LEVELS.indexOf(loudest)) loudest = found
  }
  // Nothing said is not silence.
  return level ?? loudest ?? 'info'
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

const Environment = z.object({
  SERVICE_DATA_DIR: z.string().min(1, 'must not be empty').default('/data'),
  SERVICE_DATABASE_URL: DatabaseUrl.nullable().default(null),
  SERVICE_DATABASE_READ_URL: DatabaseUrl.nullable().default(null),
  SERVICE_DATABASE_POOL_SIZE: wholeNumber(1).default(10),
  SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1).default(30_000),
  SERVICE_DATABASE_WAIT_MS: wholeNumber(0).default(30_000),
  SERVICE_TOKENS: Tokens.default([]),
  SERVICE_AUTH_MODE: Mode.default('closed'),
  SERVICE_PUBLIC_URL: PublicUrl.nullable().default(null),
  SERVICE_COOKIE_SECURE: Flag.nullable().default(null),
  SERVICE_TRUSTED_PROXIES: Proxies.default([]),
  SERVICE_LOG_FORMAT: z.enum(['pretty', 'compact', 'json'], 'must be pretty, compact or json').nullable().default(null),
  SERVICE_CACHE_MAX_ENTRY_BYTES: wholeNumber(1).default(4_194_304),
  SERVICE_CACHE_MAX_BYTES: wholeNumber(0).default(1_073_741_824),
  SERVICE_CACHE_MAX_AGE_DAYS: wholeNumber(0).default(30),
  SERVICE_CACHE_SWEEP_EMPTY_REASON: Names.default([]),
  SERVICE_LOCAL_CACHE_DIR: z.string().min(1, 'must not be empty').nullable().default(null),
  SERVICE_LOCAL_CACHE_MAX_SCAN: wholeNumber(1).default(20_000),
  // Nobody means to delete every run there is by a 0.
  SERVICE_RUN_MAX_AGE_DAYS: wholeNumber(1).nullable().default(null),
  RUST_LOG: Filter.default('info'),
})

const Port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a port from 0 to 65535')
  .transform(Number)

/** Variables of this service that are not built yet: setting one must not look as if it worked. */
const NOT_YET = [/^SERVICE_SSO_/, /^SERVICE_OIDC_/, /^SERVICE_SAML_/, /^SERVICE_MCP_/]

/** Saying that a part is off asks for nothing that is not there. */
const isOff = (name: string, value: string | undefined): boolean =>
  name === 'SERVICE_MCP_ENABLED' && /^(?:false|0|no)$/.test(value ?? '')

type Variables = Readonly<Record<string, string | undefined>>

/** The bootstrap admin. A name is trimmed as everywhere, a password is taken as it is; empty is as good as unset. */
const adminOf = (
  env: Variables,
): { readonly adminUser: string | null; readonly adminPassword: string | null; readonly wrong: readonly string[] } => {
  const adminUser = env['SERVICE_ADMIN_USER']?.trim() || null
  const adminPassword = env['SERVICE_ADMIN_PASSWORD'] || null
  const wrong = [
    ...(adminUser === null && adminPassword !== null
      ? ['SERVICE_ADMIN_USER: must be set together with SERVICE_ADMIN_PASSWORD']
      : []),
    ...(adminUser !== null && adminPassword === null
      ? ['SERVICE_ADMIN_PASSWORD: must be set together with SERVICE_ADMIN_USER']
      : []),
  ]
  return { adminUser, adminPassword, wrong }
}

const OF_DATABASE = [
  'SERVICE_DATABASE_READ_URL',
  'SERVICE_DATABASE_POOL_SIZE',
  'SERVICE_DATABASE_STATEMENT_TIMEOUT_MS',
  'SERVICE_DATABASE_WAIT_MS',
] as const

/** What would have no effect, or might be taken for one of ours: a misspelt name must not look as if it worked. */
const wrongOfDatabase = (env: Variables): string[] => [
  ...Object.keys(env)
    .filter(
      (name) => name.startsWith('SERVICE_DATABASE_') && !Object.hasOwn(Environment.shape, name) && !isInjected(name),
    )
    .sort()
    .map((name) => `${name}: is no variable of this service`),
  ...OF_DATABASE.filter((name) => env[name] !== undefined && env['SERVICE_DATABASE_URL'] === undefined).map(
    (name) => `${name}: must be set together with SERVICE_DATABASE_URL`,
  ),
]

type Given = { readonly port?: string | undefined; readonly dataDir?: string | undefined }

/**
 * Variables without the empty ones, which are unset: compose files and CI set what they have no value for to nothing.
 * An empty database URL stays, to be refused: what was meant to go there would go elsewhere.
 */
const setIn = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== '' || name === 'SERVICE_DATABASE_URL'),
    ),
  )

/**
 * Reads flags and environment; a variable that is empty is unset. Throws `InvalidConfig`, naming every variable or flag
 * that is wrong.
 */
export const readConfig = (environment: Variables, given: Given = {}): Config => {
  const env = setIn(environment)
  const wrong = Object.keys(env)
    .filter((name) => NOT_YET.some((missing) => missing.test(name)) && !isOff(name, env[name]))
    .sort()
    .map((name) => `${name}: not supported by this version`)
  const known = Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, env[name]]))
  const parsed = Environment.safeParse({
    ...known,
    ...(given.dataDir === undefined ? {} : { SERVICE_DATA_DIR: given.dataDir }),
  })
  const { adminUser, adminPassword, ...admin } = adminOf(env)
  wrong.push(...admin.wrong, ...wrongOfDatabase(env))
  const port = Port.safeParse(given.port ?? '8321')
  if (!port.success) wrong.push(...port.error.issues.map(({ message }) => `--port: ${message}`))
  if (!parsed.success) wrong.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  if (!parsed.success || !port.success || wrong.length > 0) throw new InvalidConfig(wrong.join('\n'))
  const read = parsed.data
  return {
    dataDir: read.SERVICE_DATA_DIR,
    database:
      read.SERVICE_DATABASE_URL === null
        ? null
        : {
            url: read.SERVICE_DATABASE_URL,
            readUrl: read.SERVICE_DATABASE_READ_URL,
            poolSize: read.SERVICE_DATABASE_POOL_SIZE,
            statementTimeoutMs: read.SERVICE_DATABASE_STATEMENT_TIMEOUT_MS,
            waitMs: read.SERVICE_DATABASE_WAIT_MS,
          },
    port: port.data,
    authMode: read.SERVICE_AUTH_MODE,
    tokens: read.SERVICE_TOKENS,
    publicUrl: read.SERVICE_PUBLIC_URL,
    adminUser,
    adminPassword,
    cookieSecure:
      read.SERVICE_COOKIE_SECURE ??
      (read.SERVICE_PUBLIC_URL !== null && new URL(read.SERVICE_PUBLIC_URL).protocol === 'https:'),
    trustedProxies: read.SERVICE_TRUSTED_PROXIES,
    sweepEmptyReasons: read.SERVICE_CACHE_SWEEP_EMPTY_REASON,
    runMaxAgeDays: read.SERVICE_RUN_MAX_AGE_DAYS,
    localCacheDir: read.SERVICE_LOCAL_CACHE_DIR,
    localCacheMaxScan: read.SERVICE_LOCAL_CACHE_MAX_SCAN,
    logFormat: read.SERVICE_LOG_FORMAT,
    logLevel: read.RUST_LOG,
    cache: {
      max_entry_bytes: read.SERVICE_CACHE_MAX_ENTRY_BYTES,
      max_bytes: read.SERVICE_CACHE_MAX_BYTES,
      max_age_days: read.SERVICE_CACHE_MAX_AGE_DAYS,
    },
  }
}
