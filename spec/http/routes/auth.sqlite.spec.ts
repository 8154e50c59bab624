import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CROSS_ORIGIN } from '../../../http/identity/cross-origin.ts'
import { openPasswords } from '../../../http/identity/passwords.ts'
import type { AuthMode } from '../../../http/services.ts'
import { clientOf, PASSWORD, createPeople, type UserView } from '../../support/access/accounts.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { appOpener } from '../../support/servers/opening-apps.ts'

const open = appOpener()
const eventBodies = async (spec: SpecApp, type: string) =>
  (await spec.column(`SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = '${type}' ORDER BY seq`)).map(
    (body) => JSON.parse(String(body)) as { actor: object; data: object; stream: string },
  )

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const T0 = Date.UTC(2026, 4, 4, 9)

describe('setup', () => {
  const body = { username: ' root ', password: PASSWORD }

  it.each<AuthMode>(['open', 'protect-writes', 'closed'])(
    'makes the first account an admin and signs it in, in %s mode',
    async (mode) => {
      const spec = await open({ mode, now: () => T0 })
      const ask = clientOf(spec)
      expect((await ask('GET', '/meta')).json()).toMatchObject({ setup_required: true })
      const answer = await ask('POST', '/auth/setup', { body })
      expect(answer.statusCode).toBe(201)
      const { token, user } = answer.json<{ token: string; user: UserView }>()
      expect(token).toMatch(/^mses_[0-9a-f]{64}$/)
      expect(user).toEqual({
        id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/) as string,
        username: 'root',
        role: 'admin',
        disabled: false,
        created_at: '2026-05-04T09:00:00+00:00',
        email: null,
        has_password: true,
        service: false,
        identities: [],
        role_managed_by: null,
      })
      expect(answer.headers['set-cookie']).toBe(
        `service_session=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000`,
      )
      expect(answer.headers['cache-control']).toBe('no-store')
      expect((await ask('GET', '/meta')).json()).toMatchObject({ setup_required: false })
      expect((await ask('GET', '/users', { token })).statusCode).toBe(200)
    },
  )

  it('succeeds once: a later request gets 409 before its body is checked', async () => {
    const spec = await open()
    const ask = clientOf(spec)
    expect((await ask('POST', '/auth/setup', { body })).statusCode).toBe(201)
    for (const sentBody of [body, { username: '', password: '' }]) {
      const answer = await ask('POST', '/auth/setup', { body: sentBody })
      expect([answer.statusCode, answer.body]).toEqual([409, '{"error":"setup is already completed"}'])
    }
  })

  it('checks the username first, then the password length in characters', async () => {
    const ask = clientOf(await open())
    const refused = async (username: unknown, password: unknown) => {
      const answer = await ask('POST', '/auth/setup', { body: { username, password } })
      return [answer.statusCode, answer.json<{ error: string }>().error]
    }
    for (const unseen of [' \n ', '\u2800', ' \u200b\u3164 '])
      expect(await refused(unseen, 'short')).toEqual([400, 'username must not be empty'])
    expect(await refused('root', '1234567')).toEqual([400, 'password must have at least 8 characters'])
    expect(await refused('root', '\u{1f600}'.repeat(7))).toEqual([400, 'password must have at least 8 characters'])
    expect(await refused('root', 7)).toEqual([422, expect.stringContaining('password')])
    expect(await refused('a\0b', PASSWORD)).toEqual([422, expect.stringContaining('username')])
    expect(await refused('x'.repeat(401), PASSWORD)).toEqual([422, expect.stringContaining('username')])
    expect((await ask('POST', '/auth/setup', { body: { ...body, more: 1 } })).statusCode).toBe(422)
    expect(
      (await ask('POST', '/auth/setup', { body: { username: 'root', password: '\u{1f600}'.repeat(8) } })).statusCode,
    ).toBe(201)
    expect(
      (await ask('POST', '/auth/login', { body: { username: 'root', password: '\u{1f600}'.repeat(8) } })).statusCode,
    ).toBe(200)
  })

  it('succeeds for exactly one of a hundred concurrent requests', async () => {
    const spec = await open()
    const ask = clientOf(spec)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        ask('POST', '/auth/setup', { body: { username: `root-${i}`, password: PASSWORD } }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(99)
    expect(await spec.column('SELECT role FROM users')).toEqual(['admin'])
    expect([
      await spec.column('SELECT count(*) FROM password_hashes'),
      await spec.column('SELECT count(*) FROM session_tokens'),
    ]).toEqual([[1], [1]])
  })
})

