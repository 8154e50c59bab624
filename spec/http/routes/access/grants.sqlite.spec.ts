import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Level } from '../../../../queries/access/levels.ts'
import { eventsOf, get, json, NO_SET, put, remove } from '../../../support/access/access-requests.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { openApp, type Send, type SpecApp, type SpecUser } from '../../../support/servers/app.ts'

describe('grants', () => {
  let spec: SpecApp
  let member: SpecUser
  let keeper: SpecUser
  let onlooker: SpecUser
  let boss: SpecUser
  let now = 1_777_885_244_000
  const admin: Send = (...request) => spec.sendAs('admin')(...request)
  const level = (granted: Level) => ({ level: granted })

  beforeAll(async () => {
    spec = await openApp({ now: () => now })
    member = await spec.addUser('member')
    keeper = await spec.addUser('keeper')
    onlooker = await spec.addUser('onlooker', 'viewer')
    boss = await spec.addUser('boss', 'admin')
  })
  afterAll(() => spec.close())

  it('are recorded once, replaced by another level and revoked once', async () => {
    const path = '/sets/once/suites/s/grants/member'
    expect(await put(admin, path, level('view'))).toBe(204)
    expect(await put(admin, path, level('view'))).toBe(204)
    expect(await put(admin, path, level('manage'))).toBe(204)
    expect(await remove(admin, path)).toBe(204)
    expect(await remove(admin, path)).toEqual([404, { error: 'grant not found' }])
    const recorded = (await eventsOf(spec)).filter(({ stream }) => stream === 'access/once')
    expect(recorded.map(({ type, data }) => [type, data])).toEqual([
      ['AccessGranted', { level: 'view', project: 'once', suite: 's', user_id: 'member' }],
      ['AccessGranted', { level: 'manage', project: 'once', suite: 's', user_id: 'member' }],
      ['AccessRevoked', { cause: 'request', project: 'once', suite: 's', user_id: 'member' }],
    ])
  })

  it('name an account by its id, not by its username', async () => {
    const answer = await admin('POST', '/users', {
      headers: json,
      body: JSON.stringify({ username: 'named', password: 'a long password', role: 'member' }),
    })
    const { id } = answer.json<{ id: string }>()
    expect(await put(admin, '/sets/ids/grants/named', level('view'))).toEqual([404, { error: 'user not found' }])
    expect(await put(admin, `/sets/ids/grants/${id}`, level('view'))).toBe(204)
    expect(await get(admin, '/sets/ids/access')).toMatchObject([200, { grants: [{ user_id: id, username: 'named' }] }])
  })

  it('are given to accounts that their managers find by the beginning of a name', async () => {
    for (const username of ['Zoë', 'zoe', 'zo', 'zoot']) await spec.addUser(username)
    const disabled = { headers: json, body: '{"disabled":true}' }
    expect((await admin('PATCH', '/users/zoot', disabled)).statusCode).toBe(200)
    await spec.grant('member', 'manage', 'found', 's')
    await spec.grant('onlooker', 'manage', 'found', 's')
    const path = '/sets/found/suites/s/accounts'
    const names = async (name: string, send: Send = member.send) =>
      (await send('GET', `${path}?name=${encodeURIComponent(name)}`))
        .json<{ accounts: Array<{ user_id: string; username: string }> }>()
        .accounts.map(({ user_id, username }) => `${user_id} ${username}`)
    expect(await names('zo')).toEqual(['zo zo', 'Zoë Zoë', 'zoe zoe'])
    expect(await names('ZOË')).toEqual(['Zoë Zoë'])
    expect(await names('%')).toEqual([])
    expect(await names('')).toEqual([])
    expect(await get(member.send, path)).toMatchObject([400, { error: expect.stringContaining('name') as string }])
    // A project is another scope, a viewer cannot grant, and other callers learn nothing.
    expect(await get(member.send, '/sets/found/accounts?name=zo')).toEqual([404, NO_SET])
    expect(await get(boss.send, '/sets/found/accounts?name=zo')).toMatchObject([200, { accounts: [{}, {}, {}] }])
    expect((await onlooker.send('GET', `${path}?name=zo`)).statusCode).toBe(403)
    expect(await get(keeper.send, `${path}?name=zo`)).toEqual([404, NO_SET])
    for (let n = 0; n < 12; n++) await spec.addUser(`many-${String(n).padStart(2, '0')}`)
    expect(await names('many')).toHaveLength(10)
  })

  it('are listed oldest first, then by name; a new level changes only the level', async () => {
    const grants = async () => (await admin('GET', '/sets/listed/access')).json<{ grants: object[] }>().grants
    await put(admin, '/sets/listed/grants/onlooker', level('view'))
    await put(boss.send, '/sets/listed/grants/member', level('manage'))
    const first = now
    now += 1000
    await put(member.send, '/sets/listed/grants/keeper', level('upload'))
    const expected = [
      {
        user_id: 'member',
        username: 'member',
        level: 'manage',
        created_at: first,
        created_by: 'boss',
        managed_by: null,
      },
      {
        user_id: 'onlooker',
        username: 'onlooker',
        level: 'view',
        created_at: first,
        created_by: 'admin',
        managed_by: null,
      },
      {
        user_id: 'keeper',
        username: 'keeper',
        level: 'upload',
        created_at: first + 1000,
        created_by: 'member',
        managed_by: null,
      },
    ]
    expect(await grants()).toEqual(expected)
    now += 1000
    expect(await put(member.send, '/sets/listed/grants/onlooker', level('upload'))).toBe(204)
    expect(await grants()).toEqual(
      expected.map((grant) => (grant.user_id === 'onlooker' ? { ...grant, level: 'upload' } : grant)),
    )
    await remove(admin, '/sets/listed/grants/onlooker')
    await put(member.send, '/sets/listed/grants/onlooker', level('view'))
    expect((await grants()).at(-1)).toEqual({
      user_id: 'onlooker',
      username: 'onlooker',
      level: 'view',
      created_at: first + 2000,
      created_by: 'member',
      managed_by: null,
    })
  })

  it('are listed only at their own scope', async () => {
    await put(admin, '/sets/exact/grants/member', level('view'))
    await put(admin, '/sets/exact/suites/s/grants/member', level('upload'))
    await put(admin, '/sets/exact/suites/s/grants/keeper', level('view'))
    const levelsAt = async (path: string) =>
      (await admin('GET', `${path}/access`))
        .json<{ grants: Array<{ user_id: string; level: string }> }>()
        .grants.map((grant) => [grant.user_id, grant.level])
    expect(await levelsAt('/sets/exact')).toEqual([['member', 'view']])
    expect(await levelsAt('/sets/exact/suites/s')).toEqual([
      ['keeper', 'view'],
      ['member', 'upload'],
    ])
    expect(await levelsAt('/sets/exact/suites/other')).toEqual([])
  })

  it('stay when the restriction is lifted and apply when it is set again', async () => {
    await put(admin, '/sets/kept/restriction')
    await put(admin, '/sets/kept/grants/member', level('upload'))
    await spec.ingest(aDocument({ run_id: 'kept-1', project: 'kept' }), { caller: 'admin' })
    await remove(admin, '/sets/kept/restriction')
    expect(await get(admin, '/sets/kept/access')).toMatchObject([
      200,
      { restricted: false, grants: [{ user_id: 'member', level: 'upload' }] },
    ])
    expect(await get(member.send, '/sets/kept')).toMatchObject([200, { restricted: false, my_level: 'upload' }])
    await put(admin, '/sets/kept/restriction')
    expect(await get(member.send, '/runs/kept-1')).toMatchObject([200, {}])
    expect(await get(keeper.send, '/runs/kept-1')).toMatchObject([404, {}])
  })
})
