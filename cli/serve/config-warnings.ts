import type { StaticToken } from '../../http/services.ts'

/** Names that the service or its command line reads, or that a part of it will. */
const KNOWN = [
  'SERVICE_ADMIN_PASSWORD',
  'SERVICE_ADMIN_USER',
  'SERVICE_AUTH_MODE',
  'SERVICE_CACHE_MAX_AGE_DAYS',
  'SERVICE_CACHE_MAX_BYTES',
  'SERVICE_CACHE_MAX_ENTRY_BYTES',
  'SERVICE_CACHE_SWEEP_EMPTY_REASON',
  'SERVICE_COOKIE_SECURE',
  'SERVICE_DATABASE_POOL_SIZE',
  'SERVICE_DATABASE_READ_URL',
  'SERVICE_DATABASE_STATEMENT_TIMEOUT_MS',
  'SERVICE_DATABASE_URL',
  'SERVICE_DATABASE_WAIT_MS',
  'SERVICE_DATA_DIR',
  'SERVICE_LOCAL_CACHE_DIR',
  'SERVICE_LOCAL_CACHE_MAX_SCAN',
  'SERVICE_LOG_FORMAT',
  'SERVICE_MCP_ALLOWED_ORIGINS',
  'SERVICE_MCP_ENABLED',
  'SERVICE_OIDC_PROVIDERS',
  'SERVICE_PROTOCOL',
  'SERVICE_PUBLIC_URL',
  'SERVICE_RUN_MAX_AGE_DAYS',
  'SERVICE_SAML_PROVIDERS',
  'SERVICE_SERVER_URL',
  'SERVICE_SSO_CLOCK_SKEW_SECS',
  'SERVICE_SSO_DEFAULT_ROLE',
  'SERVICE_TOKEN',
  'SERVICE_TOKENS',
  'SERVICE_TRUSTED_PROXIES',
] as const

const OF_EACH_PROVIDER = ['LABEL', 'ADMIN_GROUPS', 'ADMIN_EMAILS', 'ALLOWED_EMAIL_DOMAINS'] as const

/** Names with that of a provider between two parts. */
const PROVIDERS = [
  ['SERVICE_OIDC_', [...OF_EACH_PROVIDER, 'ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'SCOPES', 'GROUPS_CLAIM']],
  [
    'SERVICE_SAML_',
    [
      ...OF_EACH_PROVIDER,
      'IDP_METADATA_URL',
      'IDP_METADATA_FILE',
      'IDP_SSO_URL',
      'IDP_CERT',
      'SP_ENTITY_ID',
      'EMAIL_ATTR',
      'GROUPS_ATTR',
      'ALLOW_IDP_INITIATED',
    ],
  ],
] as const

/** What container platforms set for a service of any name: its host, and each of its ports. */
const INJECTED =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?)$/

/** Whether a name is one that a container platform sets by itself: nobody wrote it, so it is no mistake. */
export const isInjected = (name: string): boolean => INJECTED.test(name)

/** Letters that may be wrong, missing or too many. */
const MAX_WRONG = 2

/** No known name is longer, and what is compared is bounded. */
const LONGEST = 200

/** A variable that nobody reads, and the name that was probably meant. */
export type Unlikely = { readonly variable: string; readonly known: string }

/** Names of ours that are set, that nobody reads, and that are one or two letters from one that is read. */
export const unlikelyNames = (env: Readonly<Record<string, string | undefined>>): readonly Unlikely[] =>
  Object.keys(env)
    .filter(
      (name) =>
        name.startsWith('SERVICE') && name.length <= LONGEST && env[name] && !isKnown(name) && !isInjected(name),
    )
    .sort()
    .flatMap((variable) => {
      const near = [...candidates(variable)]
        .map((known) => ({ known, wrong: distance(variable, known) }))
        .filter(({ wrong }) => wrong <= MAX_WRONG)
      const [nearest] = near.sort((a, b) => a.wrong - b.wrong)
      return nearest ? [{ variable, known: nearest.known }] : []
    })

const isKnown = (name: string): boolean =>
  (KNOWN as readonly string[]).includes(name) ||
  PROVIDERS.some(
    ([prefix, ends]) =>
      name.startsWith(prefix) &&
      ends.some((end) => name.endsWith(`_${end}`) && name.length > prefix.length + end.length + 1),
  )

/** Every known name, and those of the provider that the name may be of: both parts may be misspelt. */
const candidates = function* (name: string): Generator<string> {
  yield* KNOWN
  for (const [prefix, ends] of PROVIDERS) {
    for (const end of ends) {
      for (let head = prefix.length - MAX_WRONG; head <= prefix.length + MAX_WRONG; head++) {
        for (let tail = end.length + 1 - MAX_WRONG; tail <= end.length + 1 + MAX_WRONG; tail++) {
          const provider = name.slice(head, name.length - tail)
          if (provider !== '' && name.length - tail > head) yield `${prefix}${provider}_${end}`
        }
      }
    }
  }
}

/**
 * How many letters have to be changed, added, left out, or exchanged with the next, to make one of the other; anything
 * more than `MAX_WRONG` counts as more.
 */
const distance = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > MAX_WRONG) return Infinity
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      next.push(isExchanged ? Math.min(cost, (before[j - 2] ?? 0) + 1) : cost)
    }
    before = row
    row = next
  }
  return row[b.length] ?? Infinity
}

/** A secret with fewer characters can be guessed. */
const LEAST_SECRET = 16

/** Static tokens whose secrets are too short, by place and scope. */
export const weakTokens = (tokens: readonly StaticToken[]): ReadonlyArray<Pick<StaticToken, 'position' | 'scope'>> =>
  tokens.filter(({ secret }) => [...secret].length < LEAST_SECRET).map(({ position, scope }) => ({ position, scope }))

type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Warns of what is set and looks like a mistake, though the service can start with it. No value is shown. */
export const warnOfConfig = (
  env: Readonly<Record<string, string | undefined>>,
  tokens: readonly StaticToken[],
  warn: Warn,
): void => {
  for (const { variable, known } of unlikelyNames(env))
    warn({ variable, known }, `${variable} is no variable of this service: is ${known} meant?`)
  for (const { position, scope } of weakTokens(tokens)) {
    warn(
      { variable: 'SERVICE_TOKENS', position, scope },
      `SERVICE_TOKENS: the secret of entry ${position} (${scope}) has fewer than ${LEAST_SECRET} characters, so that it can be guessed`,
    )
  }
}