describe('sign-in', () => {
  it('opens a session only for the exact spelling of the username', async () => {
    const spec = await open({ cookieSecure: true })
    const { ask, root } = await createPeople(spec)
    const answer = await ask('POST', '/auth/login', { body: { username: 'root', password: PASSWORD } })
    expect(answer.statusCode).toBe(200)
    const { token, user } = answer.json<{ token: string; user: UserView }>()
    expect(token).not.toBe(root.token)
    expect(user).toMatchObject({ id: root.id, username: 'root' })
    expect(answer.headers['set-cookie']).toBe(
      `service_session=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000; Secure`,
    )
    for (const username of ['Root', ' root', 'root '])
      expect((await ask('POST', '/auth/login', { body: { username, password: PASSWORD } })).statusCode).toBe(401)
  })

  it('rejects unknown names, wrong passwords and disabled accounts identically', async () => {
    const { ask, person, change } = await createPeople(await open())
    const ada = await person('ada', 'member')
    await change(ada.id, { disabled: true })
    const responses = []
    for (const attempt of [
      { username: 'nobody', password: PASSWORD },
      { username: 'root', password: 'wrong horse' },
      { username: 'root', password: '' },
      { username: 'ada', password: PASSWORD },
      { username: 'a\0\ud800', password: 'x' },
    ]) {
      const {
        statusCode,
        body,
        headers: { 'x-request-id': _, date: __, ...headers },
      } = await ask('POST', '/auth/login', { body: attempt })
      responses.push({ statusCode, body, headers })
    }
    expect(responses[0]).toMatchObject({ statusCode: 401, body: '{"error":"invalid credentials"}' })
    for (const response of responses) expect(response).toEqual(responses[0])
  })

  it('records who signed in and why an attempt was refused, by id only', async () => {
    const spec = await open()
    const { ask, root, person, change } = await createPeople(spec)
    // No digest can contain this name by chance.
    const ottoline = await person('ottoline', 'member')
    await change(ottoline.id, { disabled: true })
    for (const [username, password] of [
      ['typed-password', PASSWORD],
      ['root', 'wrong horse'],
      ['ottoline', 'wrong horse'],
      ['ottoline', PASSWORD],
    ])
      await ask('POST', '/auth/login', { token: root.token, body: { username, password } })
    expect((await eventBodies(spec, 'SignInRefused')).map(({ data }) => data)).toEqual([
      { count: 1, reason: 'unknown_user', user_id: null },
      { count: 1, reason: 'wrong_password', user_id: root.id },
      { count: 1, reason: 'wrong_password', user_id: ottoline.id },
      { count: 1, reason: 'disabled', user_id: ottoline.id },
    ])
    // A refused attempt is recorded as anonymous, even with a credential; an accepted one as the new session.
    const address = '127.0.0.1'
    for (const { actor, stream } of await eventBodies(spec, 'SignInRefused')) {
      expect(actor).toEqual({ address, credential_id: null, kind: 'anonymous', scope: null, user_id: null })
      expect(stream).toMatch(/^sign-in\/[0-9A-Z]{26}$/)
    }
    expect((await eventBodies(spec, 'SignedIn')).map(({ actor }) => actor)).toMatchObject([
      { kind: 'anonymous' },
      { address, kind: 'session', scope: null, user_id: ottoline.id },
    ])
    for (const { stream } of await eventBodies(spec, 'SignedIn')) expect(stream).toMatch(/^session\/[0-9A-Z]{26}$/)
    expect((await eventBodies(spec, 'SignedIn')).map(({ data }) => data)).toMatchObject([
      { user_id: root.id, lifetime_ms: 30 * DAY },
      { user_id: ottoline.id },
    ])
    const log = (await spec.column('SELECT body FROM event_bodies')).join('\n')
    for (const secret of ['typed-password', 'ottoline', PASSWORD, root.token, 'argon2'])
      expect(log).not.toContain(secret)
  })

  it('slows down guessing with 429 and Retry-After, also for unknown accounts', async () => {
    let now = T0
    const spec = await open({ now: () => now })
    const { ask } = await createPeople(spec)
    for (const username of ['root', 'nobody']) {
      for (let i = 0; i < 10; i++)
        expect((await ask('POST', '/auth/login', { body: { username, password: 'wrong horse' } })).statusCode).toBe(401)
      const answer = await ask('POST', '/auth/login', { body: { username, password: PASSWORD } })
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '1'])
      expect(answer.json()).toEqual({ error: 'too many failed sign-ins; try again later' })
    }
    now += 1000
    expect((await ask('POST', '/auth/login', { body: { username: 'root', password: PASSWORD } })).statusCode).toBe(200)
    expect(
      (await eventBodies(spec, 'SignInRefused'))
        .map(({ data }) => data)
        .filter((data) => 'reason' in data && data.reason === 'throttled'),
    ).toHaveLength(2)
  })

  it('does not count attempts that were rejected as busy', async () => {
    const spec = await open({ parts: () => ({ passwords: openPasswords({ concurrency: 1, maxWaiting: 1 }) }) })
    const { ask } = await createPeople(spec)
    const attempt = async () =>
      (await ask('POST', '/auth/login', { body: { username: 'nobody', password: 'wrong horse' } })).statusCode
    const statuses = await Promise.all(Array.from({ length: 10 }, attempt))
    expect(new Set(statuses)).toEqual(new Set([401, 503]))
    // Ten failures are allowed without a wait. Only checked attempts count as failures: the first two, and those that
    // started after an earlier check had finished.
    const checked = statuses.filter((status) => status === 401).length
    // On SQLite nothing is awaited before the check, so all ten attempts arrive together.
    expect(checked).toBe(2)
    for (let i = checked; i < 10; i++) expect(await attempt()).toBe(401)
    expect(await attempt()).toBe(429)
  })

  it('records thirty refusals one by one, and the others as a count at shutdown', async () => {
    const spec = await open()
    const { ask } = await createPeople(spec)
    for (let i = 0; i < 45; i++)
      await ask('POST', '/auth/login', { body: { username: 'root', password: 'wrong horse' } })
    expect(await eventBodies(spec, 'SignInRefused')).toHaveLength(30)
    await spec.app.close()
    const refusals = await eventBodies(spec, 'SignInRefused')
    expect(refusals).toHaveLength(31)
    expect(refusals.at(-1)).toMatchObject({
      actor: { kind: 'system' },
      data: { count: 15, reason: 'many', user_id: null },
    })
  })

  it('opens no usable session if the account is disabled during the check or has a new password', async () => {
    const spec = await open()
    const { ask, person, change } = await createPeople(spec)
    const ada = await person('ada', 'member')
    const tries = Array.from({ length: 8 }, () =>
      ask('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } }),
    )
    await change(ada.id, { disabled: true })
    const tokens = (await Promise.all(tries)).flatMap((answer) =>
      answer.statusCode === 200 ? [answer.json<{ token: string }>().token] : [],
    )
    for (const token of tokens) expect((await ask('GET', '/runs', { token })).statusCode).toBe(401)
    await change(ada.id, { disabled: false, password: 'another horse' })
    expect((await ask('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } })).statusCode).toBe(401)
    expect(
      (await ask('POST', '/auth/login', { body: { username: 'ada', password: 'another horse' } })).statusCode,
    ).toBe(200)
  })
})

describe('a session', () => {
  it('expires after thirty days, used or not', async () => {
    let now = T0
    const spec = await open({ now: () => now })
    const { ask, root } = await createPeople(spec)
    for (const days of [0, 10, 29]) {
      now = T0 + days * DAY
      expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(200)
    }
    now = T0 + 30 * DAY - 1
    expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(200)
    now++
    expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(401)
  })

  it('is deleted with its token by the first sign-in after it expired', async () => {
    let now = T0
    const spec = await open({ now: () => now })
    const { signIn } = await createPeople(spec)
    await signIn('root')
    now = T0 + 15 * DAY
    await signIn('root')
    expect(await spec.column('SELECT count(*) FROM sessions')).toEqual([3])
    now = T0 + 30 * DAY
    await signIn('root')
    expect(await spec.column('SELECT created_at FROM sessions ORDER BY 1')).toEqual([T0 + 15 * DAY, T0 + 30 * DAY])
    expect(await spec.column('SELECT session_id FROM session_tokens ORDER BY 1')).toEqual(
      await spec.column('SELECT id FROM sessions ORDER BY 1'),
    )
  })

  it('is stored only as a digest, and a password as a hash', async () => {
    const spec = await open()
    const { root } = await createPeople(spec)
    expect(await spec.column('SELECT token_hash FROM session_tokens')).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ])
    expect(await spec.column('SELECT hash FROM password_hashes')).toEqual([expect.stringMatching(/^\$argon2id\$/)])
    expect(await spec.column('SELECT token_hash FROM session_tokens')).not.toContain(root.token.slice(5))
  })

  it('ends immediately at sign-out and leaves other sessions open', async () => {
    const spec = await open()
    const { ask, root, signIn } = await createPeople(spec)
    const other = await signIn('root')
    expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(200)
    const answer = await ask('POST', '/auth/logout', { token: root.token })
    expect([answer.statusCode, answer.body]).toEqual([200, '{"ok":true}'])
    expect(answer.headers['set-cookie']).toBe('service_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0')
    expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(401)
    expect((await ask('POST', '/auth/logout', { token: root.token })).statusCode).toBe(401)
    expect((await ask('GET', '/runs', { token: other })).statusCode).toBe(200)
    expect(await spec.column('SELECT count(*) FROM session_tokens')).toEqual([1])
    expect(await eventBodies(spec, 'SignedOut')).toMatchObject([
      { actor: { kind: 'session', user_id: root.id }, data: { user_id: root.id } },
    ])
  })
})

