/** The port of a service for which neither `--port` nor `PORT` is given. */
export const DEFAULT_PORT = '8321'

/** Names that the service or its command line reads. */
export const KNOWN_VARIABLES = [
  'SERVICE_ADMIN_PASSWORD',
  'SERVICE_ADMIN_USER',
  'SERVICE_AUTH_MODE',
  'SERVICE_CACHE_MAX_AGE_DAYS',
  'SERVICE_CACHE_MAX_BYTES',
  'SERVICE_CACHE_MAX_ENTRY_BYTES',
  'SERVICE_CACHE_SWEEP_EMPTY_REASON',
  'SERVICE_CHECKPOINT_ACCESS',
  'SERVICE_CHECKPOINT_FILE',
  'SERVICE_CHECKPOINT_KEY',
  'SERVICE_CHECKPOINT_KEY_FILE',
  'SERVICE_CHECKPOINT_SECONDS',
  'SERVICE_CHECKPOINT_URLS',
  'SERVICE_COOKIE_SECURE',
  'SERVICE_DATABASE_POOL_SIZE',
  'SERVICE_DATABASE_READ_URL',
  'SERVICE_DATABASE_STATEMENT_TIMEOUT_MS',
  'SERVICE_DATABASE_URL',
  'SERVICE_DATABASE_WAIT_MS',
  'SERVICE_DATABASE_PREPARED_STATEMENTS',
  'SERVICE_DATA_DIR',
  'SERVICE_LOCAL_CACHE_DIR',
  'SERVICE_LOCAL_CACHE_MAX_SCAN',
  'SERVICE_LOG_FORMAT',
  'SERVICE_MCP_ALLOWED_ORIGINS',
  'SERVICE_MCP_ENABLED',
  'SERVICE_OBJECT_STORE_CONCURRENCY',
  'SERVICE_OBJECT_STORE_DOCUMENTS',
  'SERVICE_OBJECT_STORE_TIMEOUT_MS',
  'SERVICE_OBJECT_STORE_URL',
  'SERVICE_OIDC_PROVIDERS',
  'SERVICE_PART_MAX_BYTES',
  'SERVICE_PROTOCOL',
  'SERVICE_PUBLIC_URL',
  'SERVICE_RECEIPTS',
  'SERVICE_RUN_MAX_AGE_DAYS',
  'SERVICE_RUN_PARTS_MAX_BYTES',
  'SERVICE_SAML_PROVIDERS',
  'SERVICE_SECRET_KEY',
  'SERVICE_SERVER_URL',
  'SERVICE_SMTP_DOMAINS',
  'SERVICE_SMTP_FROM',
  'SERVICE_SMTP_URL',
  'SERVICE_SSO_CLOCK_SKEW_SECS',
  'SERVICE_SSO_DEFAULT_ROLE',
  'SERVICE_STAGED_PARTS_MAX',
  'SERVICE_STAGED_PARTS_MAX_BYTES',
  'SERVICE_STAGED_PART_HOURS',
  'SERVICE_TOKEN',
  'SERVICE_TOKENS',
  'SERVICE_TRUSTED_PROXIES',
  'SERVICE_WEBHOOK_ALLOW',
  'SERVICE_WITNESS_POLICY_FILE',
] as const

const FOR_EVERY_PROVIDER = [
  'LABEL',
  'ADMIN_GROUPS',
  'ADMIN_EMAILS',
  'GROUP_ROLES',
  'GROUP_GRANTS',
  'ALLOWED_EMAIL_DOMAINS',
] as const

