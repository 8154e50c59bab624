import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SpecApp } from '../../support/servers/app.ts'
import { rsaKey } from '../../support/sso/certificate.ts'
import { followUntil } from '../../support/sso/follow-redirects.ts'
import { HOSTILE_PATHS } from '../../support/sso/hostile-paths.ts'
import { startOidcProvider } from '../../support/sso/oidc/oidc-provider.ts'
import { oidcConfig } from '../../support/sso/providers.ts'
import {
  comeBack,
  cookieIn,
  openSsoApp,
  post,
  PUBLIC_URL,
  responseTo,
  samlForm,
  samlProviderWith,
  signInWithOidc,
  signInWithSaml,
  start,
} from '../../support/sso/sso-app.ts'

const MINUTE = 60_000
const KEY = rsaKey()
let app: SpecApp
let at: number
afterAll(() => idp.close())

/** An OpenID provider and two SAML providers; the second one may start sign-ins itself. */
const providers = () => [
  oidcConfig({
    issuer: idp.issuer,
    clientId: idp.clientId,
    clientSecret: idp.clientSecret,
    allowedDomains: ['example.com'],
  }),
  samlProviderWith(KEY, { name: 'saml', label: 'Saml' }),
  samlProviderWith(KEY, { name: 'portal', label: 'Portal', allowIdpInitiated: true }),
]

beforeEach(async () => {
  at = Date.now()
  idp.signInAs('ada')
  app = await openSsoApp(providers(), { now: () => at })
})
afterEach(() => app.close())

const failure = (code: string, provider = 'corp'): string => `/login?sso_error=${code}&provider=${provider}`
const accountOf = async (token: string | null) =>
  (await app.sendWithToken(token)('GET', '/auth/me')).json<{ user: { username: string; role: string } | null }>().user
/** The refused sign-ins of the audit trail, oldest first. */
const refusals = async () => {
  const answer = await app.sendAs('admin')('GET', '/audit?type=SignInRefused')
  const { events } = answer.json<{ events: Array<{ data: { provider: string; reason: string } }> }>()
  return events.map(({ data: { provider, reason } }) => `${provider} ${reason}`).reverse()
}
const idp = await startOidcProvider({
  publicUrl: PUBLIC_URL,
  name: 'corp',
  signInAs: 'ada',
  accounts: [
    { sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['admins'] },
    { sub: 'eve', email: 'eve@other.example', email_verified: true, groups: [] },
  ],
})

