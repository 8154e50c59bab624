import { describe, expect, it } from 'vitest'
import type { AccountLink, MadeLink } from '../../../../queries/access/account-links.ts'
import { PASSWORD, type UserView } from '../../../support/access/accounts.ts'
import { TOKENS } from '../../../support/servers/app.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

// Invites, and links to set a password: what they give, once, to whom; and that links that cannot be used are all alike.

const openApps = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4, 9)
const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const DEAD = '{"error":"this link is not valid: it was used, replaced or revoked, has expired, or never existed"}'
const GRANTS = [
  { project: 'chat', suite: 'smoke', level: 'upload' },
  { project: 'code', suite: null, level: 'view' },
] as const

const open = async () => {
  const clock = { now: T0 }
  const opened = await openApps({ now: () => clock.now })
  const { ask, root } = opened
  const invite = async (body: object = {}, token = root.token) => {
    const answer = await ask('POST', '/links', { token, body: { role: 'member', ...body } })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json<MadeLink>()
  }
  const resetOf = async (id: string) => {
    const answer = await ask('POST', `/users/${id}/reset-link`, { token: root.token })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json<MadeLink>()
  }
  const post = async (path: string, body: object) => {
    const { statusCode, body: text } = await ask('POST', path, { body })
    return [statusCode, text] as const
  }
  const accept = (secret: string, username = 'eve', more: object = {}) =>
    ask('POST', '/auth/invite/accept', { body: { secret, username, password: PASSWORD, ...more } })
  const list = async () => (await ask('GET', '/links', { token: root.token })).json<{ links: AccountLink[] }>().links
  const types = async () => (await opened.spec.column('SELECT type FROM events ORDER BY seq')).map(String)
  const bodies = async () =>
    (await opened.spec.column('SELECT body FROM event_bodies ORDER BY seq')).map((body) => String(body))
  return { ...opened, clock, invite, resetOf, post, accept, list, types, bodies }
}