it.each<AuthMode>(['open', 'protect-writes', 'closed'])(
  'sign-out does nothing for a token or a key and needs a credential, in %s mode',
  async (mode) => {
    const spec = await open({ mode })
    const { ask, root, mint } = await createPeople(spec)
    const { key } = await mint(root)
    for (const token of [TOKENS.read, TOKENS.admin, key]) {
      const answer = await ask('POST', '/auth/logout', { token, body: 'whatever' })
      expect([answer.statusCode, answer.body]).toEqual([200, '{"ok":true}'])
      expect(answer.headers['set-cookie']).toContain('Max-Age=0')
      expect((await ask('GET', '/runs', { token })).statusCode).toBe(200)
    }
    for (const path of ['/auth/logout', '/auth/logout?x=1']) {
      const response = await ask('POST', path)
      expect([response.statusCode, response.body]).toEqual([401, '{"error":"authentication required"}'])
      expect(response.headers['set-cookie']).toBeUndefined()
    }
    expect(await eventBodies(spec, 'SignedOut')).toEqual([])
  },
)

it('the identity report shows the caller, its credential and its scope', async () => {
  const { ask, root, person, mint } = await createPeople(await open())
  const ada = await person('ada', 'member')
  const { key } = await mint(ada, { scope: 'read' })
  const me = async (credential: Parameters<typeof ask>[2]) => (await ask('GET', '/auth/me', credential)).json<object>()
  const user = {
    id: ada.id,
    username: 'ada',
    role: 'member',
    has_password: true,
    identities: [],
    role_managed_by: null,
  }
  expect(await me({ token: ada.token })).toEqual({ authenticated: true, user, source: 'session', scope: 'write' })
  expect(await me({ cookie: ada.token })).toEqual({ authenticated: true, user, source: 'session', scope: 'write' })
  expect(await me({ token: key })).toEqual({ authenticated: true, user, source: 'apikey', scope: 'read' })
  expect(await me({ token: root.token })).toMatchObject({ user: { role: 'admin' }, scope: 'admin' })
  expect(await me({ token: TOKENS.write })).toEqual({
    authenticated: true,
    user: null,
    source: 'static',
    scope: 'write',
  })
  for (const token of [null, 'unknown', `mses_${'0'.repeat(64)}`, `service_${'0'.repeat(64)}`])
    expect(await me({ token })).toEqual({ authenticated: false, user: null, source: 'anonymous', scope: null })
})

