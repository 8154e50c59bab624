import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followUntil, open, type CookieJar } from '../../../support/sso/follow-redirects.ts'
import { startOidcProvider } from '../../../support/sso/oidc/oidc-provider.ts'
import type { OidcProviderOptions, RunningOidcProvider } from '../../../support/sso/oidc/oidc-provider.ts'
import {
  CALLBACK,
  openForSpec,
  PUBLIC_URL,
  refusal,
  signIn,
  transactionOf,
  visit,
} from '../../../support/sso/oidc/oidc-sign-in.ts'

const ACCOUNTS = [
  { sub: 'ada-1', email: 'ada@example.com', email_verified: true, groups: ['staff', 'admins'] },
  { sub: 'bob-2', email: 'bob@example.com', email_verified: false, groups: 'staff' },
  { sub: 'eve-3', email: 'eve@example.com', realm_access: { roles: ['admins', 7, null] } },
]
const ADA = { subject: 'ada-1', email: 'ada@example.com', groups: ['staff', 'admins'] }

const startFor = (options: Partial<OidcProviderOptions> = {}): Promise<RunningOidcProvider> =>
  startOidcProvider({ publicUrl: PUBLIC_URL, name: 'keycloak', accounts: ACCOUNTS, signInAs: 'ada-1', ...options })

describe('a sign-in through a real OpenID provider', () => {
  it.each([
    { authMethod: 'client_secret_basic', conformIdTokenClaims: true, algorithm: 'RS256' },
    { authMethod: 'client_secret_basic', conformIdTokenClaims: false, algorithm: 'PS256' },
    { authMethod: 'client_secret_post', conformIdTokenClaims: true, algorithm: 'ES256' },
    { authMethod: 'client_secret_post', conformIdTokenClaims: false, algorithm: 'EdDSA' },
  ] as const)('works with $authMethod, $algorithm, conforming claims: $conformIdTokenClaims', async (options) => {
    const running = await startFor(options)
    const { provider } = openForSpec(running)
    expect(await signIn(provider)).toEqual(ADA)
    expect(running.requests.includes('GET /me')).toBe(options.conformIdTokenClaims)
    await running.close()
  })

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'works with special characters in the client id and the secret: %s',
    async (authMethod) => {
      const running = await startFor({ authMethod, clientId: 'a-b.c_d~e:f g', clientSecret: 'p+q%20r/s=t:u&v!~*' })
      expect(await signIn(openForSpec(running).provider)).toEqual(ADA)
      await running.close()
    },
  )
})

