import { describe, expect, it } from 'vitest'
import { PASSWORD, type UserView } from '../../support/access/accounts.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { UserOverview } from '../../../queries/access/user-overview.ts'
import { TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { appOpenerWithAccounts } from '../../support/servers/opening-apps.ts'

const open = appOpenerWithAccounts()
const eventData = async (spec: SpecApp, type: string): Promise<object[]> =>
  (await spec.column(`SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = '${type}' ORDER BY seq`)).map(
    (body) => (JSON.parse(String(body)) as { data: object }).data,
  )

describe('the accounts', () => {
  it('are created by an admin and listed oldest first', async () => {
    const { ask, root } = await open()
    const answer = await ask('POST', '/users', {
      token: root.token,
      body: { username: ' ada ', password: PASSWORD, role: 'member' },
    })
    expect(answer.statusCode).toBe(201)
    const ada = answer.json<UserView>()
    expect(ada).toEqual({
      id: ada.id,
      username: 'ada',
      role: 'member',
      disabled: false,
      created_at: expect.stringMatching(/\+00:00$/) as string,
      email: null,
      has_password: true,
      identities: [],
      role_managed_by: null,
      service: false,
    })
    expect(answer.headers['set-cookie']).toBeUndefined()
    await ask('POST', '/users', { token: TOKENS.admin, body: { username: 'Ada', password: PASSWORD, role: 'viewer' } })
    expect(
      (await ask('GET', '/users', { token: root.token }))
        .json<{ users: UserView[] }>()
        .users.map(({ username }) => username),
    ).toEqual(['root', 'ada', 'Ada'])
    expect(JSON.stringify((await ask('GET', '/users', { token: root.token })).json())).not.toMatch(
      /argon2|password_hash/,
    )
  })

  it('have unique usernames, which are free again after deletion', async () => {
    const { ask, root, person } = await open()
    const ada = await person('ada', 'member')
    const createAgain = () =>
      ask('POST', '/users', { token: root.token, body: { username: 'ada', password: PASSWORD, role: 'viewer' } })
    const conflict = await createAgain()
    expect([conflict.statusCode, conflict.body]).toEqual([409, '{"error":"username already exists"}'])
    await ask('DELETE', `/users/${ada.id}`, { token: root.token })
    const next = await createAgain()
    expect(next.statusCode).toBe(201)
    expect(next.json<UserView>().id).not.toBe(ada.id)
  })

  it('are created once by concurrent requests with one username', async () => {
    const { ask, root } = await open()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask('POST', '/users', { token: root.token, body: { username: 'ada', password: PASSWORD, role: 'member' } }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array<number>(19).fill(409)])
  })

  it('are checked for their shape first, then for their values', async () => {
    const { ask, root } = await open()
    const valid = { username: 'ada', password: PASSWORD, role: 'member' }
    const status = async (body: object, path = '/users', method: 'POST' | 'PATCH' = 'POST') => {
      const answer = await ask(method, path, { token: root.token, body })
      return [answer.statusCode, answer.json<{ error: string }>().error] as const
    }
    for (const [field, body] of [
      ['role', { ...valid, role: 'owner' }],
      ['role', { username: 'ada', password: PASSWORD }],
      ['password', { ...valid, password: null }],
      ['more', { ...valid, more: 1 }],
      ['username', { ...valid, username: 'a\ud800' }],
    ] as const) {
      expect(await status(body)).toEqual([422, expect.stringContaining(field)])
    }
    expect(await status({ ...valid, username: ' ', password: '' })).toEqual([400, expect.stringContaining('username')])
    expect(await status({ ...valid, password: '1234567' })).toEqual([400, expect.stringContaining('8')])
    const path = `/users/${root.id}`
    expect(await status({ disabled: 'yes' }, path, 'PATCH')).toEqual([422, expect.stringContaining('disabled')])
    expect(await status({ username: 'x' }, path, 'PATCH')).toEqual([422, expect.stringContaining('username')])
    expect(await status({ password: 'short' }, path, 'PATCH')).toEqual([400, expect.stringContaining('8')])
    expect(await status({}, '/users/none', 'PATCH')).toEqual([404, 'user not found'])
    expect((await ask('DELETE', '/users/none', { token: root.token })).body).toBe('{"error":"user not found"}')
  })
})

