import type { StaticToken } from '../../http/services.ts'
import type { OidcProviderConfig, SamlProviderConfig } from '../../http/sso/config.ts'
import { validUntil } from '../../http/sso/saml/certificates.ts'
import type { Config } from './config.ts'
import { likelyTypos, prefixOf } from './variables.ts'

/** Shorter secrets can be guessed. */
const MIN_SECRET_LENGTH = 16

/** Returns position and scope of the static tokens whose secrets are too short. */
export const weakTokens = (tokens: readonly StaticToken[]): ReadonlyArray<Pick<StaticToken, 'position' | 'scope'>> =>
  tokens
    .filter(({ secret }) => [...secret].length < MIN_SECRET_LENGTH)
    .map(({ position, scope }) => ({ position, scope }))

type Variables = Readonly<Record<string, string | undefined>>

type ConfigWarning = { readonly variable: string; readonly provider: string; readonly message: string }

const isUnencrypted = (url: string): boolean => new URL(url).protocol === 'http:'

const warningsOfOidc = ({ name, issuer }: OidcProviderConfig): ConfigWarning[] =>
  isUnencrypted(issuer)
    ? [
        {
          variable: `${prefixOf('OIDC', name)}ISSUER`,
          provider: name,
          message:
            'the issuer is not https, so the client secret and all identities can be read and forged in the network',
        },
      ]
    : []

/** `now` is in epoch milliseconds. */
const warningsOfSaml = (
  { name, idp }: SamlProviderConfig,
  env: Variables,
  cookieSecure: boolean,
  now: number,
): ConfigWarning[] => {
  const prefix = prefixOf('SAML', name)
  const source = `${prefix}${env[`${prefix}IDP_CERT`] ? 'IDP_CERT' : 'IDP_METADATA_FILE'}`
  const certificates = idp.from === 'configuration' ? idp.metadata.certificates : []
  return [
    ...(idp.from === 'url' && isUnencrypted(idp.url)
      ? [
          {
            variable: `${prefix}IDP_METADATA_URL`,
            provider: name,
            message: 'the metadata is not fetched over https, so its certificates can be replaced in the network',
          },
        ]
      : []),
    ...certificates.flatMap((pem, i) =>
      validUntil(pem) < now
        ? [
            {
              variable: source,
              provider: name,
              message: `certificate ${i + 1} of ${certificates.length} expired on ${new Date(validUntil(pem)).toISOString().slice(0, 10)}; it is still accepted`,
            },
          ]
        : [],
    ),
    ...(cookieSecure
      ? []
      : [
          {
            variable: 'SERVICE_COOKIE_SECURE',
            provider: name,
            message:
              'without Secure cookies browsers do not send the cookie of a SAML sign-in with a response from another site, so sign-ins fail with invalid_state; serve with https',
          },
        ]),
  ]
}

/** Whether providers are configured, but nothing in the configuration creates an admin. */
const hasNoAdmin = ({ tokens, sso, adminUser }: Pick<Config, 'tokens' | 'sso' | 'adminUser'>): boolean =>
  sso !== null &&
  adminUser === null &&
  !tokens.some(({ scope }) => scope === 'admin') &&
  sso.providers.every(
    ({ adminGroups, adminEmails, groupRoles }) =>
      adminGroups.length === 0 && adminEmails.length === 0 && !groupRoles.some(({ role }) => role === 'admin'),
  )

type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Warns of settings that are probably mistakes but do not prevent a start. Shows no values. `now` is in epoch milliseconds. */
export const warnOfConfig = (
  env: Variables,
  config: Pick<Config, 'tokens' | 'sso' | 'cookieSecure' | 'adminUser'>,
  now: number,
  warn: Warn,
): void => {
  const { tokens, sso, cookieSecure } = config
  for (const { variable, known } of likelyTypos(env))
    warn({ variable, known }, `${variable} is not a variable of this service: did you mean ${known}?`)
  for (const { position, scope } of weakTokens(tokens)) {
    warn(
      { variable: 'SERVICE_TOKENS', position, scope },
      `SERVICE_TOKENS: the secret of entry ${position} (${scope}) has fewer than ${MIN_SECRET_LENGTH} characters, so it can be guessed`,
    )
  }
  if (hasNoAdmin(config)) {
    warn(
      { variable: 'SERVICE_ADMIN_USER' },
      'SERVICE_ADMIN_USER: it is not set, no identity provider has admin groups or admin e-mail addresses, and there is no static token of admin scope: in a store without accounts, the first sign-in would end the setup without an admin',
    )
  }
  for (const provider of sso?.providers ?? []) {
    const warnings =
      provider.kind === 'oidc' ? warningsOfOidc(provider) : warningsOfSaml(provider, env, cookieSecure, now)
    for (const { message, ...fields } of warnings)
      warn(fields, `${fields.variable}: ${message} (provider ${fields.provider})`)
  }
}