describe('the credential of a request', () => {
  it('comes only from the Authorization header where there is one, even if invalid', async () => {
    const { ask, root } = await createPeople(await open())
    expect((await ask('GET', '/runs', { cookie: root.token })).statusCode).toBe(200)
    for (const authorization of ['Bearer unknown', '', 'Bearer ', `Basic ${root.token}`])
      expect(
        (await ask('GET', '/runs', { cookie: root.token, headers: { authorization } })).statusCode,
        authorization,
      ).toBe(401)
    for (const authorization of [root.token, `bearer ${root.token}`])
      expect((await ask('GET', '/runs', { headers: { authorization } })).statusCode).toBe(200)
  })

  it('comes from a cookie only if the cookie holds a session token', async () => {
    const { ask, root, mint } = await createPeople(await open())
    const { key } = await mint(root)
    for (const cookie of [key, TOKENS.admin, `${root.token}0`, ''])
      expect((await ask('GET', '/runs', { cookie })).statusCode).toBe(401)
  })

  it('is compared with the static tokens first, even if it looks like a session token', async () => {
    const secret = `mses_${'a'.repeat(64)}`
    const ask = clientOf(await open({ tokens: [{ scope: 'read', secret, position: 1 }] }))
    expect((await ask('GET', '/auth/me', { token: secret })).json()).toMatchObject({ source: 'static' })
  })
})

