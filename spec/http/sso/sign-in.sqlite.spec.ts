import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AssertedIdentity } from '../../../domain/sso/roles.ts'
import type { ProviderConfig } from '../../../http/sso/config.ts'
import { SsoRefused } from '../../../http/sso/provider.ts'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import { hashOfToken } from '../../../http/identity/secrets.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { oidcConfig, samlConfig } from '../../support/sso/providers.ts'
import { member } from '../../support/access/viewers.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

const START = 1_777_885_244_000
const MINUTE = 60_000
const oidc = oidcConfig()

let opened: FreshService
let at: number
beforeEach(async () => {
  at = START
  opened = await openFreshService({ now: () => at })
})
afterEach(() => opened.close())

const ada: AssertedIdentity = { subject: 'ada-1', email: 'Ada@Corp.example', groups: [] }

type Settings = Parameters<typeof signInWithProvider>[1]
type Attempt = {
  readonly identity?: Partial<AssertedIdentity>
  readonly provider?: ProviderConfig
  readonly assertion?: { readonly id: string; readonly until: number } | null
  readonly settings?: Partial<Settings>
}
const signIn = ({ identity = {}, provider = oidc, assertion = null, settings = {} }: Attempt = {}) =>
  signInWithProvider({ ...opened.service, now: () => at }, { defaultRole: 'member', ...settings })(
    member,
    provider,
    { ...ada, ...identity },
    assertion,
  )

const refusal = async (attempt: Attempt): Promise<readonly [string, string | null]> => {
  const error: unknown = await signIn(attempt).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SsoRefused)) throw new Error('the sign-in was not refused', { cause: error })
  expect(error.message).not.toMatch(/ada|corp/i)
  return [error.code, error.user_id]
}

type Account = { readonly id: string; readonly role: string; readonly has_password: unknown; readonly name: string }
/** All accounts by their names: several may have been created in one millisecond. */
const accounts = async () =>
  (
    (await opened.sql.rows(
      'SELECT users.id, role, has_password, label AS name FROM users JOIN principals USING (id)',
    )) as Account[]
  ).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
const identities = () =>
  opened.sql.rows('SELECT user_id, provider, subject, email, last_login_at FROM identity_subjects ORDER BY identity_id')
const events = async () => (await opened.sql.column('SELECT type FROM events ORDER BY seq')).map(String)
const bodies = async (type: string) =>
  (
    await opened.sql.column(`SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = '${type}' ORDER BY seq`)
  ).map(
    (body) => JSON.parse(String(body)) as { readonly actor: object; readonly data: Readonly<Record<string, unknown>> },
  )

describe('a first sign-in through a provider', () => {
  it('creates an account without a password and opens its session, in one commit', async () => {
    const { token, user_id } = await signIn()
    expect(await accounts()).toMatchObject([{ id: user_id, role: 'member', name: 'ada' }])
    expect(await opened.sql.column('SELECT user_id FROM password_hashes')).toEqual([])
    expect(await identities()).toEqual([
      { user_id, provider: 'oidc:corp', subject: 'ada-1', email: 'Ada@Corp.example', last_login_at: START },
    ])
    expect(await opened.sql.column('SELECT token_hash FROM session_tokens')).toEqual([hashOfToken(token)])
    expect(await events()).toEqual(['UserCreated', 'IdentityLinked', 'SignedIn'])
    const [created] = await bodies('UserCreated')
    const [linked] = await bodies('IdentityLinked')
    const [signedIn] = await bodies('SignedIn')
    const identity_id = linked?.data['identity_id']
    expect(created?.data).toMatchObject({
      cause: { identity_id, provider: 'oidc:corp', rule: 'default_role' },
      has_password: false,
    })
    expect(linked?.data).toEqual({
      credential_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      identity_id,
      provider: 'oidc:corp',
      user_id,
    })
    expect(signedIn?.data).toMatchObject({ identity_id, user_id })
    // The account created itself, from the address of the request.
    for (const body of [created, linked, signedIn])
      expect(body?.actor).toMatchObject({ kind: 'session', user_id, address: '192.0.2.7', scope: null })
  })

  it('happens once if ten browsers arrive at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => signIn()))
    expect(new Set(results.map(({ user_id }) => user_id)).size).toBe(1)
    expect(await accounts()).toHaveLength(1)
    expect(await identities()).toHaveLength(1)
    expect(await opened.sql.column('SELECT token_hash FROM session_tokens ORDER BY 1')).toEqual(
      results.map(({ token }) => hashOfToken(token)).sort(),
    )
    expect((await events()).filter((type) => type !== 'SignedIn')).toEqual(['UserCreated', 'IdentityLinked'])
  })

  it.each([
    ['a group', { groups: ['others', 'admins'] }, 'admin', 'admin_group'],
    ['an e-mail address', { email: 'BOSS@corp.example' }, 'admin', 'admin_email'],
    ['neither', { groups: ['Admins'] }, 'member', 'default_role'],
  ])('gives the role of %s', async (_, identity, role, rule) => {
    await signIn({ identity })
    expect(await accounts()).toMatchObject([{ role }])
    expect((await bodies('UserCreated'))[0]?.data).toMatchObject({ role, cause: { rule } })
  })
})

