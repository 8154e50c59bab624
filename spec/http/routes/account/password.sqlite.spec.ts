import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../support/access/accounts.ts'
import { TOKENS } from '../../../support/servers/app.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

const open = appOpenerWithAccounts()
const NEW = 'another horse'
const change = { current_password: PASSWORD, new_password: NEW }

describe("changing one's own password", () => {
  it('replaces it, ends the other sessions and leaves keys and the own session', async () => {
    const { spec, ask, root, person, signIn, mint } = await open()
    const ada = await person('ada', 'member')
    const other = await signIn('ada')
    const { key } = await mint(ada)
    expect((await ask('GET', '/runs', { token: other })).statusCode).toBe(200)
    const answer = await ask('POST', '/auth/password', { token: ada.token, body: change })
    expect([answer.statusCode, answer.body]).toEqual([200, '{"ended":1}'])
    for (const [token, status] of [
      [ada.token, 200],
      [key, 200],
      [root.token, 200],
      [other, 401],
    ] as const)
      expect((await ask('GET', '/runs', { token })).statusCode).toBe(status)
    expect((await ask('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } })).statusCode).toBe(401)
    expect(await signIn('ada', NEW)).toMatch(/^mses_/)
    const { events } = (await ask('GET', '/audit?limit=4', { token: root.token })).json<{
      events: Array<{ type: string; actor: { user_id: string }; data: object }>
    }>()
    expect(events.map(({ type }) => type)).toEqual(['SignedIn', 'SignInRefused', 'SessionsEnded', 'UserChanged'])
    expect(events.slice(2)).toMatchObject([
      { actor: { user_id: ada.id }, data: { except: expect.any(String) as string, user_id: ada.id } },
      { actor: { user_id: ada.id }, data: { password_replaced: true, role: null, user_id: ada.id } },
    ])
    expect(JSON.stringify(events)).not.toMatch(/horse|argon2/)
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('rejects a wrong password with 401 and records it with its actor', async () => {
    const { spec, ask, root } = await open()
    const answer = await ask('POST', '/auth/password', {
      token: root.token,
      body: { current_password: 'wrong horse', new_password: NEW },
    })
    expect([answer.statusCode, answer.body]).toEqual([401, '{"error":"the current password is wrong"}'])
    expect((await ask('POST', '/auth/login', { body: { username: 'root', password: PASSWORD } })).statusCode).toBe(200)
    const [event] = await spec.column(
      "SELECT body FROM events JOIN event_bodies USING (seq) WHERE type = 'SignInRefused'",
    )
    expect(JSON.parse(String(event))).toMatchObject({
      actor: { kind: 'session', user_id: root.id },
      data: { reason: 'wrong_password', user_id: root.id },
    })
  })

  it('rejects a short password with 400 and other shapes with 422', async () => {
    const { ask, root } = await open()
    const status = async (body: object) => (await ask('POST', '/auth/password', { token: root.token, body })).statusCode
    expect(await status({ ...change, new_password: 'short' })).toBe(400)
    expect(await status({ current_password: PASSWORD })).toBe(422)
    expect(await status({ ...change, more: 1 })).toBe(422)
    expect(await status(change)).toBe(200)
  })

  it('shares its throttle with sign-in', async () => {
    let now = Date.UTC(2026, 4, 4, 9)
    const { ask, root } = await open({ now: () => now })
    const wrong = { current_password: 'wrong horse', new_password: NEW }
    const post = (body: object) => ask('POST', '/auth/password', { token: root.token, body })
    for (let i = 0; i < 10; i++) expect((await post(wrong)).statusCode).toBe(401)
    const throttled = await post(change)
    expect([throttled.statusCode, throttled.headers['retry-after']]).toEqual([429, '1'])
    const login = { username: 'root', password: PASSWORD }
    expect((await ask('POST', '/auth/login', { body: login })).statusCode).toBe(429)
    now += 60 * 60_000
    expect((await post(change)).statusCode).toBe(200)
  })

  it('is for accounts that have a password', async () => {
    const { spec, ask } = await open()
    const { token } = await spec.addUser('bot')
    const none = await ask('POST', '/auth/password', { token, body: change })
    expect([none.statusCode, none.body]).toEqual([
      409,
      '{"error":"this account has no password; an admin can set one"}',
    ])
    const refused = await ask('POST', '/auth/password', { token: TOKENS.admin, body: change })
    expect([refused.statusCode, refused.body]).toEqual([403, '{"error":"a user account is required"}'])
    expect((await ask('POST', '/auth/password', { body: change })).statusCode).toBe(401)
  })

  it('succeeds for one of two concurrent changes', async () => {
    const { ask, root } = await open()
    const answers = await Promise.all(
      [NEW, 'a third horse'].map((new_password) =>
        ask('POST', '/auth/password', { token: root.token, body: { ...change, new_password } }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
  })
})