describe('an invite', () => {
  it('makes one account with its role and its grants, signs it in, and is shown before', async () => {
    const { spec, ask, invite, post, accept, list, types, bodies } = await open()
    const made = await invite({ label: 'Eve of QA', grants: GRANTS, return_to: '/runs?suite=smoke' })
    expect(made).toEqual({
      ...{ id: expect.stringMatching(/^\w{26}$/) as string, kind: 'invite', label: 'Eve of QA', state: 'open' },
      ...{ user_id: null, username: null, role: 'member', grants: GRANTS, created_by: 'root' },
      ...{ created_at: '2026-05-04T09:00:00+00:00', expires_at: '2026-05-11T09:00:00+00:00' },
      secret: expect.stringMatching(/^invite_[0-9a-f]{64}$/) as string,
      path: `/invite?return_to=%2Fruns%3Fsuite%3Dsmoke#${made.secret}`,
    })
    const { secret, path: _, ...listed } = made
    expect(await list()).toEqual([listed])
    const [status, shown] = await post('/auth/invite', { secret })
    expect([status, JSON.parse(shown)]).toEqual([
      200,
      { role: 'member', grants: GRANTS, invited_by: 'root', expires_at: '2026-05-11T09:00:00+00:00' },
    ])
    const accepted = await accept(secret, ' eve ')
    expect(accepted.statusCode).toBe(201)
    expect(accepted.headers['set-cookie']).toContain('service_session=mses_')
    expect(accepted.headers['cache-control']).toBe('no-store')
    const { token, user } = accepted.json<{ token: string; user: UserView }>()
    expect(user).toMatchObject({ username: 'eve', role: 'member', has_password: true })
    expect((await ask('GET', '/auth/me', { token })).json()).toMatchObject({
      user: { username: 'eve' },
      scope: 'write',
    })
    expect(await spec.column('SELECT project, suite, level, created_by FROM grants ORDER BY project')).toHaveLength(2)
    expect(await spec.column('SELECT created_by FROM grants')).toEqual([null, null])
    expect(await list()).toEqual([])
    expect((await types()).slice(-6)).toEqual([
      ...['InviteMade', 'LinkUsed', 'UserCreated', 'AccessGranted', 'AccessGranted', 'SignedIn'],
    ])
    // Neither the secret nor whom the invite is for is in the record, and the label is gone with the link.
    const all = (await bodies()).join('\n')
    expect(all).not.toContain(secret.slice('invite_'.length))
    expect(all).not.toContain('Eve of QA')
    expect(await spec.column('SELECT label FROM invite_labels')).toEqual([])
    await verifyStore(spec)
  })

  it('is used once, also by two at the same moment', async () => {
    const { spec, invite, accept, types } = await open()
    const { secret } = await invite()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => accept(secret, `eve-${n}`)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array<number>(7).fill(404)])
    expect(new Set(answers.filter(({ statusCode }) => statusCode === 404).map(({ body }) => body))).toEqual(
      new Set([DEAD]),
    )
    expect((await types()).filter((type) => type === 'UserCreated')).toHaveLength(2)
    await verifyStore(spec)
  })

  it('gives nothing but what it says, whatever the body of its use contains', async () => {
    const { invite, accept, list } = await open()
    const { secret } = await invite({ role: 'viewer' })
    for (const more of [{ role: 'admin' }, { grants: GRANTS }, { user_id: 'root' }, { link_id: 'x' }])
      expect((await accept(secret, 'eve', more)).statusCode).toBe(422)
    expect(await list()).toHaveLength(1)
    expect((await accept(secret)).json()).toMatchObject({ user: { role: 'viewer' } })
  })

  it('keeps a name that is taken, is too much alike or is none from being used', async () => {
    const { invite, accept } = await open()
    const { secret } = await invite()
    const taken = await accept(secret, 'root')
    expect([taken.statusCode, taken.body]).toEqual([409, '{"error":"username already exists"}'])
    for (const name of [
      'ro\u200bot',
      'root\u202e',
      'ro\r\not',
      'ro\u2028ot',
      'ro\ufeffot',
      'r\u0085oot',
      'ro\ufe0fot',
      'root\u3164',
      'ro\u00a0ot',
      'ro\u2800ot',
      '\u2800',
      'root\u{1d159}',
      '\uff52\uff4f\uff4f\uff54',
      'r\u24deot',
      '\u{1d42b}oot',
    ])
      expect((await accept(secret, name)).statusCode, JSON.stringify(name)).toBe(400)
    expect((await accept(secret, '  ')).statusCode).toBe(400)
    expect((await accept(secret, 'eve', { password: 'short' })).statusCode).toBe(400)
    expect((await accept(secret, 'Ève 😀')).statusCode).toBe(201)
    // The name of an account is no answer to someone whose link is not valid.
    expect((await accept(secret, 'root')).body).toBe(DEAD)
  })

  it('ends at its time, 30 days ahead at most', async () => {
    const { ask, clock, root, invite, accept, list } = await open()
    const { secret } = await invite({ expires_at: new Date(T0 + HOUR).toISOString() })
    const ends = async (expires_at: string) =>
      (await ask('POST', '/links', { token: root.token, body: { role: 'viewer', expires_at } })).body
    expect(await ends(new Date(T0).toISOString())).toBe('{"error":"expires_at: must be in the future"}')
    expect(await ends(new Date(T0 + 30 * DAY + 1).toISOString())).toBe(
      '{"error":"expires_at: an invite lasts at most 30 days"}',
    )
    clock.now += HOUR
    expect((await accept(secret)).body).toBe(DEAD)
    expect((await list()).map(({ state }) => state)).toEqual(['expired'])
  })

  it('is void while its maker is no enabled admin, and gone with the account', async () => {
    const { spec, ask, root, person, invite, change, accept, post, list } = await open()
    const boss = await person('boss', 'admin')
    const { secret } = await invite({ role: 'admin', label: 'a friend' }, boss.token)
    const isDead = async () => {
      expect((await accept(secret)).body).toBe(DEAD)
      expect((await post('/auth/invite', { secret }))[1]).toBe(DEAD)
      expect((await list()).map(({ state }) => state)).toEqual(['void'])
    }
    await change(boss.id, { role: 'member' })
    await isDead()
    await change(boss.id, { role: 'admin', disabled: true })
    await isDead()
    await change(boss.id, { disabled: false })
    expect((await post('/auth/invite', { secret }))[0]).toBe(200)
    await ask('DELETE', `/users/${boss.id}`, { token: root.token })
    expect((await accept(secret)).body).toBe(DEAD)
    expect(await list()).toEqual([])
    expect(await spec.column('SELECT label FROM invite_labels')).toEqual([])
    await verifyStore(spec)
  })

  it('is made by an admin with an account alone, within its limits', async () => {
    const { ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const send = (token: string | null, body: object = {}) =>
      ask('POST', '/links', { token, body: { role: 'viewer', ...body } })
    expect((await send(ada.token)).statusCode).toBe(403)
    expect((await send((await mint(root, { scope: 'write' })).key)).statusCode).toBe(403)
    expect((await send(TOKENS.admin)).body).toBe('{"error":"a user account is required"}')
    expect((await send((await mint(root, { scope: 'admin' })).key)).statusCode).toBe(201)
    for (const body of [
      { role: 'owner' },
      { grants: [{ project: '..', suite: null, level: 'view' }] },
      { grants: [GRANTS[1], { ...GRANTS[1], level: 'manage' }] },
      { grants: Array.from({ length: 101 }, (_, n) => ({ project: `p${n}`, level: 'view' })) },
      { label: 'a\u0000b' },
      ...['//evil.example', 'https://evil.example', '/\\evil.example', '/a\r\nb', 'runs'].map((return_to) => ({
        return_to,
      })),
    ])
      expect((await send(root.token, body)).statusCode, JSON.stringify(body)).toBe(422)
    for (let n = 1; n < 200; n++) expect((await send(root.token)).statusCode).toBe(201)
    const over = await send(root.token)
    expect([over.statusCode, over.body]).toEqual([
      409,
      '{"error":"there are 200 invites that were not used: revoke some first"}',
    ])
  })

  it('is absent for everyone who does not see every set', async () => {
    const { ask, person, invite, mint, root } = await open()
    const made = await invite({ grants: GRANTS })
    const ada = await person('ada', 'member')
    for (const token of [ada.token, null, TOKENS.write, (await mint(root, { scope: 'read' })).key])
      for (const [method, path] of [
        ['GET', '/links'],
        ['DELETE', `/links/${made.id}`],
        ['DELETE', '/links/nothing'],
      ] as const) {
        const answer = await ask(method, path, { token })
        expect([401, 403], path).toContain(answer.statusCode)
        expect(answer.body).not.toContain('smoke')
      }
  })
})

