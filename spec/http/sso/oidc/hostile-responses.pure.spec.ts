import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { endlessBody, ISSUED_AT, startHostileOidc, type Claims } from '../../../support/sso/oidc/hostile-oidc.ts'
import { jwt, rsaKey, type KeyPair } from '../../../support/sso/oidc/jwt.ts'
import { CALLBACK, openForSpec, refusal, transactionOf } from '../../../support/sso/oidc/oidc-sign-in.ts'

const TRANSACTION = transactionOf('hostile responses')
const { state, nonce } = TRANSACTION
const QUERY = new URLSearchParams({ code: 'the-code', state })
const ADA = { subject: 'the-subject', email: 'ada@example.com', groups: ['staff'] }
const ENDPOINTS = ['metadata', 'tokens', 'keys', 'userinfo'] as const
afterAll(() => hostile.close())
beforeEach(() => {
  Object.assign(hostile.behaviour, usual, { respond: {} })
  send({})
})

/** The ID token is correct but for these claims. Undefined removes one. */
const send = (changes: Claims): void => {
  hostile.behaviour.idToken = (claims) =>
    jwt({ alg: 'RS256', kid: 'first' }, { ...claims, nonce, ...changes }, hostile.key)
}
const open = (config = {}, parts = {}) => openForSpec(hostile, config, { now: () => ISSUED_AT * 1000, ...parts })
const finish = (config = {}, parts = {}) => open(config, parts).provider.finish({ ...TRANSACTION, query: QUERY })

/** The message of a refusal with `provider_error`. Checks that it contains nothing that must not be logged. */
const messageOf = async (attempt: Promise<unknown>): Promise<string> => {
  const refused = await refusal(attempt)
  expect(refused.code).toBe('provider_error')
  expect(inspect(refused, { depth: null })).not.toMatch(/the-(?:code|subject|access-token|client-secret)|ada@|eyJ|leak/)
  return refused.message
}

const write =
  (status: number, headers: Record<string, string>, body: string | Uint8Array = '') =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body)
const JSON_TYPE = { 'content-type': 'application/json' }
const hostile = await startHostileOidc()
const usual = { ...hostile.behaviour }

describe.each(ENDPOINTS)('a sign-in is refused if the response of the endpoint for %s', (endpoint) => {
  /** Without groups in the ID token the userinfo endpoint is read. */
  const attempt = (parts = {}) => {
    send({ groups: undefined })
    return finish({}, parts)
  }

  it.each<[string, (response: ServerResponse) => void]>([
    ['is 500', write(500, {}, 'leak')],
    ['is 404 in HTML', write(404, { 'content-type': 'text/html' }, '<p>leak</p>')],
    ['is HTML', write(200, { 'content-type': 'text/html' }, '<p>leak</p>')],
    ['is an error with a description', write(400, JSON_TYPE, '{"error":"leak_1","error_description":"leak"}')],
    ['is a challenge', write(401, { 'www-authenticate': 'Bearer error="leak", error_description="leak"' })],
    ['is empty', write(204, {})],
    ['is no JSON', write(200, JSON_TYPE, 'leak')],
    ['is a list', write(200, JSON_TYPE, '["leak"]')],
    ['is an empty object', write(200, JSON_TYPE, '{}')],
    [
      'is cut off',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-length': '9' }).end('{', () => response.destroy()),
    ],
    ['is a damaged archive', write(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'leak')],
    ['ends in its first line', (response) => void response.socket?.end('H')],
  ])('%s', async (_, respond) => {
    hostile.behaviour.respond = { [endpoint]: respond }
    await messageOf(attempt())
  })

  it('redirects, even to the right place', async () => {
    const before = hostile.requests.length
    hostile.behaviour.respond = {
      [endpoint]: (response: ServerResponse, { url }: IncomingMessage) =>
        response.writeHead(307, { location: `${url}?again` }).end(),
    }
    await messageOf(attempt())
    expect(hostile.requests.slice(before).filter((request) => request === endpoint).length).toBeGreaterThan(0)
  })

  it('has no end', async () => {
    const closed = Promise.withResolvers<void>()
    hostile.behaviour.respond = { [endpoint]: endlessBody(closed.resolve) }
    expect(await messageOf(attempt())).toContain('too large')
    await closed.promise
  })

  it('is small but has 100 MB after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '))
    hostile.behaviour.respond = { [endpoint]: write(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, bomb) }
    expect(await messageOf(attempt())).toContain('too large')
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['does not come', () => undefined],
    ['stops in its body', (response) => void response.writeHead(200, JSON_TYPE).write('{')],
  ])('%s in time', async (_, begin) => {
    const deadline = new AbortController()
    const closed = Promise.withResolvers<void>()
    hostile.behaviour.respond = {
      [endpoint]: (response: ServerResponse) => {
        response.on('close', closed.resolve)
        begin(response)
        deadline.abort()
      },
    }
    expect(await messageOf(attempt({ deadline: () => deadline.signal }))).toContain('in time')
    await closed.promise
  })
})

