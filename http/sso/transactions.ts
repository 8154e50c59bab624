import { randomBytes } from 'node:crypto'
import { encodeBase64urlNoPadding, encodeHexLowerCase } from '@oslojs/encoding'
import { returnTo } from '../../domain/sso/return-to.ts'
import type { SsoTransaction } from '../../queries/access/identities.ts'
import { asAnonymous, type Viewer } from '../../queries/access/viewer.ts'
import { cookieReader } from '../identity/cookies.ts'
import { hashOfToken } from '../identity/secrets.ts'
import type { HttpConfig, Services } from '../services.ts'
import type { ProviderConfig } from './config.ts'
import { SsoRefused } from './provider.ts'

/** How long a browser may take to return from the provider. */
const LIFETIME_S = 600

/** 256 bits: an id, a nonce or a code verifier (RFC 7636, 4.1: 43 characters in base64url) cannot be guessed. */
const RANDOM_BYTES = 32

type Kind = ProviderConfig['kind']
type Provider = Pick<ProviderConfig, 'kind' | 'name'>

/** How identities, transactions and events write a provider. */
export const providerKey = ({ kind, name }: Provider): string => `${kind}:${name}`

const isTransactionId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

const COOKIES = { oidc: 'service_txn', saml: 'service_saml_txn' } as const satisfies Record<Kind, string>
const READERS = {
  oidc: cookieReader(COOKIES.oidc, isTransactionId),
  saml: cookieReader(COOKIES.saml, isTransactionId),
} as const

// A SAML response comes as a POST from the provider's site. A browser sends a cookie with it only if `SameSite` is
// `None`, which it accepts only with `Secure`.
const cookie = (kind: Kind, id: string, seconds: number, secure: boolean): string =>
  `${COOKIES[kind]}=${id}; HttpOnly; SameSite=${kind === 'saml' && secure ? 'None' : 'Lax'}; Path=/api/v1/auth; Max-Age=${seconds}${secure ? '; Secure' : ''}`

/** What a transaction consists of while it starts. `id` is the `state` of OpenID, or the `RelayState` of SAML. */
export type NewTransaction = { readonly id: string; readonly nonce: string; readonly codeVerifier: string }

/** `requestId` is that of a SAML request; null for OpenID. */
type StartedAtProvider = { readonly url: string; readonly requestId: string | null }

export type SsoTransactions = {
  /**
   * Starts a sign-in: `start` asks the provider for the URL, then the transaction is stored. `requestedPath` is the path
   * to return to as the browser sent it. Returns the URL to send the browser to, and a Set-Cookie value.
   */
  readonly begin: (
    viewer: Viewer,
    provider: Provider,
    requestedPath: string | null,
    start: (transaction: NewTransaction) => Promise<StartedAtProvider>,
  ) => Promise<{ readonly url: string; readonly cookie: string }>
  /**
   * Uses up the transaction with which a browser returns. `id` is what came through the provider, null if nothing came;
   * `cookies` is the Cookie header. Throws `SsoRefused` with `invalid_state` unless both name one transaction of this
   * provider that was started in the last ten minutes and is not used.
   */
  readonly take: (
    viewer: Viewer,
    provider: Provider,
    returned: { readonly id: string | null; readonly cookies: string | undefined },
  ) => Promise<SsoTransaction>
  /** The Set-Cookie value that deletes a transaction from a browser. */
  readonly clearedCookie: (provider: Provider) => string
}

type Parts = Pick<Services, 'commit' | 'now'> & { readonly config: Pick<HttpConfig, 'cookieSecure'> }

/** Sign-ins between their start and the return of the browser. They are in the store, so that all replicas share them. */
export const ssoTransactions = ({ commit, now, config: { cookieSecure } }: Parts): SsoTransactions => ({
  begin: async (viewer, provider, requestedPath, start) => {
    const id = encodeHexLowerCase(randomBytes(RANDOM_BYTES))
    const nonce = encodeBase64urlNoPadding(randomBytes(RANDOM_BYTES))
    const codeVerifier = encodeBase64urlNoPadding(randomBytes(RANDOM_BYTES))
    const { url, requestId } = await start({ id, nonce, codeVerifier })
    const isOidc = provider.kind === 'oidc'
    const at = now()
    await commit.startSignIn(asAnonymous(viewer), {
      id_hash: hashOfToken(id),
      at,
      provider: providerKey(provider),
      return_to: returnTo(requestedPath),
      nonce: isOidc ? nonce : null,
      code_verifier: isOidc ? codeVerifier : null,
      request_id: requestId,
      expires_at: at + LIFETIME_S * 1000,
    })
    return { url, cookie: cookie(provider.kind, id, LIFETIME_S, cookieSecure) }
  },

  take: async (viewer, provider, { id, cookies }) => {
    const own = READERS[provider.kind](cookies)
    if (id === null) throw new SsoRefused('invalid_state', 'the browser returned without the id of its sign-in')
    if (own === null) throw new SsoRefused('invalid_state', 'the browser returned without the cookie of its sign-in')
    if (own !== id) throw new SsoRefused('invalid_state', 'the cookie of the browser is of another sign-in')
    const transaction = await commit.takeTransaction(asAnonymous(viewer), { id_hash: hashOfToken(id) })
    if (transaction === null) throw new SsoRefused('invalid_state', 'the sign-in is unknown, or was used already')
    if (transaction.provider !== providerKey(provider))
      throw new SsoRefused('invalid_state', 'the sign-in was started with another provider')
    if (transaction.expires_at <= now())
      throw new SsoRefused('invalid_state', 'the sign-in was started more than ten minutes ago')
    return transaction
  },

  clearedCookie: ({ kind }) => cookie(kind, '', 0, cookieSecure),
})
