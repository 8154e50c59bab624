import type { ProviderRefusal } from '../../commands/session/events.ts'
import type { AssertedIdentity } from '../../domain/sso/roles.ts'

/**
 * Why a sign-in through an identity provider failed, as the sign-in page receives it. `internal` is a failure of the
 * service itself, and is not recorded.
 */
export type SsoCode = ProviderRefusal | 'internal'

/**
 * A sign-in through an identity provider is refused. The message is for the log: what was wrong, without secrets, tokens
 * and personal data. `user_id` is the account that it concerns; null if none is known.
 */
export class SsoRefused extends Error {
  override readonly name = 'SsoRefused'
  readonly code: ProviderRefusal
  readonly user_id: string | null

  constructor(
    code: ProviderRefusal,
    message: string,
    { user_id = null, ...options }: ErrorOptions & { readonly user_id?: string | null } = {},
  ) {
    super(message, options)
    this.code = code
    this.user_id = user_id
  }
}

/** One OpenID provider. Both functions throw `SsoRefused`, at the latest after ten seconds. */
export type OidcProvider = {
  /** Returns the URL of the provider to which the browser is sent. */
  readonly start: (transaction: {
    readonly state: string
    readonly nonce: string
    readonly codeVerifier: string
  }) => Promise<string>
  /**
   * Redeems the code of a callback, checks the ID token, and returns whom it names. `query` is the query of the callback,
   * with its `code`; its `state` was compared with that of the transaction.
   */
  readonly finish: (callback: {
    readonly query: URLSearchParams
    readonly state: string
    readonly nonce: string
    readonly codeVerifier: string
  }) => Promise<AssertedIdentity>
}

/** What a SAML response asserts, and the assertion that must not be accepted a second time. */
export type SamlAssertion = AssertedIdentity & {
  /** `id` is unique for the provider. At `until`, in epoch milliseconds, the assertion itself is too old. */
  readonly assertion: { readonly id: string; readonly until: number }
}

/** One SAML identity provider. The functions throw `SsoRefused`, at the latest after ten seconds. */
export type SamlProvider = {
  /** Returns the URL of the provider to which the browser is sent, with the request, and the id of the request. */
  readonly start: (transaction: {
    readonly relayState: string
  }) => Promise<{ readonly url: string; readonly requestId: string }>
  /**
   * Checks a response and returns whom it names. `response` is the form field as it came; `requestId` is null if there
   * was no request.
   */
  readonly finish: (posted: { readonly response: string; readonly requestId: string | null }) => Promise<SamlAssertion>
  /** The metadata of this service for the provider, in XML. */
  readonly metadata: () => string
}
