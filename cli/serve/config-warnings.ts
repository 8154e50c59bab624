import type { HttpConfig, StaticToken } from '../../http/services.ts'
import type { OidcProviderConfig, SamlProviderConfig } from '../../http/sso/config.ts'
import { validUntil } from '../../http/sso/saml/certificates.ts'
import { likelyTypos, prefixOf } from './variables.ts'

/** Shorter secrets can be guessed. */
const MIN_SECRET_LENGTH = 16

/** Returns position and scope of the static tokens whose secrets are too short. */
export const weakTokens = (tokens: readonly StaticToken[]): ReadonlyArray<Pick<StaticToken, 'position' | 'scope'>> =>
  tokens
    .filter(({ secret }) => [...secret].length < MIN_SECRET_LENGTH)
    .map(({ position, scope }) => ({ position, scope }))

type Variables = Readonly<Record<string, string | undefined>>

/** A setting that is probably a mistake, and why. */
type Doubt = { readonly variable: string; readonly provider: string; readonly message: string }

const isUnencrypted = (url: string): boolean => new URL(url).protocol === 'http:'

const doubtsOfOidc = ({ name, issuer }: OidcProviderConfig): Doubt[] =>
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
const doubtsOfSaml = (
  { name, idp }: SamlProviderConfig,
  env: Variables,
  cookieSecure: boolean,
  now: number,
): Doubt[] => {
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

type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Warns of settings that are probably mistakes but do not prevent a start. Shows no values. `now` is in epoch milliseconds. */
export const warnOfConfig = (
  env: Variables,
  { tokens, sso, cookieSecure }: Pick<HttpConfig, 'tokens' | 'sso' | 'cookieSecure'>,
  now: number,
  warn: Warn,
): void => {
  for (const { variable, known } of likelyTypos(env))
    warn({ variable, known }, `${variable} is not a variable of this service: did you mean ${known}?`)
  for (const { position, scope } of weakTokens(tokens)) {
    warn(
      { variable: 'SERVICE_TOKENS', position, scope },
      `SERVICE_TOKENS: the secret of entry ${position} (${scope}) has fewer than ${MIN_SECRET_LENGTH} characters, so it can be guessed`,
    )
  }
  for (const provider of sso?.providers ?? []) {
    const doubts = provider.kind === 'oidc' ? doubtsOfOidc(provider) : doubtsOfSaml(provider, env, cookieSecure, now)
    for (const { message, ...fields } of doubts)
      warn(fields, `${fields.variable}: ${message} (provider ${fields.provider})`)
  }
}