describe('accounts are the same only for the same provider and subject', () => {
  const COMPOSED = '\u00e9'
  const DECOMPOSED = 'e\u0301'
  it.each([
    ['another subject', { identity: { subject: 'ada-2' } }],
    ['another case', { identity: { subject: 'ADA-1' } }],
    ['a space at its end', { identity: { subject: 'ada-1 ' } }],
    ['another provider', { provider: oidcConfig({ name: 'other' }) }],
    ['a provider of another kind and the same name', { provider: samlConfig() }],
  ] as const)('not for %s, whatever the e-mail address', async (_, attempt) => {
    const { user_id } = await signIn()
    expect((await signIn(attempt)).user_id).not.toBe(user_id)
    expect((await accounts()).map(({ name }) => name)).toEqual(['ada', 'ada-2'])
    expect((await signIn()).user_id).toBe(user_id)
  })

  it('not for another normal form of the same letters', async () => {
    const { user_id } = await signIn({ identity: { subject: COMPOSED } })
    expect((await signIn({ identity: { subject: DECOMPOSED } })).user_id).not.toBe(user_id)
  })

  it('also if the e-mail address changed, which is stored', async () => {
    const { user_id } = await signIn()
    at += 5000
    expect((await signIn({ identity: { email: 'lovelace@corp.example' } })).user_id).toBe(user_id)
    expect(await identities()).toMatchObject([{ email: 'lovelace@corp.example', last_login_at: START + 5000 }])
    expect(await accounts()).toMatchObject([{ name: 'ada' }])
    await signIn({ identity: { email: null } })
    expect(await identities()).toMatchObject([{ email: null }])
  })

  it('and never for a local account with the same name', async () => {
    await opened.service.commit.createUser(SYSTEM, {
      user_id: 'local',
      username: 'ada',
      password_hash: 'hash',
      role: 'admin',
    })
    const { user_id } = await signIn()
    expect(user_id).not.toBe('local')
    expect((await accounts()).map(({ name, role }) => `${name} ${role}`).sort()).toEqual(['ada admin', 'ada-2 member'])
  })

  it.each([
    ['an empty one', ''],
    ['one with a null character', 'a\0b'],
    ['half of a pair of UTF-16', 'a\ud800'],
    ['a very long one', 'a'.repeat(1025)],
  ])('and a subject must be a text: %s is refused', async (_, subject) => {
    expect(await refusal({ identity: { subject } })).toEqual(['provider_error', null])
    expect(await events()).toEqual([])
  })
})

