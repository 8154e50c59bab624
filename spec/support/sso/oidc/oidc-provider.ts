import { generateKeyPairSync, randomBytes, randomUUID, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Provider, interactionPolicy } from 'oidc-provider'
import type { AdapterFactory, AdapterPayload, ClientAuthMethod } from 'oidc-provider'

/** An account of the provider: its subject, and further claims such as `email`, `email_verified` and `groups`. */
export type OidcAccount = { readonly sub: string; readonly [claim: string]: unknown }

export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

export type OidcProviderOptions = {
  /** The port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number
  /** The public URL of the service, without a slash at its end, and the name of the provider in its configuration. */
  readonly publicUrl: string
  readonly name: string
  readonly accounts: readonly OidcAccount[]
  /** The subject that signs in without a page. Null, the default, shows a page on which one chooses. */
  readonly signInAs?: string | null
  readonly clientId?: string
  readonly clientSecret?: string
  /** How the service must send its secret. The metadata list this method alone. */
  readonly authMethod?: ClientAuthMethod
  /** Whether the claims of scopes are only in userinfo responses, as the standard says, or in ID tokens too. */
  readonly conformIdTokenClaims?: boolean
  readonly algorithm?: SigningAlgorithm
}

export type RunningOidcProvider = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The method and path of each request so far. */
  readonly requests: readonly string[]
  /** From now on this subject signs in without a page; null shows the page again. */
  readonly signInAs: (sub: string | null) => void
  /** Replaces the signing keys. Codes stay valid. */
  readonly rotateKeys: () => void
  /** While it is failing, the provider responds to every request with 500. */
  readonly setFailing: (isFailing: boolean) => void
  readonly close: () => Promise<void>
}

const signingKey = (algorithm: SigningAlgorithm): JsonWebKey => {
  const { privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : algorithm === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: algorithm }
}

/** What the provider stores, in memory. It outlives a rotation of the keys. */
const memory = (): AdapterFactory => {
  const stored = new Map<string, AdapterPayload>()
  return (kind) => {
    const find = async (id: string) => stored.get(`${kind}:${id}`)
    const findBy = (name: 'uid' | 'userCode') => async (value: string) =>
      [...stored].find(([key, payload]) => key.startsWith(`${kind}:`) && payload[name] === value)?.[1]
    return {
      // Sessions are not stored, so that one browser can sign in as one account after the other.
      upsert: async (id, payload) => {
        if (kind !== 'Session') stored.set(`${kind}:${id}`, payload)
      },
      find,
      findByUid: findBy('uid'),
      findByUserCode: findBy('userCode'),
      destroy: async (id) => void stored.delete(`${kind}:${id}`),
      consume: async (id) => {
        const payload = await find(id)
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key)
      },
    }
  }
}

/** Asks for an account in each sign-in, even if the browser has a session. */
const alwaysAsk = (): interactionPolicy.DefaultPolicy => {
  const policy = interactionPolicy.base()
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check('choice', 'an account must be chosen', ({ oidc }) =>
        oidc.result?.login ? interactionPolicy.Check.NO_NEED_TO_PROMPT : interactionPolicy.Check.REQUEST_PROMPT,
      ),
    )
  return policy
}

const escaped = (value: unknown): string =>
  String(value).replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The page on which one chooses an account. */
const choicePage = (accounts: readonly OidcAccount[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Identity provider</title>
<style>body{font:16px system-ui;max-width:30em;margin:4em auto}button{display:block;width:100%;margin:.5em 0;padding:.7em;font:inherit;text-align:left}</style>
<h1>Sign in as</h1>
<form method="post">
${accounts
  .map(
    ({ sub, email, groups }) =>
      `<button name="sub" value="${escaped(sub)}">${escaped(email ?? sub)}${Array.isArray(groups) && groups.length > 0 ? ` (${groups.map(escaped).join(', ')})` : ''}</button>`,
  )
  .join('\n')}
<button name="sub" value="">Cancel</button>
</form></html>`

/**
 * Starts a real OpenID provider (oidc-provider) on 127.0.0.1 over http, with the service as its only client. For specs,
 * and to try the service without an identity provider of one's own. Everything is in memory.
 */
export const startOidcProvider = async ({
  port = 0,
  publicUrl,
  name,
  accounts,
  signInAs = null,
  clientId = 'evaluation-results',
  clientSecret = randomBytes(24).toString('base64url'),
  authMethod = 'client_secret_basic',
  conformIdTokenClaims = true,
  algorithm = 'RS256',
}: OidcProviderOptions): Promise<RunningOidcProvider> => {
  const adapter = memory()
  const requests: string[] = []
  let automatic = signInAs
  let isFailing = false
  let provider: Provider | null = null

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      // The browser shows it: sign-ins that are unknown here, for instance after a restart.
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' })
      response.end(String(error))
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const open = (): Provider =>
    new Provider(issuer, {
      adapter,
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${publicUrl}/api/v1/auth/oidc/${name}/callback`],
          token_endpoint_auth_method: authMethod,
          id_token_signed_response_alg: algorithm,
        },
      ],
      clientAuthMethods: [authMethod],
      jwks: { keys: [signingKey(algorithm)] },
      enabledJWA: { idTokenSigningAlgValues: [algorithm] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      conformIdTokenClaims,
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: [...new Set(accounts.flatMap(Object.keys))].filter((claim) => !/^(?:sub|email.*)$/.test(claim)),
      },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
      interactions: { policy: alwaysAsk(), url: (_, { uid }) => `/interaction/${uid}` },
      // Seconds. Without them the provider writes notices to the console.
      ttl: { Interaction: 3600, Grant: 3600, Session: 3600, AccessToken: 3600, IdToken: 3600 },
      pkce: { required: () => true },
      expiresWithSession: () => false,
      findAccount: (_, sub) => {
        const account = accounts.find((candidate) => candidate.sub === sub)
        return account && { accountId: sub, claims: () => account }
      },
      // Every account consents to all scopes.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId, accountId: oidc.account?.accountId ?? '' })
        grant.addOIDCScope(String(oidc.params?.['scope']))
        await grant.save()
        return grant
      },
    })
  provider = open()

  const choose = async (incoming: IncomingMessage, response: ServerResponse, current: Provider): Promise<void> => {
    const chosen = incoming.method === 'POST' ? new URLSearchParams(await text(incoming)).get('sub') : automatic
    if (chosen === null) {
      await current.interactionDetails(incoming, response)
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(choicePage(accounts))
      return
    }
    const result = chosen === '' ? { error: 'access_denied' } : { login: { accountId: chosen } }
    await current.interactionFinished(incoming, response, result)
  }
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '/', issuer)
    requests.push(`${incoming.method} ${pathname}`)
    if (provider === null || isFailing) response.writeHead(500).end()
    else if (pathname.startsWith('/interaction/')) await choose(incoming, response, provider)
    else await provider.callback()(incoming, response)
  }

  return {
    issuer,
    clientId,
    clientSecret,
    requests,
    signInAs: (sub) => (automatic = sub),
    rotateKeys: () => (provider = open()),
    setFailing: (value) => (isFailing = value),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
