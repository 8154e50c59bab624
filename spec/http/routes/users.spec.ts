import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../../support/access/accounts.ts'
import type { UserView } from '../../support/access/accounts.ts'
import { TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openingPeople } from '../../support/servers/opening-apps.ts'

const open = openingPeople()
const recorded = async (spec: SpecApp, type: string): Promise<object[]> =>
  (await spec.column(`SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = '${type}' ORDER BY seq`)).map(
    (body) => (JSON.parse(String(body)) as { data: object }).data,
  )

describe('the accounts', () => {
  it('are made by an admin and listed oldest first', async () => {
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

  it('have names of their own, free again when an account is deleted', async () => {
    const { ask, root, person } = await open()
    const ada = await person('ada', 'member')
    const again = () =>
      ask('POST', '/users', { token: root.token, body: { username: 'ada', password: PASSWORD, role: 'viewer' } })
    const taken = await again()
    expect([taken.statusCode, taken.body]).toEqual([409, '{"error":"username already exists"}'])
    await ask('DELETE', `/users/${ada.id}`, { token: root.token })
    const next = await again()
    expect(next.statusCode).toBe(201)
    expect(next.json<UserView>().id).not.toBe(ada.id)
  })

  it('of one name asked for at once are one', async () => {
    const { ask, root } = await open()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask('POST', '/users', { token: root.token, body: { username: 'ada', password: PASSWORD, role: 'member' } }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array<number>(19).fill(409)])
  })

  it('are checked in their shape, then in what they hold', async () => {
    const { ask, root } = await open()
    const good = { username: 'ada', password: PASSWORD, role: 'member' }
    const status = async (body: object, path = '/users', method: 'POST' | 'PATCH' = 'POST') => {
      const answer = await ask(method, path, { token: root.token, body })
      return [answer.statusCode, answer.json<{ error: string }>().error] as const
    }
    for (const [field, body] of [
      ['role', { ...good, role: 'owner' }],
      ['role', { username: 'ada', password: PASSWORD }],
      ['password', { ...good, password: null }],
      ['more', { ...good, more: 1 }],
      ['username', { ...good, username: 'a\ud800' }],
    ] as const) {
      expect(await status(body)).toEqual([422, expect.stringContaining(field)])
    }
    expect(await status({ ...good, username: ' ', password: '' })).toEqual([400, expect.stringContaining('username')])
    expect(await status({ ...good, password: '1234567' })).toEqual([400, expect.stringContaining('8')])
    const path = `/users/${root.id}`
    expect(await status({ disabled: 'yes' }, path, 'PATCH')).toEqual([422, expect.stringContaining('disabled')])
    expect(await status({ username: 'x' }, path, 'PATCH')).toEqual([422, expect.stringContaining('username')])
    expect(await status({ password: 'short' }, path, 'PATCH')).toEqual([400, expect.stringContaining('8')])
    expect(await status({}, '/users/none', 'PATCH')).toEqual([404, 'user not found'])
    expect((await ask('DELETE', '/users/none', { token: root.token })).body).toBe('{"error":"user not found"}')
  })

  it("are nobody's business but an admin's", async () => {
    const { ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const weak = await mint(root, { scope: 'write' })
    for (const token of [ada.token, weak.key, TOKENS.write]) {
      for (const [method, path] of [
        ['GET', '/users'],
        ['POST', '/users'],
        ['PATCH', `/users/${ada.id}`],
        ['DELETE', `/users/${ada.id}`],
      ] as const) {
        expect(
          (await ask(method, path, { token, ...(method === 'GET' ? {} : { body: { role: 'admin' } }) })).statusCode,
          `${method} ${path}`,
        ).toBe(403)
      }
    }
  })
})

describe('changing an account', () => {
  it('takes any part of it, and nothing at all', async () => {
    const { spec, ask, person, change, signIn } = await open()
    const ada = await person('ada', 'member')
    for (const body of [{}, { role: 'member' }, { disabled: false }, { role: null, disabled: null, password: null }]) {
      const answer = await change(ada.id, body)
      expect([answer.statusCode, answer.json<UserView>()]).toEqual([
        200,
        expect.objectContaining({ id: ada.id, role: 'member', disabled: false }),
      ])
    }
    expect(await recorded(spec, 'UserChanged')).toEqual([])
    expect((await change(ada.id, { role: 'viewer', disabled: true, password: 'another horse' })).json()).toMatchObject({
      role: 'viewer',
      disabled: true,
    })
    expect((await change(ada.id, { disabled: false })).json()).toMatchObject({ role: 'viewer', disabled: false })
    expect(await recorded(spec, 'UserChanged')).toEqual([
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

  it('takes effect on the very next request, in sessions and keys alike, and ends none of them', async () => {
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
      // A promotion does not widen a key that was minted before.
      [{ role: 'admin' }, ['admin', 'write']],
      [{ role: 'member' }, ['write', 'write']],
    ] as const) {
      await change(ada.id, body)
      expect(await scopes(), JSON.stringify(body)).toEqual(expected)
    }
  })

  it('makes an admin see everything, with a key of any scope, and no longer when the role goes', async () => {
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
  it('is neither demoted, disabled nor deleted', async () => {
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

  it('is the last enabled one: one that is disabled does not count, and may go', async () => {
    const { ask, root, person, change } = await open()
    const ada = await person('ada', 'admin')
    await change(ada.id, { disabled: true })
    expect((await change(root.id, { role: 'member' })).statusCode).toBe(409)
    expect((await ask('DELETE', `/users/${root.id}`, { token: root.token })).statusCode).toBe(409)
    expect((await change(ada.id, { role: 'member' })).statusCode).toBe(200)
    await change(ada.id, { role: 'admin' })
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(204)
  })

  it("stays, however many take each other's role at once", async () => {
    const { spec, ask, root, person } = await open()
    const ada = await person('ada', 'admin')
    const asked = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? { by: root, of: ada } : { by: ada, of: root }))
    const answers = await Promise.all(
      asked.map(({ by, of }, i) =>
        i % 3 === 0
          ? ask('DELETE', `/users/${of.id}`, { token: by.token })
          : ask('PATCH', `/users/${of.id}`, {
              token: by.token,
              body: i % 3 === 1 ? { role: 'member' } : { disabled: true },
            }),
      ),
    )
    expect(await spec.column("SELECT count(*) FROM users WHERE role = 'admin' AND NOT disabled")).toEqual([1])
    // One wins; whoever lost the role or the account is told so under the lock, and of the rest there is nothing left
    // to take.
    expect(answers.filter(({ statusCode }) => statusCode < 300).length).toBeGreaterThan(0)
    for (const { statusCode } of answers) expect([200, 204, 401, 403, 404, 409]).toContain(statusCode)
  })

  it('stays when two admins demote each other 50 times at once: one wins', async () => {
    const { spec, ask, root, person } = await open()
    const ada = await person('ada', 'admin')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        ask('PATCH', `/users/${i % 2 === 0 ? root.id : ada.id}`, { token: TOKENS.admin, body: { role: 'member' } }),
      ),
    )
    const [first] = await spec.column("SELECT id FROM users WHERE role = 'admin'")
    expect(await spec.column("SELECT id FROM users WHERE role = 'admin'")).toHaveLength(1)
    // Demoting who is demoted already is silent.
    for (const [i, { statusCode }] of answers.entries())
      expect(statusCode).toBe((i % 2 === 0 ? root.id : ada.id) === first ? 409 : 200)
    expect(await recorded(spec, 'UserChanged')).toHaveLength(1)
  })
})

describe('deleting an account', () => {
  it('takes its sessions, keys, password and grants, and leaves the name of who did what', async () => {
    const { spec, ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const { key } = await mint(ada, { name: 'ci' })
    await ask('PUT', `/sets/secret/grants/${ada.id}`, { token: root.token, body: { level: 'upload' } })
    await ask('PUT', `/sets/secret/suites/smoke/grants/${ada.id}`, { token: root.token, body: { level: 'view' } })
    expect((await ask('POST', '/runs', { token: key, body: aDocument({ run_id: 'hers' }) })).statusCode).toBe(201)
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(204)

    for (const token of [ada.token, key]) expect((await ask('GET', '/runs', { token })).statusCode).toBe(401)
    expect((await ask('GET', '/sets/secret/access', { token: root.token })).json()).toMatchObject({ grants: [] })
    expect(await recorded(spec, 'AccessRevoked')).toEqual([
      { cause: 'user_deleted', project: 'secret', suite: null, user_id: ada.id },
      { cause: 'user_deleted', project: 'secret', suite: 'smoke', user_id: ada.id },
    ])
    expect(await recorded(spec, 'UserDeleted')).toEqual([{ user_id: ada.id }])
    for (const [table, left] of [
      ['users', 1],
      ['password_hashes', 1],
      ['sessions', 1],
      ['session_tokens', 1],
      ['api_keys', 0],
      ['key_secrets', 0],
      ['credential_uses', 0],
    ] as const) {
      expect([table, ...(await spec.column(`SELECT count(*) FROM ${table}`))]).toEqual([table, left])
    }
    expect((await ask('GET', '/runs/hers', { token: root.token })).json()).toMatchObject({ uploaded_by: 'ada' })
    expect((await ask('GET', '/runs?actor=ada', { token: root.token })).json()).toMatchObject({
      runs: [{ id: 'hers' }],
    })
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(404)
  })

  it("can be of one's own while another admin stays", async () => {
    const { ask, root, person } = await open()
    await person('ada', 'admin')
    expect((await ask('DELETE', `/users/${root.id}`, { token: root.token })).statusCode).toBe(204)
    expect((await ask('GET', '/users', { token: root.token })).statusCode).toBe(401)
  })
})

describe('what waits while its account changes', () => {
  it('is judged by what the log says first: an upload of a disabled account is refused', async () => {
    const { spec, ask, person, change } = await open()
    const ada = await person('ada', 'member')
    const upload = (i: number) => ask('POST', '/runs', { token: ada.token, body: aDocument({ run_id: `r${i}` }) })
    const first = Array.from({ length: 15 }, (_, i) => upload(i))
    const disabled = change(ada.id, { disabled: true })
    const answers = await Promise.all([...first, ...Array.from({ length: 15 }, (_, i) => upload(15 + i))])
    expect((await disabled).statusCode).toBe(200)
    const [at] = await spec.column("SELECT seq FROM events WHERE type = 'UserChanged'")
    const seqs = (await spec.column("SELECT seq FROM events WHERE type = 'RunIngested'")) as number[]
    for (const seq of seqs) expect(seq).toBeLessThan(Number(at))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(seqs.length)
    for (const { statusCode, body } of answers.filter((answer) => answer.statusCode !== 201))
      expect([statusCode, body]).toEqual([401, '{"error":"authentication required"}'])
    expect((await upload(99)).statusCode).toBe(401)
  })
})
