import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import type { Logger } from 'pino'
import type { AssertedIdentity } from '../../../domain/sso/roles.ts'
import type { OidcProviderConfig } from '../config.ts'
import type { OidcProvider } from '../provider.ts'
import { providerKey } from '../transactions.ts'
import {
  checkAuthorizedParty,
  checkTimes,
  claimAt,
  groupsIn,
  hasTooManyGroups,
  subjectIn,
  trustedEmail,
  type Claims,
} from './claims.ts'
import { openPublishedCache, type Published } from './published.ts'
import { isOtherClaim, redemptionRefusalOf, refusalOf } from './refusals.ts'
import { asResponse, request, until, type Fetch, type ReadResponse } from './requests.ts'

/** How long a whole start or finish may take. The route responds within ten seconds. */
const DEADLINE_MS = 9_000

type Callback = Parameters<OidcProvider['finish']>[0]

/** What a code was redeemed for. The ID token with the claims was verified. */
type Redeemed = {
  readonly configuration: Configuration
  readonly accessToken: string
  readonly claims: Claims
}

type Parts = {
  /** The public URL of the service, without a slash at its end. */
  readonly publicUrl: string
  readonly clockSkewSecs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly logger: Pick<Logger, 'warn'>
  readonly fetch?: Fetch
  /** Returns the signal that ends a start or a finish. */
  readonly deadline?: () => AbortSignal
}

/** A provider: its configuration, where it sends the browser back to, and what it publishes. */
type Provider = {
  readonly config: OidcProviderConfig
  readonly redirectUri: string
  readonly published: ReturnType<typeof openPublishedCache>
  readonly fetch: Fetch
}

/** A text as `application/x-www-form-urlencoded`. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/**
 * The client secret for the Authorization header, encoded by RFC 6749, 2.3.1. Unlike the library it leaves `-`, `.` and
 * `_` as they are: some providers do not decode, and client ids are often UUIDs.
 */
