import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBootstrapAdmin } from '../../../cli/serve/ensure-admin.ts'
import { openPasswords } from '../../../http/identity/passwords.ts'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import { PASSWORD, createPeople } from '../../support/access/accounts.ts'
import { member } from '../../support/access/viewers.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { startServer } from '../../support/servers/server.ts'
import { oidcConfig } from '../../support/sso/providers.ts'

describe('the bootstrap admin', () => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp()))
  afterAll(() => spec.close())

  const ensure = (adminUser: string | null, adminPassword: string | null) =>
    ensureBootstrapAdmin(spec.service, openPasswords(), { adminUser, adminPassword })
  const events = (): Promise<unknown[]> => spec.column("SELECT type FROM events WHERE type LIKE 'User%' ORDER BY seq")
  const signIn = async (username: string, password: string) =>
    (
      await spec.sendAs(null)('POST', '/auth/login', {
        headers: { 'content-type': 'application/json' },
        body: { username, password },
      })
    ).statusCode

  it('is not created if none is configured', async () => {
    await ensure(null, null)
    expect(await events()).toEqual([])
  })

  it('is created by the service, with a password of any length', async () => {
    await createPeople(spec)
    await ensure('ops', 'p')
    expect(await events()).toEqual(['UserCreated', 'UserCreated'])
    expect(await signIn('ops', 'p')).toBe(200)
  })

  it('is not changed if it is correct', async () => {
    await ensure('ops', 'p')
    expect(await events()).toHaveLength(2)
  })

  it('regains the configured password, role and access', async () => {
    await ensure('ops', 'q')
    expect([await signIn('ops', 'q'), await signIn('ops', 'p')]).toEqual([200, 401])
    const { users } = (await spec.sendAs('admin')('GET', '/users')).json<{
      users: Array<{ id: string; username: string }>
    }>()
    const { id = '' } = users.find(({ username }) => username === 'ops') ?? {}
    await spec.sendAs('admin')('PATCH', `/users/${id}`, {
      headers: { 'content-type': 'application/json' },
      body: { role: 'viewer', disabled: true },
    })
    expect(await signIn('ops', 'q')).toBe(401)
    await ensure('ops', 'q')
    expect(await signIn('ops', 'q')).toBe(200)
    expect((await spec.sendAs('admin')('GET', '/users')).json()).toMatchObject({
      users: [{ username: 'root' }, { username: 'ops', role: 'admin', disabled: false }],
    })
    expect(await events()).toHaveLength(5)
  })

  it('is never an account of an identity provider, whose owner may have chosen its name', async () => {
    const signInThere = signInWithProvider(spec.services, { defaultRole: 'member' })
    await signInThere(member, oidcConfig(), { subject: 'stranger', email: 'admin@evil.example', groups: [] }, null)
    await expect(ensure('admin', 'p')).rejects.toThrow(
      'SERVICE_ADMIN_USER: the account admin belongs to a person at an identity provider: name another account',
    )
    const { users } = (await spec.sendAs('admin')('GET', '/users')).json<{
      users: Array<{ username: string; role: string; has_password: boolean }>
    }>()
    expect(users.find(({ username }) => username === 'admin')).toMatchObject({ role: 'member', has_password: false })
  })
})

describe('a server with a bootstrap admin', () => {
  it('creates the account before it is ready, closes setup, and never logs the password', async () => {
    const server = await startServer({
      env: { SERVICE_ADMIN_USER: ' root ', SERVICE_ADMIN_PASSWORD: 'canary-password' },
    })
    const post = (path: string, body: object) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/auth/setup', { username: 'evil', password: PASSWORD })).status).toBe(409)
    const answer = await post('/auth/login', { username: 'root', password: 'canary-password' })
    expect(answer.status).toBe(200)
    const { token } = (await answer.json()) as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${server.url}/api/v1/users`, { headers })).status).toBe(200)
    await fetch(`${server.url}/api/v1/auth/logout`, { method: 'POST', headers })
    // The sign-out applies to the next request on every thread.
    expect((await fetch(`${server.url}/api/v1/users`, { headers })).status).toBe(401)
    expect(JSON.stringify(server.log)).not.toMatch(/canary|mses_/)
    await server.stop()
  })
})