describe('changing an account', () => {
  it('accepts any fields, or none', async () => {
    const { spec, ask, person, change, signIn } = await open()
    const ada = await person('ada', 'member')
    for (const body of [{}, { role: 'member' }, { disabled: false }, { role: null, disabled: null, password: null }]) {
      const answer = await change(ada.id, body)
      expect([answer.statusCode, answer.json<UserView>()]).toEqual([
        200,
        expect.objectContaining({ id: ada.id, role: 'member', disabled: false }),
      ])
    }
    expect(await eventData(spec, 'UserChanged')).toEqual([])
    expect((await change(ada.id, { role: 'viewer', disabled: true, password: 'another horse' })).json()).toMatchObject({
      role: 'viewer',
      disabled: true,
    })
    expect((await change(ada.id, { disabled: false })).json()).toMatchObject({ role: 'viewer', disabled: false })
    expect(await eventData(spec, 'UserChanged')).toEqual([
      {
        credential_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        disabled: true,
        password_replaced: true,
        role: 'viewer',
        user_id: ada.id,
      },
      { credential_sha256: null, disabled: false, password_replaced: false, role: null, user_id: ada.id },
    ])
    expect((await ask('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } })).statusCode).toBe(401)
    expect(await signIn('ada', 'another horse')).toMatch(/^mses_/)
  })

  it('takes effect on the next request of sessions and keys, and ends none of them', async () => {
    const { ask, person, mint, change } = await open()
    const ada = await person('ada', 'member')
    const { key } = await mint(ada)
    const scopes = async () =>
      Promise.all(
        [ada.token, key].map(
          async (token) => (await ask('GET', '/auth/me', { token })).json<{ scope: string | null }>().scope,
        ),
      )
    expect(await scopes()).toEqual(['write', 'write'])
    for (const [body, expected] of [
      [{ role: 'viewer' }, ['read', 'read']],
      [{ disabled: true }, [null, null]],
      [{ disabled: false }, ['read', 'read']],
      [{ password: 'another horse' }, ['read', 'read']],
      // A promotion does not widen an existing key.
      [{ role: 'admin' }, ['admin', 'write']],
      [{ role: 'member' }, ['write', 'write']],
    ] as const) {
      await change(ada.id, body)
      expect(await scopes(), JSON.stringify(body)).toEqual(expected)
    }
  })

  it('makes an admin see everything with a key of any scope, until the role is removed', async () => {
    const { spec, ask, person, mint, change } = await open()
    await spec.ingest(aDocument({ run_id: 'hidden', project: 'secret' }))
    await spec.restrict('secret')
    const ada = await person('ada', 'admin')
    const { key } = await mint(ada, { scope: 'read' })
    const status = async (token: string) => (await ask('GET', '/runs/hidden', { token })).statusCode
    for (const token of [ada.token, key]) expect(await status(token)).toBe(200)
    await change(ada.id, { role: 'member' })
    for (const token of [ada.token, key]) expect(await status(token)).toBe(404)
    await change(ada.id, { role: 'admin' })
    for (const token of [ada.token, key]) expect(await status(token)).toBe(200)
  })
})

describe('the last admin', () => {
  it('cannot be demoted, disabled or deleted', async () => {
    const { ask, root, person, change } = await open()
    await person('ada', 'member')
    for (const body of [{ role: 'member' }, { disabled: true }, { role: 'viewer', disabled: true }]) {
      const answer = await change(root.id, body)
      expect([answer.statusCode, answer.body]).toEqual([409, '{"error":"cannot remove the last admin"}'])
    }
    const answer = await ask('DELETE', `/users/${root.id}`, { token: root.token })
    expect([answer.statusCode, answer.body]).toEqual([409, '{"error":"cannot delete the last admin"}'])
    expect((await change(root.id, { password: 'another horse', role: 'admin', disabled: false })).statusCode).toBe(200)
  })

  it('is the last enabled one: a disabled admin does not count and can be deleted', async () => {
    const { ask, root, person, change } = await open()
    const ada = await person('ada', 'admin')
    await change(ada.id, { disabled: true })
    expect((await change(root.id, { role: 'member' })).statusCode).toBe(409)
    expect((await ask('DELETE', `/users/${root.id}`, { token: root.token })).statusCode).toBe(409)
    expect((await change(ada.id, { role: 'member' })).statusCode).toBe(200)
    await change(ada.id, { role: 'admin' })
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(204)
  })

  it('remains when admins concurrently remove each other', async () => {
    const { spec, ask, root, person } = await open()
    const ada = await person('ada', 'admin')
    const attempts = Array.from({ length: 50 }, (_, i) =>
      i % 2 === 0 ? { actor: root, target: ada } : { actor: ada, target: root },
    )
    const answers = await Promise.all(
      attempts.map(({ actor, target }, i) =>
        i % 3 === 0
          ? ask('DELETE', `/users/${target.id}`, { token: actor.token })
          : ask('PATCH', `/users/${target.id}`, {
              token: actor.token,
              body: i % 3 === 1 ? { role: 'member' } : { disabled: true },
            }),
      ),
    )
    expect(await spec.column("SELECT count(*) FROM users WHERE role = 'admin' AND NOT disabled")).toEqual([1])
    // One admin wins. The other gets an error under the lock, and later attempts have nothing left to remove.
    expect(answers.filter(({ statusCode }) => statusCode < 300).length).toBeGreaterThan(0)
    for (const { statusCode } of answers) expect([200, 204, 401, 403, 404, 409]).toContain(statusCode)
  })
})

describe('deleting an account', () => {
  it('deletes its sessions, keys, password and grants, and keeps its name in records', async () => {
    const { spec, ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const { key } = await mint(ada, { name: 'ci' })
    await ask('PUT', `/sets/secret/grants/${ada.id}`, { token: root.token, body: { level: 'upload' } })
    await ask('PUT', `/sets/secret/suites/smoke/grants/${ada.id}`, { token: root.token, body: { level: 'view' } })
    expect((await ask('POST', '/runs', { token: key, body: aDocument({ run_id: 'hers' }) })).statusCode).toBe(201)
    expect((await ask('POST', '/views', { token: ada.token, body: { name: 'Hers', path: '/runs' } })).statusCode).toBe(
      201,
    )
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(204)

    for (const token of [ada.token, key]) expect((await ask('GET', '/runs', { token })).statusCode).toBe(401)
    expect((await ask('GET', '/sets/secret/access', { token: root.token })).json()).toMatchObject({ grants: [] })
    expect(await eventData(spec, 'AccessRevoked')).toEqual([
      { cause: 'user_deleted', project: 'secret', suite: null, user_id: ada.id },
      { cause: 'user_deleted', project: 'secret', suite: 'smoke', user_id: ada.id },
    ])
    expect(await eventData(spec, 'UserDeleted')).toEqual([{ user_id: ada.id }])
    for (const [table, remaining] of [
      ['users', 1],
      ['password_hashes', 1],
      ['sessions', 1],
      ['session_tokens', 1],
      ['api_keys', 0],
      ['key_secrets', 0],
      ['saved_views', 0],
      // The session of the admin.
      ['credential_uses', 1],
    ] as const) {
      expect([table, ...(await spec.column(`SELECT count(*) FROM ${table}`))]).toEqual([table, remaining])
    }
    expect((await ask('GET', '/runs/hers', { token: root.token })).json()).toMatchObject({ uploaded_by: 'ada' })
    expect((await ask('GET', '/runs?actor=ada', { token: root.token })).json()).toMatchObject({
      runs: [{ id: 'hers' }],
    })
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(404)
  })

  it('is possible for the account of the caller while another admin remains', async () => {
    const { ask, root, person } = await open()
    await person('ada', 'admin')
    expect((await ask('DELETE', `/users/${root.id}`, { token: root.token })).statusCode).toBe(204)
    expect((await ask('GET', '/users', { token: root.token })).statusCode).toBe(401)
  })
})

describe('an upload during a change of its account', () => {
  it('follows the order of the log: uploads of a disabled account are rejected', async () => {
    const { spec, ask, person, change } = await open()
    const ada = await person('ada', 'member')
    const upload = (i: number) => ask('POST', '/runs', { token: ada.token, body: aDocument({ run_id: `r${i}` }) })
    const first = Array.from({ length: 15 }, (_, i) => upload(i))
    const disabled = change(ada.id, { disabled: true })
    const answers = await Promise.all([...first, ...Array.from({ length: 15 }, (_, i) => upload(15 + i))])
    expect((await disabled).statusCode).toBe(200)
    const [disabledSeq] = await spec.column("SELECT seq FROM events WHERE type = 'UserChanged'")
    const seqs = (await spec.column("SELECT seq FROM events WHERE type = 'RunIngested'")) as number[]
    for (const seq of seqs) expect(seq).toBeLessThan(Number(disabledSeq))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(seqs.length)
    for (const { statusCode, body } of answers.filter((answer) => answer.statusCode !== 201))
      expect([statusCode, body]).toEqual([401, '{"error":"authentication required"}'])
    expect((await upload(99)).statusCode).toBe(401)
  })
})

describe('the overview of accounts', () => {
  it('counts keys, sessions and grants, and reports when each account was last seen', async () => {
    let now = Date.UTC(2026, 4, 4, 9)
    const { spec, ask, root, person, mint } = await open({ now: () => now })
    const ada = await person('ada', 'member')
    await spec.service.commit.createUser(SYSTEM, {
      user_id: 'bot',
      username: 'bot',
      password_hash: '',
      role: 'viewer',
    })
    await spec.grant(ada.id, 'view', 'secret')
    now += 60_000
    const { id } = await mint(ada)
    const { key } = await mint(ada)
    await ask('DELETE', `/apikeys/${id}`, { token: ada.token })
    now += 60_000
    await ask('GET', '/runs', { token: key })
    // The last use is written by the time the next command has finished.
    await mint(root)
    const { users } = (await ask('GET', '/users/overview', { token: root.token })).json<{ users: UserOverview[] }>()
    expect(users.map(({ username }) => username)).toEqual(['root', 'ada', 'bot'])
    expect(
      users.map(({ live_keys, live_sessions, grants, last_seen_at }) => [
        live_keys,
        live_sessions,
        grants,
        last_seen_at,
      ]),
    ).toEqual([
      [1, 1, 0, '2026-05-04T09:02:00+00:00'],
      [1, 1, 1, '2026-05-04T09:02:00+00:00'],
      [0, 0, 0, null],
    ])
    const list = (await ask('GET', '/users', { token: root.token })).json<{ users: object[] }>().users
    expect(users).toMatchObject(list)
  })

  it("shows admins an account's keys as their owner sees them", async () => {
    const { ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const { key } = await mint(ada, { name: 'ci' })
    const own = (await ask('GET', '/apikeys', { token: ada.token })).body
    const shown = await ask('GET', `/users/${ada.id}/apikeys`, { token: root.token })
    expect([shown.statusCode, shown.body]).toEqual([200, own])
    expect(shown.body).not.toContain(key)
    expect((await ask('GET', `/users/${root.id}/apikeys`, { token: root.token })).json()).toEqual({ keys: [] })
    expect((await ask('GET', '/users/none/apikeys', { token: root.token })).body).toBe('{"error":"user not found"}')
    for (const path of ['/users/overview', `/users/${root.id}/apikeys`])
      expect((await ask('GET', path, { token: ada.token })).statusCode).toBe(403)
  })
})
