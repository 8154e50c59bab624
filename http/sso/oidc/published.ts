import type { ServerMetadata } from 'openid-client'
import { SsoRefused } from '../provider.ts'
import { OTHER_ISSUER, refusalOf } from './refusals.ts'
import { asResponse, request, type Fetch, type ReadResponse } from './requests.ts'

/** How long the metadata and the keys of a provider are used. */
const CACHED_MS = 60 * 60 * 1000

const STEP = 'the metadata of the provider cannot be used'

/** The metadata that a sign-in needs. */
const USED = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'token_endpoint_auth_methods_supported',
  'id_token_signing_alg_values_supported',
  'userinfo_signing_alg_values_supported',
  'authorization_response_iss_parameter_supported',
] as const

/** The library copies the metadata at each sign-in, so what is not needed is left out. */
const usedOf = (metadata: ServerMetadata): ServerMetadata => ({
  ...Object.fromEntries(USED.flatMap((name) => (name in metadata ? [[name, metadata[name]]] : []))),
  issuer: metadata.issuer,
})

/** What a provider publishes. `keys` is its key set, null until it is needed. `until` is in epoch milliseconds. */
export type Published = { readonly metadata: ServerMetadata; readonly until: number; keys: ReadResponse | null }

type PublishedCache = {
  /** What was read within the last hour. */
  readonly current: () => Promise<Published>
  /** What was read later than `stale`. */
  readonly after: (stale: Published) => Promise<Published>
}

type Parts = {
  readonly issuer: string
  readonly clientId: string
  readonly fetch: Fetch
  readonly now: () => number
  readonly deadline: () => AbortSignal
}

/**
 * Reads and caches what a provider publishes about itself (OpenID Connect Discovery 1.0). Concurrent callers share one
 * request. A failure is not cached, and leaves the cache as it is. Throws `SsoRefused` if the metadata cannot be read, or
 * are those of another issuer.
 */
export const openPublishedCache = ({ issuer, clientId, fetch, now, deadline }: Parts): PublishedCache => {
  let cached: Published | null = null
  let loading: Promise<Published> | null = null

  const discover = async (): Promise<Published> => {
    const library = await import('openid-client')
    const signal = deadline()
    try {
      const found = await library.discovery(new URL(issuer), clientId, undefined, undefined, {
        // The only request is to the issuer, as it was configured.
        execute: [library.allowInsecureRequests],
        [library.customFetch]: async (url, init) => asResponse(await request(fetch, url, init, signal)),
      })
      const metadata = found.serverMetadata()
      // The library accepts other issuers of Entra and Azure B2C: there, accounts of every tenant could sign in.
      if (metadata.issuer !== issuer) throw new SsoRefused('provider_error', `${STEP}: ${OTHER_ISSUER}`)
      return { metadata: usedOf(metadata), until: now() + CACHED_MS, keys: null }
    } catch (error) {
      throw refusalOf(STEP, error)
    }
  }
  const load = (): Promise<Published> => {
    loading ??= discover()
      .then((loaded) => (cached = loaded))
      .finally(() => (loading = null))
    return loading
  }
  const isValid = (published: Published | null): published is Published => published !== null && now() < published.until
  return {
    current: async () => (isValid(cached) ? cached : load()),
    // Another sign-in may have read it again already.
    after: async (stale) => (isValid(cached) && cached !== stale ? cached : load()),
  }
}