describe('a link that cannot be used', () => {
  it('is one answer, whether it was used, revoked, replaced, has expired or never was', async () => {
    const { ask, clock, root, person, invite, resetOf, post, accept } = await open()
    const ada = await person('ada', 'member')
    const secrets: string[] = ['', 'invite_', `invite_${'0'.repeat(64)}`, 'x'.repeat(5000), "' OR 1=1 --"]
    const [used, revoked, expired] = [await invite(), await invite(), await invite()]
    await accept(used.secret)
    expect((await ask('DELETE', `/links/${revoked.id}`, { token: root.token })).statusCode).toBe(204)
    expect((await ask('DELETE', `/links/${revoked.id}`, { token: root.token })).statusCode).toBe(404)
    const [replaced, ofAda] = [await resetOf(ada.id), await resetOf(ada.id)]
    secrets.push(used.secret, revoked.secret, expired.secret, replaced.secret)
    clock.now += 8 * DAY
    secrets.push(ofAda.secret)
    const answers = new Set<string>()
    for (const secret of secrets)
      for (const [path, more] of [
        ['/auth/invite', {}],
        ['/auth/reset', {}],
        ['/auth/invite/accept', { username: 'mal', password: PASSWORD }],
        ['/auth/reset/password', { password: PASSWORD }],
      ] as const) {
        const { statusCode, body, headers } = await ask('POST', path, { body: { secret, ...more } })
        const { 'x-request-id': _, date: __, ...same } = headers
        answers.add(JSON.stringify([statusCode, body, same]))
      }
    expect(answers.size).toBe(1)
    expect([...answers][0]).toContain(JSON.stringify(DEAD))
    // Each kind opens its own page alone.
    const fresh = await invite()
    expect((await post('/auth/reset', { secret: fresh.secret }))[1]).toBe(DEAD)
    expect((await post('/auth/reset', { secret: (await resetOf(ada.id)).secret }))[0]).toBe(200)
  })

  it('slows down an address that guesses, and is recorded without what was sent', async () => {
    const { spec, invite, post, types, bodies } = await open()
    const { secret } = await invite()
    const statuses = new Set<number>()
    for (let n = 0; n < 100; n++)
      statuses.add((await post('/auth/invite', { secret: `invite_${String(n).padStart(64, 'a')}` }))[0])
    expect([...statuses]).toEqual([404])
    for (const path of ['/auth/invite', '/auth/reset'])
      expect((await post(path, { secret }))[0], `${path} with a link that is valid`).toBe(429)
    expect((await post('/auth/login', { username: 'eve', password: 'x' }))[0]).toBe(429)
    expect((await types()).filter((type) => type === 'SignInRefused')).toHaveLength(30)
    expect((await bodies()).filter((body) => body.includes('unusable_link'))).toHaveLength(30)
    expect((await bodies()).join('\n')).not.toContain('a'.repeat(60))
    await verifyStore(spec)
  })
})