const basicCredentials = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`

/** Whether the secret must be in the body: the provider names its methods, and the header is not among them. */
const isSecretInBody = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean =>
  Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic')

const configure = async (
  { clientId, clientSecret, issuer }: OidcProviderConfig,
  metadata: ServerMetadata,
  customFetch: CustomFetch | null,
): Promise<Configuration> => {
  const library = await import('openid-client')
  const configuration = new library.Configuration(
    metadata,
    clientId,
    { [library.clockTolerance]: Number.MAX_SAFE_INTEGER },
    isSecretInBody(metadata)
      ? library.ClientSecretPost(clientSecret)
      : (_server, _client, _body, headers) => headers.set('authorization', basicCredentials(clientId, clientSecret)),
  )
  // A provider with https must not name endpoints without it.
  if (new URL(issuer).protocol === 'http:') library.allowInsecureRequests(configuration)
  // Without this the library trusts an ID token that comes from the token endpoint, even over plain http.
  library.enableNonRepudiationChecks(configuration)
  if (customFetch !== null) configuration[library.customFetch] = customFetch
  return configuration
}

/**
 * Redeems the code. If the ID token cannot be verified, metadata and keys are read again, and the response of the token
 * endpoint is verified once more: a code can be redeemed only once.
 */
const redeem = async (
  { query, state, nonce, codeVerifier }: Callback,
  signal: AbortSignal,
  { config, redirectUri, published, fetch }: Provider,
): Promise<Redeemed> => {
  const library = await import('openid-client')
  const callback = new URL(`${redirectUri}?${query.toString()}`)
  const redeemed: { response: ReadResponse | null } = { response: null }
  const redeemWith = async (known: Published): Promise<Redeemed> => {
    // As the library writes it: with the scheme and the host in lower case, and without a default port.
    const keysUrl = URL.parse(known.metadata.jwks_uri ?? '')?.href
    const configuration = await configure(config, known.metadata, async (url, init) => {
      // Tokens are the only thing that is posted.
      if (init.method === 'POST') return asResponse((redeemed.response ??= await request(fetch, url, init, signal)))
      if (url === keysUrl && known.keys !== null) return asResponse(known.keys)
      const response = await request(fetch, url, init, signal)
      if (url === keysUrl && response.status === 200) known.keys = response
      return asResponse(response)
    })
    const tokens = await library.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    })
    return { configuration, accessToken: tokens.access_token, claims: tokens.claims() ?? {} }
  }
  const known = await published.current()
  try {
    return await redeemWith(known)
  } catch (error) {
    if (redeemed.response?.status !== 200) throw redemptionRefusalOf(error)
    if (isOtherClaim(error)) throw refusalOf('the ID token cannot be accepted', error)
  }
  const newer = await published.after(known)
  try {
    return await redeemWith(newer)
  } catch (error) {
    throw refusalOf('the ID token cannot be verified', error)
  }
}

/** The claims of the userinfo endpoint; none if there is no endpoint. */
const readUserinfo = async (configuration: Configuration, accessToken: string, subject: string): Promise<Claims> => {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  const library = await import('openid-client')
  try {
    return await library.fetchUserInfo(configuration, accessToken, subject)
  } catch (error) {
    throw refusalOf('the claims of the userinfo endpoint cannot be used', error)
  }
}

/**
 * Opens an OpenID provider (OpenID Connect Core 1.0, code flow with PKCE). It is contacted when the first person signs
 * in. Its metadata and keys are cached for an hour, and read again once when an ID token cannot be verified.
 *
 * openid-client checks issuer, audience, nonce, `iss` of the callback (RFC 9207) and the signature. It reads the clock of
 * the system and ignores `iat`, so all times are checked here.
 */
export const openOidcProvider = (
  config: OidcProviderConfig,
  {
    publicUrl,
    clockSkewSecs,
    now,
    logger,
    fetch = globalThis.fetch,
    deadline = () => AbortSignal.timeout(DEADLINE_MS),
  }: Parts,
): OidcProvider => {
  const { kind, name, issuer, clientId, scopes, groupsClaim } = config
  // Without a rule about groups, they do not matter.
  const needsGroups = [config.adminGroups, config.groupRoles, config.groupGrants].some(({ length }) => length > 0)
  const redirectUri = new URL(`${publicUrl}/api/v1/auth/oidc/${name}/callback`).href
  const published = openPublishedCache({ issuer, clientId, fetch, now, deadline })

  const finish = async (callback: Callback, signal: AbortSignal): Promise<AssertedIdentity> => {
    const { configuration, accessToken, claims } = await redeem(callback, signal, {
      config,
      redirectUri,
      published,
      fetch,
    })
    checkTimes(claims, Math.floor(now() / 1000), clockSkewSecs)
    checkAuthorizedParty(claims, clientId)
    const subject = subjectIn(claims)
    if (hasTooManyGroups(claims, groupsClaim))
      logger.warn(
        { provider: providerKey({ kind, name }) },
        'the provider left out the groups of an account, because there are too many',
      )

    const hasEmail = claims['email'] !== undefined && claims['email_verified'] !== undefined
    const hasGroups = !needsGroups || claimAt(claims, groupsClaim) !== undefined
    const more = hasEmail && hasGroups ? {} : await readUserinfo(configuration, accessToken, subject)
    return {
      subject,
      email: trustedEmail(hasEmail ? claims : more),
      groups: groupsIn(claimAt(claims, groupsClaim) ?? claimAt(more, groupsClaim)),
    }
  }

  return {
    start: ({ state, nonce, codeVerifier }) => {
      const url = async (): Promise<string> => {
        const library = await import('openid-client')
        const { metadata } = await published.current()
        try {
          const configuration = await configure(config, metadata, null)
          return library.buildAuthorizationUrl(configuration, {
            redirect_uri: redirectUri,
            scope: scopes.join(' '),
            state,
            nonce,
            code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
            code_challenge_method: 'S256',
          }).href
        } catch (error) {
          throw refusalOf('the metadata of the provider cannot be used', error)
        }
      }
      return until(deadline(), url())
    },
    finish: (callback) => {
      const signal = deadline()
      return until(signal, finish(callback, signal))
    },
  }
}
