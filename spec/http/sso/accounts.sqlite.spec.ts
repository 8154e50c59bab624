import { describe, expect, it } from 'vitest'
import type { AssertedIdentity } from '../../../domain/sso/roles.ts'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import type { UserOverview } from '../../../queries/access/user-overview.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { Query, Reader } from '../../../storage/storage.ts'
import { PASSWORD } from '../../support/access/accounts.ts'
import { oidcConfig, samlConfig } from '../../support/sso/providers.ts'
import { member } from '../../support/access/viewers.ts'
import { appOpenerWithAccounts } from '../../support/servers/opening-apps.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const open = appOpenerWithAccounts()
const SUBJECT = 'canary-subject-4711'
const EMAIL = 'ada@canary.example'
const PERSONAL = /canary/i

type Person = Partial<AssertedIdentity>

const signIn = (spec: SpecApp, { subject = SUBJECT, email = EMAIL, groups = [] }: Person = {}) =>
  signInWithProvider(spec.services, { defaultRole: 'member' })(member, oidcConfig(), { subject, email, groups }, null)

const time = expect.stringMatching(/\+00:00$/) as string
const identity = { provider: 'oidc:corp', kind: 'oidc', subject: SUBJECT, email: EMAIL, last_login_at: time }

describe('an account that signs in through a provider', () => {
  it('shows its identity to admins and to itself', async () => {
    const { spec, ask, root } = await open()
    const { token, user_id } = await signIn(spec)
    const view = {
      id: user_id,
      username: 'ada',
      role: 'member',
      disabled: false,
      created_at: time,
      email: EMAIL,
      has_password: false,
      service: false,
      identities: [identity],
      role_managed_by: 'oidc:corp',
    }
    const { users } = (await ask('GET', '/users', { token: root.token })).json<{ users: object[] }>()
    expect(users).toEqual([expect.objectContaining({ username: 'root', identities: [], role_managed_by: null }), view])
    const overview = (await ask('GET', '/users/overview', { token: root.token })).json<{ users: UserOverview[] }>()
    expect(overview.users).toEqual([
      expect.objectContaining({ username: 'root', email: null, identities: [], role_managed_by: null }),
      { ...view, live_keys: 0, live_sessions: 1, grants: 0, last_seen_at: time },
    ])
    expect((await ask('PATCH', `/users/${user_id}`, { token: root.token, body: {} })).json()).toEqual(view)
    expect((await ask('GET', '/auth/me', { token })).json()).toEqual({
      authenticated: true,
      user: {
        id: user_id,
        username: 'ada',
        role: 'member',
        has_password: false,
        identities: [identity],
        role_managed_by: 'oidc:corp',
      },
      source: 'session',
      scope: 'write',
    })
  })

  it('shows every identity, the first linked one first, in one row', async () => {
    const { spec, ask, root } = await open()
    const { user_id } = await signIn(spec, { email: null })
    await spec.execute(
      `INSERT INTO identity_subjects (identity_id, user_id, provider, subject_sha256, subject_salt, subject, email, last_login_at)
       VALUES ('ZZZ', '${user_id}', 'saml:corp', 'other', '', 'second', 'second@corp.example', 1)`,
    )
    for (const path of ['/users', '/users/overview']) {
      const { users } = (await ask('GET', path, { token: root.token })).json<{ users: UserOverview[] }>()
      expect(users).toHaveLength(2)
      expect(users[1]).toMatchObject({
        email: 'second@corp.example',
        role_managed_by: 'oidc:corp',
        identities: [
          { ...identity, email: null },
          { provider: 'saml:corp', kind: 'saml', subject: 'second', last_login_at: '1970-01-01T00:00:00.001+00:00' },
        ],
      })
    }
  })

  it.each(['/users', '/users/overview'])('is listed by one query for all accounts (%s)', async (path) => {
    let reads = 0
    const counting = (reader: Reader): Reader => ({
      ...reader,
      read: <T>(query: Query<T>) => {
        reads++
        return reader.read(query)
      },
    })
    const { spec, ask, root } = await open({ parts: ({ reader }) => ({ reader: counting(reader) }) })
    const countReads = async (): Promise<number> => {
      await ask('GET', path, { token: root.token })
      const before = reads
      await ask('GET', path, { token: root.token })
      return reads - before
    }
    const alone = await countReads()
    for (const subject of ['a', 'b', 'c', 'd']) await signIn(spec, { subject })
    expect(await countReads()).toBe(alone)
  })
})