describe('the cross-origin guard', () => {
  let spec: SpecApp
  let people: Awaited<ReturnType<typeof createPeople>>
  beforeAll(async () => {
    spec = await openApp({ publicUrl: 'https://results.example' })
    people = await createPeople(spec)
  })
  afterAll(() => spec.close())

  it('rejects requests from other sites before any other check', async () => {
    const { root, ask } = people
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { referer: 'https://evil.example/x' },
      { origin: 'https://results.example.evil.example' },
    ]) {
      for (const path of ['/apikeys', '/apikeys?x=1', '/nothing', '/users/%FF']) {
        for (const cookie of [{ cookie: root.token }, { cookie: `mses_${'0'.repeat(64)}` }, {}]) {
          const answer = await ask('POST', path, { ...cookie, headers, body: {} })
          expect([answer.statusCode, answer.json()], path).toEqual([403, { error: CROSS_ORIGIN }])
        }
      }
    }
  })

  it('prevents other sites from signing a visitor in or from running the setup', async () => {
    const own = await openApp({ publicUrl: 'https://results.example' })
    const ask = clientOf(own)
    const body = { username: 'root', password: PASSWORD }
    const sameSite = [
      {},
      { origin: 'https://results.example' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://behind.a.proxy' },
      { 'sec-fetch-site': 'none' },
    ]
    const otherSite = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://results.example' },
      { origin: 'https://evil.example' },
      { referer: 'https://evil.example/' },
      { origin: 'null' },
    ]
    for (const path of ['/auth/setup', '/auth/login']) {
      for (const headers of otherSite) {
        for (const cookie of [undefined, `mses_${'0'.repeat(64)}`]) {
          const answer = await ask('POST', path, { headers, body, ...(cookie ? { cookie } : {}) })
          expect([answer.statusCode, answer.json(), answer.headers['set-cookie']], path).toEqual([
            403,
            { error: CROSS_ORIGIN },
            undefined,
          ])
        }
      }
      // Rejected before the body is read.
      expect((await ask('POST', path, { headers: { ...otherSite[0] }, body: 'none' })).statusCode).toBe(403)
    }
    expect((await ask('GET', '/meta')).json()).toMatchObject({ setup_required: true })
    expect((await ask('POST', '/auth/setup', { body, headers: { ...sameSite[1] } })).statusCode).toBe(201)
    for (const headers of sameSite)
      expect((await ask('POST', '/auth/login', { body, headers })).statusCode, JSON.stringify(headers)).toBe(200)
    // Only a client that knows the credential can put it in a header.
    expect(
      (
        await ask('POST', '/auth/login', {
          body,
          token: TOKENS.read,
          headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        })
      ).statusCode,
    ).toBe(200)
    await own.close()
  })
})

it('the client address is taken from a trusted proxy, otherwise from the socket', async () => {
  for (const [trustedProxies, address] of [
    [['127.0.0.0/8'], '203.0.113.9'],
    [[], '127.0.0.1'],
    [['10.0.0.0/8'], '127.0.0.1'],
  ] as const) {
    const spec = await open({ trustedProxies })
    await clientOf(spec)('POST', '/auth/setup', {
      headers: { 'x-forwarded-for': 'junk, 203.0.113.9' },
      body: { username: 'root', password: PASSWORD },
    })
    expect(await eventBodies(spec, 'UserCreated')).toMatchObject([{ actor: { address } }])
  }
})