describe('a sign-in through an OpenID provider', () => {
  it('goes to the provider, comes back with a session, and returns to where it began', async () => {
    const started = await start(app, { kind: 'oidc', name: 'corp' }, '/runs/1?case=2')
    expect(started.status).toBe(303)
    const url = new URL(started.to)
    const transaction = cookieIn(started, 'service_txn') ?? ''
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: idp.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${PUBLIC_URL}/api/v1/auth/oidc/corp/callback`,
      code_challenge_method: 'S256',
      state: transaction,
    })
    expect(started.cookies).toEqual([
      `service_txn=${transaction}; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=600`,
    ])

    const ended = await signInWithOidc(app, 'corp', '/runs/1?case=2')
    expect([ended.status, ended.to]).toEqual([303, '/runs/1?case=2'])
    const token = cookieIn(ended, 'service_session')
    expect(token).toMatch(/^mses_[0-9a-f]{64}$/)
    expect(ended.cookies[1]).toBe('service_txn=; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=0')
    expect(await accountOf(token)).toMatchObject({ username: 'ada', role: 'admin' })
  })

  it('works once', async () => {
    const { query, cookie } = await signInWithOidc(app, 'corp')
    expect((await comeBack(app, 'corp', query, cookie)).to).toBe(failure('invalid_state'))
  })

  it('is refused when the provider says so, and is over then', async () => {
    const started = await start(app, { kind: 'oidc', name: 'corp' })
    const state = cookieIn(started, 'service_txn') ?? ''
    const cookie = `service_txn=${state}`
    const denied = await comeBack(
      app,
      'corp',
      { error: 'login_required', error_description: '<b>no</b>', state },
      cookie,
    )
    expect(denied.to).toBe(failure('access_denied'))
    expect((await comeBack(app, 'corp', { code: 'c', state }, cookie)).to).toBe(failure('invalid_state'))
    expect((await comeBack(app, 'corp', { error: 'access_denied' })).to).toBe(failure('access_denied'))
  })

  it('needs a code, the state, and the cookie of the same browser', async () => {
    const started = await start(app, { kind: 'oidc', name: 'corp' })
    const state = cookieIn(started, 'service_txn') ?? ''
    const cookie = `service_txn=${state}`
    const other = randomBytes(32).toString('hex')
    for (const [query, sent] of [
      [{ state }, cookie],
      [{ code: '', state }, cookie],
      [{ code: 'c' }, cookie],
      [{ code: 'c', state }, ''],
      [{ code: 'c', state }, `service_txn=${other}`],
      [{ code: 'c', state: other }, cookie],
      [{ code: 'c', state: other }, `service_txn=${other}`],
      [`code=c&code=d&state=${state}`, cookie],
      [`code=c&state=${state}&state=${state}`, cookie],
      ['', ''],
    ] as const)
      expect([query, (await comeBack(app, 'corp', query, sent)).to]).toEqual([query, failure('invalid_state')])
    // None of these used it up.
    expect(await app.column('SELECT count(*) FROM sso_transactions')).toEqual([1])
  })

  it('must end within ten minutes', async () => {
    const state = cookieIn(await start(app, { kind: 'oidc', name: 'corp' }), 'service_txn') ?? ''
    at += 10 * MINUTE
    expect((await comeBack(app, 'corp', { code: 'c', state }, `service_txn=${state}`)).to).toBe(
      failure('invalid_state'),
    )
  })

  it('is refused for an e-mail address of another domain', async () => {
    idp.signInAs('eve')
    expect((await signInWithOidc(app, 'corp')).to).toBe(failure('email_not_allowed'))
    expect(await refusals()).toEqual(['oidc:corp email_not_allowed'])
    expect(await app.column('SELECT count(*) FROM users')).toEqual([0])
  })

  it('is refused for a disabled account', async () => {
    const token = cookieIn(await signInWithOidc(app, 'corp'), 'service_session')
    const boss = await app.addUser('boss', 'admin')
    const [id] = await app.column("SELECT id FROM users WHERE id <> 'boss'")
    expect((await boss.send('PATCH', `/users/${String(id)}`, { body: { disabled: true } })).statusCode).toBe(200)
    expect(await accountOf(token)).toBeNull()
    expect((await signInWithOidc(app, 'corp')).to).toBe(failure('account_disabled'))
    expect(await refusals()).toEqual(['oidc:corp account_disabled'])
  })

  it('fails with the provider, at its start and at its end', async () => {
    const started = await start(app, { kind: 'oidc', name: 'corp' })
    const state = cookieIn(started, 'service_txn') ?? ''
    idp.setFailing(true)
    try {
      expect((await comeBack(app, 'corp', { code: 'c', state }, `service_txn=${state}`)).to).toBe(
        failure('provider_error'),
      )
      const other = await openSsoApp(providers())
      try {
        const failed = await start(other, { kind: 'oidc', name: 'corp' })
        expect([failed.status, failed.to, failed.cookies]).toEqual([303, failure('provider_error'), []])
      } finally {
        await other.close()
      }
    } finally {
      idp.setFailing(false)
    }
  })

  it('makes one account of ten first sign-ins at once', async () => {
    const ended = await Promise.all(Array.from({ length: 10 }, () => signInWithOidc(app, 'corp')))
    expect(new Set(ended.map(({ to }) => to))).toEqual(new Set(['/']))
    expect(new Set(ended.map((step) => cookieIn(step, 'service_session'))).size).toBe(10)
    expect(await app.column('SELECT count(*) FROM users')).toEqual([1])
  })
})

describe('a sign-in through a SAML provider', () => {
  it('goes to the provider, comes back with a session, and returns to where it began', async () => {
    const started = await start(app, { kind: 'saml', name: 'saml' })
    expect([started.status, new URL(started.to).origin]).toEqual([303, 'https://idp.example.com'])
    const transaction = cookieIn(started, 'service_saml_txn') ?? ''
    expect(new URL(started.to).searchParams.get('RelayState')).toBe(transaction)
    expect(started.cookies).toEqual([
      `service_saml_txn=${transaction}; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=600`,
    ])

    const ended = await signInWithSaml(app, KEY, { name: 'saml', at }, '/runs/1')
    expect([ended.status, ended.to]).toEqual([303, '/runs/1'])
    expect(ended.cookies[1]).toBe('service_saml_txn=; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=0')
    expect(await accountOf(cookieIn(ended, 'service_session'))).toMatchObject({ username: 'ada', role: 'member' })
  })

  it('is posted by another site, which no other route allows', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at })
    const headers = { cookie, origin: 'https://idp.example.com', 'sec-fetch-site': 'cross-site' }
    expect((await post(app, 'saml', form, headers)).to).toBe('/')
  })

  it('works once, also with the same assertion in a new sign-in', async () => {
    const assertion = { name: 'portal', at, assertionId: '_one' }
    const { form, cookie } = await signInWithSaml(app, KEY, assertion)
    expect((await post(app, 'portal', form, { cookie })).to).toBe(failure('invalid_state', 'portal'))
    expect((await signInWithSaml(app, KEY, assertion)).to).toBe(failure('replayed', 'portal'))
    // The assertion of another provider with the same id is another one.
    expect((await signInWithSaml(app, KEY, { ...assertion, name: 'saml' })).to).toBe('/')
    expect(await refusals()).toEqual(['saml:portal invalid_state', 'saml:portal replayed'])
  })

  it('needs the relay state and the cookie of the same browser', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at })
    const { SAMLResponse } = form
    for (const [sent, headers] of [
      [form, {}],
      [form, { cookie: `service_saml_txn=${randomBytes(32).toString('hex')}` }],
      [form, { cookie: cookie.replace('service_saml_txn', 'service_txn') }],
      [{ SAMLResponse, RelayState: randomBytes(32).toString('hex') }, { cookie }],
      [{ SAMLResponse }, { cookie }],
      [{ SAMLResponse, RelayState: '' }, { cookie }],
    ] as const)
      expect((await post(app, 'saml', sent, headers)).to).toBe(failure('invalid_state', 'saml'))
    expect((await post(app, 'saml', form, { cookie })).to).toBe('/')
  })

  it('must answer its own request', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at, requestId: '_another' })
    expect((await post(app, 'saml', form, { cookie })).to).toBe(failure('invalid_state', 'saml'))
  })

  it('cannot be started with one provider and ended with another', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at })
    expect((await post(app, 'portal', form, { cookie })).to).toBe(failure('invalid_state', 'portal'))
  })

  it('starts at the provider if allowed, and never with the response to a request', async () => {
    const unasked = () =>
      responseTo(KEY, { name: 'portal', at, requestId: null, assertionId: `_${randomBytes(8).toString('hex')}` })
    const ended = await post(app, 'portal', { SAMLResponse: unasked() })
    expect(ended.to).toBe('/')
    expect(await accountOf(cookieIn(ended, 'service_session'))).toMatchObject({ username: 'ada' })
    const { form } = await samlForm(app, KEY, { name: 'portal', at })
    expect((await post(app, 'portal', { SAMLResponse: form.SAMLResponse })).to).toBe(failure('invalid_state', 'portal'))
    // A relay state of the provider names no sign-in of this service.
    expect((await post(app, 'portal', { SAMLResponse: unasked(), RelayState: '/runs' })).to).toBe(
      failure('invalid_state', 'portal'),
    )
    const saml = responseTo(KEY, { name: 'saml', at, requestId: null })
    expect((await post(app, 'saml', { SAMLResponse: saml })).to).toBe(failure('invalid_state', 'saml'))
  })

  it('is refused when it is too old', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at: at - 10 * MINUTE })
    expect((await post(app, 'saml', form, { cookie })).to).toBe(failure('expired', 'saml'))
  })

  it('takes a form with one response of at most 512 KiB, and nothing else', async () => {
    const { form, cookie } = await samlForm(app, KEY, { name: 'saml', at })
    const text = new URLSearchParams(form).toString()
    for (const [body, type] of [
      [text, 'application/json'],
      [text, 'multipart/form-data; boundary=x'],
      ['', 'application/x-www-form-urlencoded'],
      ['SAMLResponse=&RelayState=x', 'application/x-www-form-urlencoded'],
      [`${text}&SAMLResponse=x`, 'application/x-www-form-urlencoded'],
      [`${text}&RelayState=x`, 'application/x-www-form-urlencoded'],
      [`${text}${'&a=b'.repeat(30)}`, 'application/x-www-form-urlencoded'],
      [`${text}&a=${'b'.repeat(512 * 1024)}`, 'application/x-www-form-urlencoded'],
      [`SAMLResponse=${'A'.repeat(10 * 1024 * 1024)}`, 'application/x-www-form-urlencoded'],
    ] as const)
      expect((await post(app, 'saml', body, { 'content-type': type, cookie })).to).toBe(
        failure('provider_error', 'saml'),
      )
    const headers = { 'content-type': 'Application/X-WWW-Form-URLencoded; charset=utf-8', cookie }
    expect((await post(app, 'saml', text, headers)).to).toBe('/')
  })

  it('has metadata for the provider', async () => {
    const answer = await app.sendAs(null)('GET', '/auth/saml/saml/metadata')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/samlmetadata+xml'])
    expect(answer.body).toContain(`entityID="${PUBLIC_URL}/api/v1/auth/saml/saml/metadata"`)
    expect(answer.body).toContain(`Location="${PUBLIC_URL}/api/v1/auth/saml/saml/acs"`)
  })
})

describe('the routes of single sign-on', () => {
  it('know the configured providers, each of its kind', async () => {
    const paths = ['oidc/none/start', 'oidc/saml/start', 'oidc/none/callback', 'saml/none/start', 'saml/corp/start']
    for (const path of [...paths, 'saml/corp/metadata', 'saml/none/metadata']) {
      const answer = await app.sendAs(null)('GET', `/auth/${path}`)
      expect([path, answer.statusCode, answer.json()]).toEqual([path, 404, { error: 'sso provider not found' }])
    }
    const answer = await app.sendAs(null)('POST', '/auth/saml/corp/acs')
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'sso provider not found' }])
  })

  it('are listed for the sign-in page, OpenID before SAML', async () => {
    const answer = await app.sendAs(null)('GET', '/meta')
    expect(answer.json<{ sso_providers: unknown }>().sso_providers).toEqual([
      { name: 'corp', kind: 'oidc', label: 'Corp', login_url: '/api/v1/auth/oidc/corp/start' },
      { name: 'saml', kind: 'saml', label: 'Saml', login_url: '/api/v1/auth/saml/saml/start' },
      { name: 'portal', kind: 'saml', label: 'Portal', login_url: '/api/v1/auth/saml/portal/start' },
    ])
  })

  it('return to no other site', async () => {
    expect(HOSTILE_PATHS.length).toBeGreaterThanOrEqual(60)
    for (const path of HOSTILE_PATHS) await start(app, { kind: 'saml', name: 'saml' }, path)
    const paths = await app.column('SELECT DISTINCT return_to FROM sso_transactions')
    expect(await app.column('SELECT count(*) FROM sso_transactions')).toEqual([HOSTILE_PATHS.length])
    for (const path of paths) {
      expect(new URL(String(path), PUBLIC_URL).origin).toBe(PUBLIC_URL)
      expect(path).toMatch(/^\/(?![/\\])/)
    }
    const [hostile] = HOSTILE_PATHS.filter((path) => path.startsWith('//'))
    expect((await signInWithSaml(app, KEY, { name: 'saml', at }, hostile)).to).toBe('/')
    expect((await signInWithOidc(app, 'corp', hostile)).to).toBe('/')
  })

  it('check the parameters of a start, and ignore what a provider adds to the way back', async () => {
    expect((await start(app, { kind: 'saml', name: 'saml' })).status).toBe(303)
    for (const query of ['return_to=/a&return_to=/b', 'unknown=1', 'RelayState=x']) {
      expect((await app.sendAs(null)('GET', `/auth/saml/saml/start?${query}`)).statusCode).toBe(400)
      expect((await app.sendAs(null)('GET', `/auth/oidc/corp/start?${query}`)).statusCode).toBe(400)
    }
    expect(await app.column('SELECT count(*) FROM sso_transactions')).toEqual([1])
    expect((await app.sendAs(null)('GET', '/auth/saml/saml/metadata?x=1')).statusCode).toBe(400)

    const begun = await start(app, { kind: 'oidc', name: 'corp' })
    const { search } = await followUntil(begun.to, `${PUBLIC_URL}/api/v1/auth/oidc/corp/callback`)
    const cookie = begun.cookies[0]?.split(';')[0]
    expect(
      (
        await comeBack(
          app,
          'corp',
          `${search.slice(1)}&session_state=1&session_state=2&id_token=x&response=y&token=z`,
          cookie,
        )
      ).to,
    ).toBe('/')
    const { form, cookie: own } = await samlForm(app, KEY, { name: 'saml', at })
    const answer = await app.sendAs(null)('POST', '/auth/saml/saml/acs?x=1&x=2', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: own },
      body: new URLSearchParams({ ...form, Signature: 'x', SigAlg: 'y' }).toString(),
    })
    expect(answer.headers.location).toBe('/')
  })

  it('are stored by no cache, and shown to no other site', async () => {
    const steps = [
      await start(app, { kind: 'oidc', name: 'corp' }),
      await start(app, { kind: 'saml', name: 'saml' }),
      await comeBack(app, 'corp', ''),
      await post(app, 'saml', ''),
      await signInWithOidc(app, 'corp'),
    ]
    for (const { headers } of steps)
      expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'no-referrer'])
  })

  it('have no HEAD, which would use up a sign-in', async () => {
    for (const path of ['oidc/corp/start', 'oidc/corp/callback', 'saml/saml/start'])
      expect((await app.sendAs(null)('HEAD', `/auth/${path}`)).statusCode).toBe(405)
  })

  it('limit how many sign-ins one address starts, and how many responses it posts', async () => {
    for (let n = 0; n < 200; n++) await start(app, { kind: 'saml', name: 'saml' })
    for (let n = 0; n < 200; n++)
      expect((await post(app, 'portal', { SAMLResponse: 'x' })).to).toBe(failure('provider_error', 'portal'))
    for (const answer of [
      await app.sendAs(null)('GET', '/auth/saml/saml/start'),
      await app.sendAs(null)('GET', '/auth/oidc/corp/start'),
      await app.sendAs(null)('POST', '/auth/saml/portal/acs', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'SAMLResponse=x',
      }),
      await app.sendAs(null)('POST', '/auth/saml/saml/acs', { body: 'SAMLResponse=x' }),
    ]) {
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '1'])
      expect(answer.json()).toEqual({ error: 'too many sign-ins from this address; try again later' })
    }
    at += 200
    expect((await start(app, { kind: 'saml', name: 'saml' })).status).toBe(303)
    expect((await post(app, 'portal', { SAMLResponse: 'x' })).status).toBe(303)
  })

  it('restrict cookies to https where they should be', async () => {
    const secure = await openSsoApp(providers(), { cookieSecure: true })
    try {
      const [oidc, saml] = [
        await start(secure, { kind: 'oidc', name: 'corp' }),
        await start(secure, { kind: 'saml', name: 'saml' }),
      ]
      expect(oidc.cookies[0]).toMatch(/; SameSite=Lax; Path=\/api\/v1\/auth; Max-Age=600; Secure$/)
      expect(saml.cookies[0]).toMatch(/; SameSite=None; Path=\/api\/v1\/auth; Max-Age=600; Secure$/)
      const ended = await signInWithSaml(secure, KEY, { name: 'saml', at: Date.now() })
      expect(ended.cookies[0]).toMatch(/^service_session=.*; Secure$/)
    } finally {
      await secure.close()
    }
  })
})