describe('a deadline', () => {
  it('of nine seconds ends a start and a finish', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    const { provider } = open()
    await provider.start(TRANSACTION)
    await provider.finish({ ...TRANSACTION, query: QUERY })
    const ours = timeout.mock.calls.filter(([ms]) => ms === 9_000)
    timeout.mockRestore()
    // The start, its read of the metadata, and the finish.
    expect(ours).toHaveLength(3)
  })

  it('that has passed ends a sign-in before any request', async () => {
    const before = hostile.requests.length
    expect(await messageOf(finish({}, { deadline: () => AbortSignal.abort() }))).toContain('in time')
    expect(hostile.requests.length).toBe(before)
  })
})

describe('a sign-in that waits for the metadata that another one reads', () => {
  const never = (): AbortSignal => new AbortController().signal

  /** A start whose metadata do not come. It takes the first two deadlines, for itself and for the metadata. */
  const hangingStart = async (deadlines: AbortSignal[]) => {
    const asked = Promise.withResolvers<void>()
    hostile.behaviour.respond = { metadata: () => asked.resolve() }
    const { provider } = open({}, { deadline: () => deadlines.shift() ?? AbortSignal.abort() })
    const start = provider.start(TRANSACTION)
    await asked.promise
    return { provider, start }
  }

  it('ends at its own deadline', async () => {
    const read = new AbortController()
    const later = new AbortController()
    const { provider, start } = await hangingStart([never(), read.signal, later.signal, later.signal])
    const attempts = [provider.start(TRANSACTION), provider.finish({ ...TRANSACTION, query: QUERY })]
    later.abort()
    for (const attempt of attempts) expect(await messageOf(attempt)).toContain('in time')
    // These have no deadline left.
    expect(await messageOf(provider.start(TRANSACTION))).toContain('in time')
    read.abort()
    expect(await messageOf(start)).toContain('in time')
  })

  it('lets others go on when it ends', async () => {
    const first = new AbortController()
    const answers: ServerResponse[] = []
    const asked = Promise.withResolvers<void>()
    hostile.behaviour.respond = {
      metadata: (response) => {
        answers.push(response)
        asked.resolve()
      },
    }
    const deadlines = [first.signal]
    const { provider } = open({}, { deadline: () => deadlines.shift() ?? never() })
    const start = provider.start(TRANSACTION)
    const second = provider.start(TRANSACTION)
    await asked.promise
    first.abort()
    expect(await messageOf(start)).toContain('in time')
    const [answer] = answers
    answer?.writeHead(200, JSON_TYPE).end(JSON.stringify(hostile.metadata))
    expect(await second).toContain(`${hostile.issuer}/authorize?`)
    expect(answers).toHaveLength(1)
  })
})

describe('the client secret', () => {
  const header = `Basic ${Buffer.from('the-client:the-client-secret').toString('base64')}`
  const body = { client_id: 'the-client', client_secret: 'the-client-secret' }
  it.each<[unknown, string | undefined, object]>([
    [undefined, header, {}],
    [['client_secret_basic', 'client_secret_post'], header, {}],
    [['client_secret_post'], undefined, body],
    [['private_key_jwt', 'client_secret_post'], undefined, body],
    [['private_key_jwt'], header, {}],
    ['client_secret_post', header, {}],
  ])('is sent by the methods %j of the provider', async (methods, authorization, inBody) => {
    hostile.behaviour.metadata = (correct) => ({ ...correct, token_endpoint_auth_methods_supported: methods })
    const received = Promise.withResolvers<{ authorization: string | undefined; form: object }>()
    hostile.behaviour.respond = {
      tokens: (response, incoming) => {
        received.resolve(
          text(incoming).then((form) => ({
            authorization: incoming.headers.authorization,
            form: Object.fromEntries(new URLSearchParams(form)),
          })),
        )
        response.writeHead(500).end()
      },
    }
    await messageOf(finish())
    expect(await received.promise).toEqual({
      authorization,
      form: {
        grant_type: 'authorization_code',
        code: 'the-code',
        code_verifier: TRANSACTION.codeVerifier,
        redirect_uri: CALLBACK,
        ...inBody,
      },
    })
  })
})