describe('the name of an account', () => {
  it('gets a number after the name, then a random suffix, and another if that is taken', async () => {
    for (let n = 1; n <= 21; n++) await signIn({ identity: { subject: `n${n}` }, settings: { suffix: () => 'first' } })
    const suffixes = ['first', 'first', 'second']
    await signIn({ identity: { subject: 'n22' }, settings: { suffix: () => suffixes.shift() ?? '' } })
    expect((await accounts()).map(({ name }) => name)).toEqual([
      'ada',
      ...Array.from({ length: 19 }, (_, n) => `ada-${n + 2}`),
      'ada-first',
      'ada-second',
    ])
    await expect(signIn({ identity: { subject: 'n23' }, settings: { suffix: () => 'first' } })).rejects.toThrow(
      'changed 5 times',
    )
    expect(await accounts()).toHaveLength(22)
  })

  it('is not chosen by an e-mail address that is no such text', async () => {
    await signIn({ identity: { email: 'root\u0000@corp.example' } })
    await signIn({ identity: { subject: 'b', email: 'a b@corp.example' } })
    expect((await accounts()).map(({ name }) => name)).toEqual(['corp-ada-1', 'corp-b'])
    expect(await identities()).toMatchObject([{ email: null }, { email: null }])
  })

  it.each([
    'a@evil.example@corp.example',
    'a@evil.example,b@corp.example',
    '<a@evil.example>@corp.example',
    'a',
    '@corp.example',
    'a@',
  ])('is not let in by %j, which is not one address of the domain', async (email) => {
    const provider = oidcConfig({ allowedDomains: ['corp.example'] })
    await expect(signIn({ provider, identity: { email } })).rejects.toMatchObject({ code: 'email_not_allowed' })
  })
})

describe('a later sign-in', () => {
  it('follows the rules of roles, and records why', async () => {
    await opened.service.commit.createUser(SYSTEM, {
      user_id: 'root',
      username: 'root',
      password_hash: 'hash',
      role: 'admin',
    })
    const { user_id } = await signIn()
    const roleNow = async () => (await accounts()).find(({ id }) => id === user_id)?.role
    await signIn({ identity: { groups: ['admins'] } })
    expect(await roleNow()).toBe('admin')
    await signIn({ settings: { defaultRole: 'viewer' } })
    expect(await roleNow()).toBe('viewer')
    await opened.service.commit.changeUser(SYSTEM, { user_id, role: 'admin', disabled: null, password_hash: null })
    await signIn()
    expect(await roleNow()).toBe('member')
    await signIn()
    expect(
      (await bodies('UserChanged')).map(({ data }) => [
        data['role'],
        (data['cause'] as { rule: string } | undefined)?.rule,
      ]),
    ).toEqual([
      ['admin', 'admin_group'],
      ['viewer', 'default_role'],
      ['admin', undefined],
      ['member', 'default_role'],
    ])
  })

  it('grants what the groups give now, withdraws what they give no more, and leaves other grants alone', async () => {
    const provider = oidcConfig({
      groupGrants: [
        { group: 'team', project: 'shop', suite: null, level: 'view' },
        { group: 'leads', project: 'shop', suite: null, level: 'manage' },
        { group: 'team', project: 'desk', suite: 'refunds', level: 'upload' },
        { group: 'team', project: 'own', suite: null, level: 'manage' },
      ],
    })
    const granted = async () =>
      (await opened.sql.rows('SELECT project, suite, level, managed_by FROM grants ORDER BY project')).map((row) =>
        Object.values(row as Readonly<Record<string, string | null>>),
      )
    const { user_id } = await signIn({ provider, identity: { groups: ['team', 'others'] } })
    expect(await granted()).toEqual([
      ['desk', 'refunds', 'upload', 'oidc:corp'],
      ['own', null, 'manage', 'oidc:corp'],
      ['shop', null, 'view', 'oidc:corp'],
    ])
    // A person changes one grant and makes another: sign-ins leave them alone from then on.
    await opened.service.commit.grantAccess(SYSTEM, { project: 'own', suite: null, user_id, level: 'view' })
    await opened.service.commit.grantAccess(SYSTEM, { project: 'more', suite: null, user_id, level: 'view' })
    await signIn({ provider, identity: { groups: ['team', 'leads'] } })
    expect(await granted()).toEqual([
      ['desk', 'refunds', 'upload', 'oidc:corp'],
      ['more', null, 'view', null],
      ['own', null, 'view', null],
      ['shop', null, 'manage', 'oidc:corp'],
    ])
    await signIn({ provider: oidcConfig({ name: 'other' }) })
    await signIn({ provider, identity: { groups: [] } })
    expect(await granted()).toEqual([
      ['more', null, 'view', null],
      ['own', null, 'view', null],
    ])
    await signIn({ provider, identity: { groups: [] } })
    expect(
      (await bodies('AccessRevoked')).map(({ data }) => [data['project'], data['cause'], data['provider']]),
    ).toEqual([
      ['desk', 'groups', 'oidc:corp'],
      ['shop', 'groups', 'oidc:corp'],
    ])
    expect((await bodies('AccessGranted')).map(({ data }) => [data['project'], data['provider']])).toEqual([
      ['shop', 'oidc:corp'],
      ['desk', 'oidc:corp'],
      ['own', 'oidc:corp'],
      ['own', undefined],
      ['more', undefined],
      ['shop', 'oidc:corp'],
    ])
  })

  it('leaves the last enabled admin one', async () => {
    const { user_id } = await signIn({ identity: { groups: ['admins'] } })
    await opened.service.commit.createUser(SYSTEM, {
      user_id: 'root',
      username: 'root',
      password_hash: 'hash',
      role: 'admin',
    })
    await opened.service.commit.changeUser(SYSTEM, {
      user_id: 'root',
      role: null,
      disabled: true,
      password_hash: null,
    })
    await signIn()
    expect(await accounts()).toMatchObject([{ id: user_id, role: 'admin' }, { id: 'root' }])
    expect(await bodies('UserChanged')).toHaveLength(1)
  })

  it('leaves one of two admins whom the provider demotes at once', async () => {
    for (const subject of ['a', 'b']) await signIn({ identity: { subject, groups: ['admins'] } })
    await Promise.all(['a', 'b'].map((subject) => signIn({ identity: { subject } })))
    expect((await accounts()).map(({ role }) => role).sort()).toEqual(['admin', 'member'])
  })

  it('is refused for a disabled account, and changes nothing', async () => {
    const { user_id } = await signIn()
    await opened.service.commit.changeUser(SYSTEM, { user_id, role: null, disabled: true, password_hash: null })
    const before = [await events(), await identities()]
    at += 5000
    expect(await refusal({ identity: { groups: ['admins'], email: 'boss@corp.example' } })).toEqual([
      'account_disabled',
      user_id,
    ])
    expect([await events(), await identities()]).toEqual(before)
  })

  it('creates another account after the first was deleted', async () => {
    const { user_id } = await signIn()
    await opened.service.commit.deleteUser(SYSTEM, { user_id })
    expect(await identities()).toEqual([])
    expect((await signIn()).user_id).not.toBe(user_id)
    expect(await accounts()).toMatchObject([{ name: 'ada' }])
  })
})

