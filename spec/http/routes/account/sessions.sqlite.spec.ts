import { describe, expect, it } from 'vitest'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

const open = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4, 9)
const DAY = 24 * 60 * 60 * 1000

type Session = {
  readonly id: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string
  readonly address: string | null
  readonly is_current: boolean
}

describe("the list of one's own sessions", () => {
  it('shows when and where each was opened, its last use, and which one asks', async () => {
    let now = T0
    const { ask, root, person, signIn } = await open({ now: () => now })
    await person('ada', 'member')
    now += 60_000
    const other = await signIn('root')
    now += 60_000
    const list = async (token: string) =>
      (await ask('GET', '/auth/sessions', { token })).json<{ sessions: Session[] }>().sessions
    await list(other)
    // The last use is written by the time the next command has finished.
    await ask('POST', '/apikeys', { token: root.token, body: {} })
    const sessions = await list(root.token)
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
        created_at: '2026-05-04T09:01:00+00:00',
        last_used_at: '2026-05-04T09:02:00+00:00',
        expires_at: '2026-06-03T09:01:00+00:00',
        address: '127.0.0.1',
        is_current: false,
      },
      {
        id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
        created_at: '2026-05-04T09:00:00+00:00',
        last_used_at: '2026-05-04T09:02:00+00:00',
        expires_at: '2026-06-03T09:00:00+00:00',
        address: '127.0.0.1',
        is_current: true,
      },
    ])
    expect(JSON.stringify(sessions)).not.toMatch(/mses_|hash/)
    now = T0 + 30 * DAY
    expect((await list(other)).map(({ created_at }) => created_at)).toEqual(['2026-05-04T09:01:00+00:00'])
  })

  it('marks no session as current for an API key of the account', async () => {
    const { ask, root, mint } = await open()
    const { key } = await mint(root, { scope: 'read' })
    const { sessions } = (await ask('GET', '/auth/sessions', { token: key })).json<{ sessions: Session[] }>()
    expect(sessions.map(({ is_current }) => is_current)).toEqual([false])
  })
})

describe('ending sessions', () => {
  it('ends one session at once, and reports a session of another account as unknown', async () => {
    const { spec, ask, root, person, signIn } = await open()
    const ada = await person('ada', 'admin')
    const other = await signIn('root')
    const { sessions } = (await ask('GET', '/auth/sessions', { token: root.token })).json<{ sessions: Session[] }>()
    const id = sessions.find(({ is_current }) => !is_current)?.id ?? ''
    const foreign = await ask('DELETE', `/auth/sessions/${id}`, { token: ada.token })
    const unknown = await ask('DELETE', '/auth/sessions/none', { token: ada.token })
    expect([foreign.statusCode, foreign.body]).toEqual([404, '{"error":"session not found"}'])
    expect([unknown.statusCode, unknown.body]).toEqual([404, '{"error":"session not found"}'])
    expect((await ask('GET', '/runs', { token: other })).statusCode).toBe(200)
    const ended = await ask('DELETE', `/auth/sessions/${id}`, { token: root.token })
    expect(ended.statusCode).toBe(204)
    expect(ended.headers['set-cookie']).toBeUndefined()
    expect((await ask('GET', '/runs', { token: other })).statusCode).toBe(401)
    expect((await ask('DELETE', `/auth/sessions/${id}`, { token: root.token })).statusCode).toBe(404)
    expect(await spec.column(`SELECT count(*) FROM credential_uses WHERE credential_id = '${id}'`)).toEqual([0])
  })

  it('clears the cookie with the own session', async () => {
    const { ask, root } = await open()
    const { sessions } = (await ask('GET', '/auth/sessions', { token: root.token })).json<{ sessions: Session[] }>()
    const answer = await ask('DELETE', `/auth/sessions/${sessions[0]?.id}`, { token: root.token })
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await ask('GET', '/runs', { token: root.token })).statusCode).toBe(401)
  })

  it('ends all others with one event, and the log still verifies', async () => {
    const { spec, ask, root, person, signIn } = await open()
    const ada = await person('ada', 'member')
    const others = [await signIn('root'), await signIn('root')]
    for (const token of others) expect((await ask('GET', '/runs', { token })).statusCode).toBe(200)
    const answer = await ask('DELETE', '/auth/sessions', { token: root.token })
    expect([answer.statusCode, answer.body]).toEqual([200, '{"ended":2}'])
    for (const token of others) expect((await ask('GET', '/runs', { token })).statusCode).toBe(401)
    for (const token of [root.token, ada.token]) expect((await ask('GET', '/runs', { token })).statusCode).toBe(200)
    // Nothing is left to end, so nothing is recorded.
    expect((await ask('DELETE', '/auth/sessions', { token: root.token })).body).toBe('{"ended":0}')
    expect(await spec.column("SELECT count(*) FROM events WHERE type = 'SessionsEnded'")).toEqual([1])
    expect(await spec.column('SELECT count(*) FROM session_tokens')).toEqual([2])
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})