describe('a start', () => {
  let running: RunningOidcProvider
  beforeAll(async () => void (running = await startFor()))
  afterAll(() => running.close())

  it('sends the browser to the provider with a challenge, a nonce and the state', async () => {
    const { provider } = openForSpec(running)
    const { state, nonce, codeVerifier } = transactionOf('a start')
    const url = new URL(await provider.start({ state, nonce, codeVerifier }))
    expect(url.origin).toBe(running.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: running.clientId,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    expect(url.href).not.toContain(codeVerifier)
    expect(url.href).not.toContain(running.clientSecret)
  })
})

describe('the claims', () => {
  let running: RunningOidcProvider
  beforeAll(async () => void (running = await startFor()))
  afterAll(() => running.close())
  const signInAs = (sub: string, config = {}) => {
    running.signInAs(sub)
    return signIn(openForSpec(running, config).provider)
  }

  it('contain an e-mail address only if the provider verified it', async () => {
    expect((await signInAs('ada-1')).email).toBe('ada@example.com')
    expect((await signInAs('bob-2')).email).toBeNull()
    expect((await signInAs('eve-3')).email).toBeNull()
  })

  it('contain groups as a list or as one text, also in a nested claim', async () => {
    expect((await signInAs('bob-2')).groups).toEqual(['staff'])
    expect((await signInAs('eve-3')).groups).toEqual([])
    expect((await signInAs('eve-3', { groupsClaim: 'realm_access.roles' })).groups).toEqual(['admins'])
  })
})

describe('what a provider publishes', () => {
  it('is read at the first sign-in, once for concurrent ones, and again after an hour', async () => {
    const running = await startFor()
    let at = 0
    const { provider } = openForSpec(running, {}, { now: () => at })
    const reads = () => running.requests.filter((line) => line.includes('openid-configuration')).length
    expect(reads()).toBe(0)
    await Promise.all([1, 2, 3].map(() => provider.start(transactionOf())))
    expect(reads()).toBe(1)
    at = 60 * 60 * 1000 - 1
    await provider.start(transactionOf())
    expect(reads()).toBe(1)
    at += 1
    await provider.start(transactionOf())
    expect(reads()).toBe(2)
    await running.close()
  })

  it('is read again after a failure', async () => {
    const running = await startFor()
    const { provider } = openForSpec(running)
    running.setFailing(true)
    await expect(provider.start(transactionOf())).rejects.toMatchObject({ name: 'SsoRefused', code: 'provider_error' })
    running.setFailing(false)
    expect(await signIn(provider)).toEqual(ADA)
    await running.close()
  })

  it('is read again when the keys were replaced, without redeeming the code twice', async () => {
    const running = await startFor()
    const { provider } = openForSpec(running)
    expect(await signIn(provider)).toEqual(ADA)
    running.rotateKeys()
    const before = running.requests.length
    expect(await signIn(provider)).toEqual(ADA)
    const requests = running.requests.slice(before)
    expect(requests.filter((line) => line === 'POST /token')).toHaveLength(1)
    expect(requests.filter((line) => line.includes('openid-configuration'))).toHaveLength(1)
    expect(requests.filter((line) => line === 'GET /jwks')).toHaveLength(1)
    await running.close()
  })
})

describe('a callback of a real provider', () => {
  let running: RunningOidcProvider
  beforeAll(async () => void (running = await startFor()))
  afterAll(() => running.close())

  it.each([
    ['another nonce', { nonce: 'other' }],
    ['another code verifier', { codeVerifier: 'another-verifier-of-the-right-length-0123456789' }],
    ['another state', { state: 'other' }],
  ])('with %s is refused', async (_, change) => {
    const { provider } = openForSpec(running)
    const transaction = transactionOf()
    const query = await visit(provider, transaction)
    await expect(provider.finish({ ...transaction, ...change, query })).rejects.toMatchObject({
      name: 'SsoRefused',
      code: 'provider_error',
    })
  })

  it.each([
    ['an invented code', (query: URLSearchParams) => query.set('code', 'invented')],
    ['two codes', (query: URLSearchParams) => query.append('code', 'second')],
    ['the issuer of another provider', (query: URLSearchParams) => query.set('iss', 'https://other.example')],
    ['no issuer', (query: URLSearchParams) => query.delete('iss')],
  ])('with %s is refused', async (_, change) => {
    const { provider } = openForSpec(running)
    const transaction = transactionOf()
    const query = await visit(provider, transaction)
    change(query)
    await expect(provider.finish({ ...transaction, query })).rejects.toMatchObject({
      name: 'SsoRefused',
      code: 'provider_error',
    })
  })

  it('is accepted only once', async () => {
    const { provider } = openForSpec(running)
    const transaction = transactionOf()
    const query = await visit(provider, transaction)
    expect(await provider.finish({ ...transaction, query })).toEqual(ADA)
    await expect(provider.finish({ ...transaction, query })).rejects.toMatchObject({
      code: 'provider_error',
      message: 'the code cannot be redeemed: invalid_grant',
    })
  })

  it('is refused with a wrong client secret, and the message contains no secret', async () => {
    const { provider } = openForSpec({ ...running, clientSecret: 'wrong-secret' })
    const refused = await refusal(signIn(provider))
    expect(refused).toMatchObject({
      code: 'provider_error',
      message: 'the code cannot be redeemed: the provider rejected the client id or the client secret',
    })
    expect(inspect(refused)).not.toContain('wrong-secret')
  })
})

describe('the page of the provider', () => {
  let running: RunningOidcProvider
  beforeAll(async () => void (running = await startFor({ signInAs: null })))
  afterAll(() => running.close())

  /** Chooses an account on the page, and returns the URL to which the browser goes back. */
  const choose = async (start: string, sub: string): Promise<URL> => {
    const jar: CookieJar = new Map()
    const page = await followUntil(start, `${running.issuer}/interaction/`, jar)
    const shown = await open(page.href, jar)
    expect(await shown.text()).toContain('>ada@example.com (staff, admins)</button>')
    const chosen = await open(page.href, jar, { method: 'POST', body: new URLSearchParams({ sub }) })
    return followUntil(chosen.headers.get('location') ?? '', CALLBACK, jar)
  }

  it('lets the browser choose an account', async () => {
    const { provider } = openForSpec(running)
    const transaction = transactionOf()
    const { searchParams: query } = await choose(await provider.start(transaction), 'bob-2')
    expect(await provider.finish({ ...transaction, query })).toEqual({
      subject: 'bob-2',
      email: null,
      groups: ['staff'],
    })
  })

  it('lets the browser cancel', async () => {
    const transaction = transactionOf()
    const { searchParams } = await choose(await openForSpec(running).provider.start(transaction), '')
    expect(searchParams.get('error')).toBe('access_denied')
    expect(searchParams.get('state')).toBe(transaction.state)
  })
})