describe('an account without a password', () => {
  it('gets the response of a wrong password at the form, after the same work', async () => {
    const hashes: Array<string | null> = []
    const { spec, ask } = await open({
      parts: () => ({
        passwords: {
          hash: async (password) => `hash of ${password}`,
          verify: async (hash, password) => {
            hashes.push(hash)
            return hash === `hash of ${password}`
          },
        },
      }),
    })
    const { user_id } = await signIn(spec)
    const login = (username: string, password: string) => ask('POST', '/auth/login', { body: { username, password } })
    const wrong = await login('root', 'wrong password')
    for (const password of [PASSWORD, '', 'null']) {
      const answer = await login('ada', password)
      expect([answer.statusCode, answer.body]).toEqual([wrong.statusCode, wrong.body])
    }
    expect(wrong.statusCode).toBe(401)
    expect(hashes.slice(-3)).toEqual([null, null, null])
    const refused = await spec.column(
      "SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = 'SignInRefused' ORDER BY seq",
    )
    expect(JSON.parse(String(refused.at(-1)))).toMatchObject({ data: { reason: 'wrong_password', user_id } })
  })

  it('cannot change it, and has one when an admin sets it', async () => {
    const { spec, ask, root, change } = await open()
    const { token, user_id } = await signIn(spec)
    const body = { current_password: '', new_password: 'another horse' }
    expect((await ask('POST', '/auth/password', { token, body })).json()).toEqual({
      error: 'this account has no password; an admin can set one',
    })
    expect((await change(user_id, { password: PASSWORD })).json()).toMatchObject({
      has_password: true,
      role_managed_by: 'oidc:corp',
    })
    expect((await ask('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } })).statusCode).toBe(200)
    expect((await signIn(spec)).user_id).toBe(user_id)
    expect((await verifyStore(spec)).finding).toBeNull()
    expect((await ask('GET', '/users', { token: root.token })).body).not.toContain('argon2')
  })
})

describe('the subject and the e-mail address', () => {
  it('are in no event and in no response of the audit trail', async () => {
    const { spec, ask, root, change } = await open()
    const { user_id } = await signIn(spec, { groups: ['admins'] })
    await signIn(spec)
    await change(user_id, { disabled: true })
    await expect(signIn(spec)).rejects.toMatchObject({ code: 'account_disabled', user_id })
    await spec.service.commit.refuseSignIn(member, {
      attempt_id: 'attempt',
      count: 1,
      provider: 'oidc:corp',
      reason: 'account_disabled',
      user_id,
    })
    const { events } = (await ask('GET', '/audit?limit=200', { token: root.token })).json<{
      events: Array<{ type: string; stream: string; data: object }>
    }>()
    expect(events.slice(0, 7).map(({ type }) => type)).toEqual([
      'SignInRefused',
      'UserChanged',
      'SignedIn',
      'UserChanged',
      'SignedIn',
      'IdentityLinked',
      'UserCreated',
    ])
    expect(events[0]?.data).toEqual({ count: 1, provider: 'oidc:corp', reason: 'account_disabled', user_id })
    expect(events[3]?.data).toMatchObject({
      role: 'member',
      cause: { provider: 'oidc:corp', rule: 'default_role' },
    })
    const linked = events[5]
    expect((await ask('GET', `/audit?stream=${linked?.stream}`, { token: root.token })).json()).toMatchObject({
      events: [{ type: 'IdentityLinked', data: { provider: 'oidc:corp', user_id } }],
    })
    const bodies = await spec.column('SELECT body FROM event_bodies')
    const exported = await ask('GET', '/audit/export?full=true', { token: root.token })
    expect(exported.body.split('\n').length).toBeGreaterThan(7)
    for (const text of [bodies.join(), JSON.stringify(events), exported.body]) expect(text).not.toMatch(PERSONAL)
    // They are where they belong.
    expect(await spec.column('SELECT subject FROM identity_subjects')).toEqual([SUBJECT])
  })

  it('are erased with the account, and leave nothing to guess them from', async () => {
    const { spec, ask, root } = await open()
    const { token, user_id } = await signIn(spec)
    await signInWithProvider(spec.services, { defaultRole: 'member' })(
      member,
      samlConfig(),
      { subject: 'other', email: null, groups: [] },
      null,
    )
    expect((await ask('DELETE', `/users/${user_id}`, { token: root.token })).statusCode).toBe(204)
    expect((await ask('GET', '/auth/me', { token })).json()).toMatchObject({ authenticated: false })
    expect(await spec.column('SELECT subject FROM identity_subjects')).toEqual(['other'])
    for (const table of ['identity_subjects', 'principals', 'event_bodies', 'users', 'sessions', 'sso_replays'])
      expect(JSON.stringify(await spec.rows(`SELECT * FROM ${table}`))).not.toMatch(PERSONAL)
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

it('a provider that asserts the name or the id of a local account does not open it', async () => {
  const { spec, root } = await open()
  await spec.service.commit.createUser(SYSTEM, {
    user_id: SUBJECT,
    username: SUBJECT,
    password_hash: 'h',
    role: 'admin',
  })
  for (const subject of [root.id, 'root', SUBJECT]) {
    const { user_id } = await signIn(spec, { subject, email: 'root@corp.example' })
    expect([root.id, SUBJECT]).not.toContain(user_id)
  }
})
