import { createHash, randomBytes } from 'node:crypto'
import { openOidcProvider } from '../../../../http/sso/oidc/open-provider.ts'
import type { OidcProviderConfig } from '../../../../http/sso/config.ts'
import { SsoRefused, type OidcProvider } from '../../../../http/sso/provider.ts'
import { followUntil } from '../follow-redirects.ts'

export const PUBLIC_URL = 'http://service.example:8080'
export const CALLBACK = `${PUBLIC_URL}/api/v1/auth/oidc/keycloak/callback`

type Parts = Parameters<typeof openOidcProvider>[1]
type Client = Pick<OidcProviderConfig, 'issuer' | 'clientId' | 'clientSecret'>

/** Opens a provider as the service does. `warnings` collects what it logs. */
export const openForSpec = (
  client: Client,
  config: Partial<OidcProviderConfig> = {},
  parts: Partial<Parts> = {},
): { readonly provider: OidcProvider; readonly warnings: unknown[][] } => {
  const warnings: unknown[][] = []
  const provider = openOidcProvider(
    {
      kind: 'oidc',
      name: 'keycloak',
      label: 'Keycloak',
      issuer: client.issuer,
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      scopes: ['openid', 'email', 'profile'],
      groupsClaim: 'groups',
      adminGroups: ['admins'],
      groupRoles: [],
      groupGrants: [],
      adminEmails: [],
      allowedDomains: null,
      ...config,
    },
    {
      publicUrl: PUBLIC_URL,
      clockSkewSecs: 60,
      now: Date.now,
      logger: { warn: (...line: unknown[]) => void warnings.push(line) },
      ...parts,
    },
  )
  return { provider, warnings }
}

export type Transaction = { readonly state: string; readonly nonce: string; readonly codeVerifier: string }

/** What a sign-in remembers, different for each text. */
export const transactionOf = (text = randomBytes(8).toString('hex')): Transaction => {
  const digest = (purpose: string) => createHash('sha256').update(`${purpose} ${text}`).digest('hex')
  return { state: digest('state'), nonce: digest('nonce'), codeVerifier: digest('code verifier') }
}

/** Sends a browser to the provider, and returns the query with which it comes back. */
export const visit = async (provider: OidcProvider, transaction: Transaction): Promise<URLSearchParams> =>
  (await followUntil(await provider.start(transaction), CALLBACK)).searchParams

/** A whole sign-in: returns what the provider asserts. */
export const signIn = async (provider: OidcProvider, transaction = transactionOf()) =>
  provider.finish({ ...transaction, query: await visit(provider, transaction) })

/** The refusal that ends a sign-in. Throws if it succeeds, or fails with another error. */
export const refusal = async (attempt: Promise<unknown>): Promise<SsoRefused> => {
  const result = await attempt.catch((error: unknown) => error)
  if (result instanceof SsoRefused) return result
  throw new Error('the sign-in was not refused', { cause: result })
}