describe('a reset link', () => {
  it('sets a password once and ends all sessions; keys stay', async () => {
    const { spec, ask, person, mint, signIn, resetOf, post, list, types } = await open()
    const ada = await person('ada', 'member')
    const other = await signIn('ada')
    const { key } = await mint(ada)
    const { secret, path, ...made } = await resetOf(ada.id)
    expect(path).toBe(`/reset#${secret}`)
    expect(made).toMatchObject({ kind: 'reset', username: 'ada', expires_at: '2026-05-05T09:00:00+00:00' })
    expect(await list()).toEqual([made])
    expect(JSON.parse((await post('/auth/reset', { secret }))[1])).toEqual({
      username: 'ada',
      expires_at: '2026-05-05T09:00:00+00:00',
    })
    expect((await post('/auth/reset/password', { secret, password: 'short' }))[0]).toBe(400)
    const password = 'another horse'
    const answers = await Promise.all([1, 2, 3].map(() => post('/auth/reset/password', { secret, password })))
    expect(answers.map(([status]) => status).toSorted()).toEqual([204, 404, 404])
    for (const token of [ada.token, other])
      expect((await ask('GET', '/auth/me', { token })).json()).toMatchObject({ authenticated: false })
    expect((await ask('GET', '/auth/me', { token: key })).json()).toMatchObject({ authenticated: true })
    expect((await post('/auth/login', { username: 'ada', password: PASSWORD }))[0]).toBe(401)
    expect((await post('/auth/login', { username: 'ada', password }))[0]).toBe(200)
    expect((await types()).filter((type) => /Link|UserChanged|SessionsEnded/.test(type))).toEqual([
      ...['ResetLinkMade', 'LinkUsed', 'UserChanged', 'SessionsEnded'],
    ])
    await verifyStore(spec)
  })

  it('is not made of a service account, a disabled one or none', async () => {
    const { ask, root, person, change } = await open()
    const ada = await person('ada', 'member')
    const ci = (
      await ask('POST', '/users', { token: root.token, body: { username: 'ci', role: 'member', service: true } })
    ).json<UserView>()
    const send = async (id: string, token = root.token) => {
      const { statusCode, body } = await ask('POST', `/users/${id}/reset-link`, { token })
      return [statusCode, body]
    }
    expect(await send(ci.id)).toEqual([409, '{"error":"a service account has no password"}'])
    expect(await send('nothing')).toEqual([404, '{"error":"user not found"}'])
    expect((await send(root.id, ada.token))[0]).toBe(403)
    expect(await send(ada.id, TOKENS.admin)).toEqual([403, '{"error":"a user account is required"}'])
    await change(ada.id, { disabled: true })
    expect(await send(ada.id)).toEqual([409, '{"error":"this account is disabled: enable it first"}'])
  })

  it('ends when the account is disabled, gets another password or is deleted, or its maker is no admin', async () => {
    const { ask, root, person, change, resetOf, post } = await open()
    const ada = await person('ada', 'member')
    const deadAfter = async (act: () => Promise<unknown>) => {
      const { secret } = await resetOf(ada.id)
      await act()
      expect((await post('/auth/reset/password', { secret, password: 'another horse' }))[1]).toBe(DEAD)
      return secret
    }
    const secret = await deadAfter(() => change(ada.id, { disabled: true }))
    expect((await ask('GET', '/users', { token: root.token })).body).toContain('"disabled":true')
    await change(ada.id, { disabled: false })
    expect((await post('/auth/reset', { secret }))[1]).toBe(DEAD)
    await deadAfter(() => change(ada.id, { password: 'a third horse' }))
    const boss = await person('boss', 'admin')
    const { secret: ofBoss } = (
      await ask('POST', `/users/${ada.id}/reset-link`, { token: boss.token })
    ).json<MadeLink>()
    await change(boss.id, { role: 'viewer' })
    expect((await post('/auth/reset', { secret: ofBoss }))[1]).toBe(DEAD)
    await deadAfter(() => ask('DELETE', `/users/${ada.id}`, { token: root.token }))
  })
})

describe('the erasure of an account', () => {
  it('leaves used invites used, and nothing of who was invited or who invited', async () => {
    const { spec, ask, root, person, invite, accept, resetOf, list, bodies } = await open()
    const boss = await person('boss', 'admin')
    const { secret } = await invite({ label: 'Eve of QA', grants: GRANTS }, boss.token)
    const eve = (await accept(secret)).json<{ user: UserView }>().user
    const ada = await person('ada', 'member')
    await ask('POST', `/users/${ada.id}/reset-link`, { token: boss.token })
    await invite({ label: 'Never came' }, boss.token)
    await resetOf(eve.id)
    for (const id of [eve.id, boss.id]) {
      expect((await ask('DELETE', `/users/${id}`, { token: root.token })).statusCode).toBe(204)
      const erased = await ask('POST', '/erasures', {
        token: root.token,
        body: { user_id: id, reference: 'case-1' },
      })
      expect(erased.statusCode, erased.body).toBe(200)
    }
    expect(await list()).toEqual([])
    const all = (await bodies()).filter((body) => !body.includes('EventErased')).join('\n')
    for (const trace of [eve.id, boss.id, 'Eve of QA', 'Never came']) expect(all).not.toContain(trace)
    expect((await accept(secret)).body).toBe(DEAD)
    // The read tables, made again from the log, are the same.
    await verifyStore(spec)
  })
})