describe('the domains of a provider', () => {
  const provider = oidcConfig({ allowedDomains: ['corp.example'] })
  it.each([['ada@evil.example'], ['ada@corp.example.evil'], ['ada'], [null], ['ada@corp.example\n']])(
    'refuse %j',
    async (email) => {
      expect(await refusal({ provider, identity: { email, groups: ['admins'] } })).toEqual(['email_not_allowed', null])
      expect(await events()).toEqual([])
    },
  )
  it('accept an address in any case', () => expect(signIn({ provider })).resolves.toBeDefined())
  it('refuse an account that signed in before they were set', async () => {
    await signIn({ identity: { email: null } })
    expect(await refusal({ provider, identity: { email: null } })).toEqual(['email_not_allowed', null])
  })
})

describe('an assertion', () => {
  const provider = samlConfig()
  const assertion = { id: '_assertion', until: START + 5 * MINUTE }

  it('is accepted once, also if it comes ten times at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => signIn({ provider, assertion })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await refusal({ provider, assertion })).toEqual(['replayed', null])
    expect(await opened.sql.column('SELECT id FROM sessions')).toHaveLength(1)
  })

  it('is not a replay if another provider used the same id', async () => {
    await signIn({ provider, assertion })
    await expect(signIn({ provider: samlConfig({ name: 'other' }), assertion })).resolves.toBeDefined()
  })

  it('can be used after a sign-in that was refused for its domain', async () => {
    await refusal({ provider: samlConfig({ allowedDomains: ['other.example'] }), assertion })
    await expect(signIn({ provider, assertion })).resolves.toBeDefined()
  })

  it('is forgotten by a later one when it is too old, for every clock', async () => {
    const ids = () => opened.sql.column('SELECT id_hash FROM sso_replays')
    const later = (id: string) => signIn({ provider, assertion: { id, until: at + MINUTE } })
    await signIn({ provider, assertion })
    at = START + 15 * MINUTE - 1
    await later('_b')
    expect(await ids()).toHaveLength(2)
    at += 1
    await later('_c')
    expect(await ids()).toHaveLength(2)
  })
})
