import { once } from 'node:events'
import { createServer, type RequestListener, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { jwt, publicJwk, rsaKey, type KeyPair } from './jwt.ts'

/** When the tokens of the provider are issued, in epoch seconds. */
export const ISSUED_AT = 1_900_000_000

export type Claims = Readonly<Record<string, unknown>>
type Endpoint = 'metadata' | 'keys' | 'tokens' | 'userinfo'

/** What the provider does. Everything can be replaced between two requests. */
type Behaviour = {
  /** Returns the metadata, from the correct ones. */
  metadata: (correct: Claims) => unknown
  /** The key set. */
  keys: () => unknown
  /** The ID token, from correct claims without a nonce; undefined leaves it out. */
  idToken: (correct: Claims) => string | undefined
  userinfo: unknown
  /** Writes the response of one endpoint by hand. */
  respond: Partial<Record<Endpoint, (response: ServerResponse, incoming: IncomingMessage) => void>>
}

export type HostileOidc = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly key: KeyPair
  /** The correct metadata. */
  readonly metadata: Claims
  /** The usual response of the endpoint for tokens. */
  readonly tokens: () => unknown
  readonly behaviour: Behaviour
  readonly requests: readonly Endpoint[]
  readonly close: () => Promise<void>
}

const PATHS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': 'metadata',
  '/keys': 'keys',
  '/tokens': 'tokens',
  '/userinfo': 'userinfo',
}

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/**
 * Starts a small OpenID provider on 127.0.0.1 that does anything wrong that a spec wants. It redeems every code, and
 * accepts every secret. With a certificate and its key, in PEM, it speaks https.
 */
export const startHostileOidc = async (tls?: {
  readonly certificate: string
  readonly key: string
}): Promise<HostileOidc> => {
  const key = rsaKey('first')
  const requests: Endpoint[] = []
  const clientId = 'the-client'
  const listener: RequestListener = (incoming, response) => {
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://hostile.invalid')
    const endpoint = PATHS[pathname]
    if (endpoint === undefined) return void response.writeHead(404).end()
    requests.push(endpoint)
    // A request on a connection that an earlier response ended would fail for another reason than its own response.
    response.setHeader('connection', 'close')
    // With a query the response is the usual one: it is where a redirect leads.
    const byHand = search === '' ? behaviour.respond[endpoint] : undefined
    if (byHand) byHand(response, incoming)
    else if (endpoint === 'metadata') json(response, behaviour.metadata(correctMetadata))
    else if (endpoint === 'keys') json(response, behaviour.keys())
    else if (endpoint === 'userinfo') json(response, behaviour.userinfo)
    else json(response, tokens())
  }
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const correctMetadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/tokens`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256', 'none'],
  }
  const claims = {
    iss: issuer,
    aud: clientId,
    sub: 'the-subject',
    iat: ISSUED_AT,
    exp: ISSUED_AT + 300,
    email: 'ada@example.com',
    email_verified: true,
    groups: ['staff'],
  }
  const behaviour: Behaviour = {
    metadata: (correct) => correct,
    keys: () => ({ keys: [publicJwk(key)] }),
    idToken: (correct) => jwt({ alg: 'RS256', kid: key.kid }, correct, key),
    userinfo: { sub: claims.sub },
    respond: {},
  }
  const tokens = () => ({
    access_token: 'the-access-token',
    token_type: 'Bearer',
    id_token: behaviour.idToken(claims),
  })
  return {
    issuer,
    clientId,
    clientSecret: 'the-client-secret',
    key,
    metadata: correctMetadata,
    tokens,
    behaviour,
    requests,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Sends a body without end. `closed` is called when the client has closed the connection. */
export const endlessBody =
  (closed: () => void) =>
  (response: ServerResponse): void => {
    const spaces = Buffer.alloc(64 * 1024, ' ')
    response.writeHead(200, { 'content-type': 'application/json' })
    pipeline(
      Readable.from(
        (function* () {
          for (;;) yield spaces
        })(),
      ),
      response,
    ).catch(closed)
  }