describe('a provider that rejects the credentials of the client', () => {
  it.each([
    ['a challenge', write(401, { ...JSON_TYPE, 'www-authenticate': 'Basic realm="leak"' }, '{"error":"leak"}')],
    ['invalid_client', write(400, JSON_TYPE, '{"error":"invalid_client","error_description":"leak"}')],
  ])('with %s leads to a message that says so', async (_, respond) => {
    hostile.behaviour.respond = { tokens: respond }
    expect(await messageOf(finish())).toBe(
      'the code cannot be redeemed: the provider rejected the client id or the client secret',
    )
  })

  it('is not one that rejects the access token', async () => {
    send({ groups: undefined })
    hostile.behaviour.respond = { userinfo: write(401, { 'www-authenticate': 'Bearer error="leak"' }) }
    expect(await messageOf(finish())).toBe(
      'the claims of the userinfo endpoint cannot be used: OAUTH_WWW_AUTHENTICATE_CHALLENGE',
    )
  })
})

describe('the metadata', () => {
  it.each<[string, (correct: Claims) => unknown]>([
    ['name another issuer', (correct) => ({ ...correct, issuer: 'https://other.example' })],
    ['name the issuer with a slash', (correct) => ({ ...correct, issuer: `${String(correct['issuer'])}/` })],
    ['name no issuer', (correct) => ({ ...correct, issuer: undefined })],
    ['name a number as the issuer', (correct) => ({ ...correct, issuer: 7 })],
    ['have no endpoint for authorization', (correct) => ({ ...correct, authorization_endpoint: undefined })],
    ['have an endpoint that is no URL', (correct) => ({ ...correct, authorization_endpoint: 'leak' })],
    ['have a script as endpoint', (correct) => ({ ...correct, authorization_endpoint: 'javascript:leak()' })],
  ])('are refused at the start if they %s', async (_, metadata) => {
    hostile.behaviour.metadata = metadata
    await messageOf(open().provider.start(TRANSACTION))
  })

  it.each<[string, (correct: Claims) => unknown]>([
    ['have no endpoint for tokens', (correct) => ({ ...correct, token_endpoint: undefined })],
    ['have no key set', (correct) => ({ ...correct, jwks_uri: undefined })],
    ['have a file as key set', (correct) => ({ ...correct, jwks_uri: 'file:///etc/passwd' })],
    [
      'do not name the algorithm of the ID token',
      (correct) => ({ ...correct, id_token_signing_alg_values_supported: ['ES256'] }),
    ],
  ])('are refused at the end if they %s', async (_, metadata) => {
    hostile.behaviour.metadata = metadata
    await messageOf(finish())
  })

  const OTHER_ISSUER =
    'the metadata of the provider cannot be used: the issuer in the metadata is not exactly the configured one; a slash at the end counts'

  it.each([301, 404, 500])('that come with the status %i lead to a message with it', async (status) => {
    hostile.behaviour.respond = { metadata: write(status, JSON_TYPE, '{}') }
    expect(await messageOf(open().provider.start(TRANSACTION))).toBe(
      `the metadata of the provider cannot be used: OAUTH_RESPONSE_IS_NOT_CONFORM (HTTP status ${status})`,
    )
  })

  it('of another issuer lead to a message that says so', async () => {
    hostile.behaviour.metadata = (correct) => ({ ...correct, issuer: 'https://other.example' })
    expect(await messageOf(open().provider.start(TRANSACTION))).toBe(OTHER_ISSUER)
  })

  it('of Entra for all tenants are refused', async () => {
    hostile.behaviour.metadata = (correct) => ({
      ...correct,
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    })
    // The library accepts them from this host, so the provider must seem to be there.
    const viaHostile = (url: string, init: object) =>
      fetch(url.replace('https://login.microsoftonline.com/common/v2.0', hostile.issuer), init)
    const { provider } = open({ issuer: 'https://login.microsoftonline.com/common/v2.0' }, { fetch: viaHostile })
    expect(await messageOf(provider.start(TRANSACTION))).toBe(OTHER_ISSUER)
  })

  describe('of an https issuer', () => {
    const issuer = 'https://login.example'
    let seen: string[] = []
    /** The hostile provider seems to be at the https issuer. */
    const attempt = async () => {
      seen = []
      const viaHostile = (url: string, init: object) => {
        seen.push(url)
        return fetch(url.replace(issuer, hostile.issuer), init)
      }
      const { provider } = open({ issuer }, { fetch: viaHostile })
      await provider.start(TRANSACTION)
      return provider.finish({ ...TRANSACTION, query: QUERY })
    }
    const overHttps = (correct: Claims): Claims =>
      Object.fromEntries(
        Object.entries(correct).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace(hostile.issuer, issuer) : value,
        ]),
      )
    beforeEach(() => send({ iss: issuer, groups: undefined }))

    it('are used if all endpoints have https', async () => {
      hostile.behaviour.metadata = overHttps
      expect(await attempt()).toEqual({ ...ADA, groups: [] })
      expect(seen).toHaveLength(4)
    })

    it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
      'must not name plain http: %s',
      async (endpoint) => {
        hostile.behaviour.metadata = (correct) => ({ ...overHttps(correct), [endpoint]: correct[endpoint] })
        await messageOf(attempt())
        expect(seen.filter((url) => url.startsWith('http:'))).toEqual([])
      },
    )
  })

  it('and the keys are used again in the next sign-in', async () => {
    hostile.behaviour.metadata = (correct) => ({
      ...correct,
      jwks_uri: String(correct['jwks_uri']).replace('http:', 'HTTP:'),
    })
    const { provider } = open()
    const before = hostile.requests.length
    expect(await provider.finish({ ...TRANSACTION, query: QUERY })).toEqual(ADA)
    expect(await provider.finish({ ...TRANSACTION, query: QUERY })).toEqual(ADA)
    expect(hostile.requests.slice(before)).toEqual(['metadata', 'tokens', 'keys', 'tokens'])
  })
})