/** The variables of an identity provider by its kind: `SERVICE_OIDC_CORP_ISSUER` is the ISSUER of the provider `corp`. */
export const PROVIDER_VARIABLES = {
  OIDC: [...FOR_EVERY_PROVIDER, 'ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'SCOPES', 'GROUPS_CLAIM'],
  SAML: [
    ...FOR_EVERY_PROVIDER,
    'IDP_METADATA_URL',
    'IDP_METADATA_FILE',
    'IDP_SSO_URL',
    'IDP_CERT',
    'SP_ENTITY_ID',
    'EMAIL_ATTR',
    'GROUPS_ATTR',
    'ALLOW_IDP_INITIATED',
  ],
} as const

/** The kinds of identity providers as variables name them. */
export type ProviderKind = keyof typeof PROVIDER_VARIABLES

/** What the names of a provider's variables begin with. `name` may contain other characters than names may have. */
export const prefixOf = (kind: ProviderKind, name: string): string =>
  `SERVICE_${kind}_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_`

/** Prefixes and suffixes of names that contain a provider's name in between. */
const PROVIDERS = [
  ['SERVICE_OIDC_', PROVIDER_VARIABLES.OIDC],
  ['SERVICE_SAML_', PROVIDER_VARIABLES.SAML],
] as const

/** Suffixes of the variables that container platforms set for every service: its host and ports. */
const INJECTED =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?)$/

/** Whether a container platform sets this name by itself. Then it is not a mistake of the user. */
export const isInjected = (name: string): boolean => INJECTED.test(name)

/** Maximum number of wrong, missing or extra letters. */
const MAX_TYPOS = 2

/** All known names are shorter. The limit bounds the comparison. */
const MAX_NAME_LENGTH = 200

/** An unknown variable, and the known name that was probably meant. */
export type LikelyTypo = { readonly variable: string; readonly known: string }

/**
 * Returns the variables whose names begin with `SERVICE`, are unknown, and differ from a known name by one or two
 * letters. Empty variables and those of a container platform are left out.
 */
export const likelyTypos = (env: Readonly<Record<string, string | undefined>>): readonly LikelyTypo[] =>
  Object.keys(env)
    .filter(
      (name) =>
        name.startsWith('SERVICE') &&
        name.length <= MAX_NAME_LENGTH &&
        env[name] &&
        !isKnown(name) &&
        !isInjected(name),
    )
    .sort()
    .flatMap((variable) => {
      const close = [...candidates(variable)]
        .map((known) => ({ known, typos: distance(variable, known) }))
        .filter(({ typos }) => typos <= MAX_TYPOS)
      const [closest] = close.sort((a, b) => a.typos - b.typos)
      return closest ? [{ variable, known: closest.known }] : []
    })

/** Whether this service has the variable, for any name of a provider. */
export const isKnown = (name: string): boolean =>
  (KNOWN_VARIABLES as readonly string[]).includes(name) ||
  PROVIDERS.some(
    ([prefix, ends]) =>
      name.startsWith(prefix) &&
      ends.some((end) => name.endsWith(`_${end}`) && name.length > prefix.length + end.length + 1),
  )

/**
 * Every known name, and the known names with each provider's name that `name` may contain. The parts of `name` before
 * and after the provider's name may be misspelt.
 */
const candidates = function* (name: string): Generator<string> {
  yield* KNOWN_VARIABLES
  for (const [prefix, ends] of PROVIDERS) {
    for (const end of ends) {
      for (let head = prefix.length - MAX_TYPOS; head <= prefix.length + MAX_TYPOS; head++) {
        for (let tail = end.length + 1 - MAX_TYPOS; tail <= end.length + 1 + MAX_TYPOS; tail++) {
          const provider = name.slice(head, name.length - tail)
          if (provider !== '' && name.length - tail > head) yield `${prefix}${provider}_${end}`
        }
      }
    }
  }
}

/**
 * The number of steps that turn one name into the other. A step changes, adds or removes a letter, or swaps two
 * adjacent letters. Returns Infinity if the lengths differ by more than `MAX_TYPOS`.
 */
const distance = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > MAX_TYPOS) return Infinity
  let previous: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      next.push(isExchanged ? Math.min(cost, (previous[j - 2] ?? 0) + 1) : cost)
    }
    previous = row
    row = next
  }
  return row[b.length] ?? Infinity
}