describe('the userinfo endpoint', () => {
  const reads = () => hostile.requests.filter((endpoint) => endpoint === 'userinfo').length

  it('is not read if the ID token has e-mail and groups', async () => {
    const before = reads()
    expect(await finish()).toEqual(ADA)
    expect(reads()).toBe(before)
  })

  it('is not read for groups if no group makes an admin', async () => {
    send({ groups: undefined })
    const before = reads()
    expect(await finish({ adminGroups: [] })).toEqual({ ...ADA, groups: [] })
    expect(reads()).toBe(before)
  })

  it('completes the ID token, which counts first', async () => {
    hostile.behaviour.userinfo = {
      sub: 'the-subject',
      email: 'eve@example.com',
      email_verified: true,
      groups: ['admins'],
    }
    send({ groups: undefined })
    expect(await finish()).toEqual({ ...ADA, groups: ['admins'] })
    send({ email: undefined, email_verified: undefined })
    expect(await finish()).toEqual({ ...ADA, email: 'eve@example.com' })
    send({ email_verified: false, groups: undefined })
    expect(await finish()).toEqual({ ...ADA, email: null, groups: ['admins'] })
  })

  it('may be missing', async () => {
    hostile.behaviour.metadata = (correct) => ({ ...correct, userinfo_endpoint: undefined })
    send({ email: undefined, groups: undefined })
    expect(await finish()).toEqual({ ...ADA, email: null, groups: [] })
  })

  it.each([{ sub: 'another' }, {}, { sub: ['the-subject'] }])(
    'is refused for another subject: %j',
    async (userinfo) => {
      hostile.behaviour.userinfo = { ...userinfo, groups: ['admins'] }
      send({ groups: undefined })
      await messageOf(finish())
    },
  )

  it('may sign its response, whose signature then counts', async () => {
    hostile.behaviour.metadata = (correct) => ({ ...correct, userinfo_signing_alg_values_supported: ['RS256'] })
    send({ groups: undefined })
    const respond = (key: KeyPair) => {
      const token = jwt({ alg: 'RS256', kid: 'first' }, { sub: 'the-subject', groups: ['admins'] }, key)
      hostile.behaviour.respond = { userinfo: write(200, { 'content-type': 'application/jwt' }, token) }
    }
    respond(hostile.key)
    expect(await finish()).toEqual({ ...ADA, groups: ['admins'] })
    respond(rsaKey('first'))
    await messageOf(finish())
  })
})

it('groups that are too many for a token are logged, without personal data', async () => {
  send({ groups: undefined, _claim_names: { groups: 'src1' } })
  const { provider, warnings } = open()
  expect(await provider.finish({ ...TRANSACTION, query: QUERY })).toEqual({ ...ADA, groups: [] })
  expect(warnings).toEqual([
    [{ provider: 'oidc:keycloak' }, 'the provider left out the groups of an account, because there are too many'],
  ])
})

it('a provider that cannot be reached is a refusal with the reason', async () => {
  const closed = await startHostileOidc()
  await closed.close()
  const { provider } = openForSpec(closed)
  expect(await messageOf(provider.start(TRANSACTION))).toBe('the provider cannot be reached: ECONNREFUSED')
})
