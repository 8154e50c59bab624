import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Level } from '../../../../queries/access/levels.ts'
import { eventsOf, get, json, NO_SET, put, remove, statusAndBody } from '../../../support/access/access-requests.ts'
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

  it('are checked in order: scope, body, manage level, user', async () => {
    for (const path of ['/sets/order/grants/unknown', '/sets/order/suites/s/grants/unknown']) {
      expect(await put(spec.sendWithToken(null), path, { level: 1 })).toMatchObject([401, {}])
      expect(await put(spec.sendAs('read'), path, { level: 1 })).toMatchObject([403, {}])
      expect(statusAndBody(await spec.sendAs('write')('PUT', path, { headers: json, body: '{' }))).toMatchObject([
        400,
        {},
      ])
      expect(statusAndBody(await spec.sendAs('write')('PUT', path, { body: '{"level":"view"}' }))).toMatchObject([
        400,
        {},
      ])
      for (const body of [
        {},
        { level: 'own' },
        { level: null },
        { level: ['view'] },
        { level: 'View' },
        { level: 'view', more: 1 },
        [],
        'view',
        null,
      ])
        expect(await put(spec.sendAs('write'), path, body), JSON.stringify(body)).toMatchObject([422, {}])
      expect(await put(spec.sendAs('write'), path, level('view'))).toEqual([404, NO_SET])
      expect(await put(admin, path, level('view'))).toEqual([404, { error: 'user not found' }])
      expect(await remove(spec.sendAs('write'), path)).toEqual([404, NO_SET])
      expect(await remove(admin, path)).toEqual([404, { error: 'grant not found' }])
    }
    expect(
      statusAndBody(await admin('PUT', '/sets/order/grants/member', { headers: json, body: '{"level":"own"}' })),
    ).toMatchObject([422, { error: expect.stringContaining('level') as string }])
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
      { user_id: 'member', username: 'member', level: 'manage', created_at: first, created_by: 'boss' },
      { user_id: 'onlooker', username: 'onlooker', level: 'view', created_at: first, created_by: 'admin' },
      { user_id: 'keeper', username: 'keeper', level: 'upload', created_at: first + 1000, created_by: 'member' },
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

  it('can be read and changed only with a covering manage grant, an admin account or an admin token', async () => {
    await put(admin, '/sets/gate/suites/s/grants/keeper', level('manage'))
    await put(admin, '/sets/gate/grants/member', level('upload'))
    const scopes = ['/sets/gate', '/sets/gate/suites/s', '/sets/gate/suites/other']
    const readableScopes = async (send: Send) => {
      const responses = await Promise.all(scopes.map((path) => send('GET', `${path}/access`)))
      for (const answer of responses)
        if (answer.statusCode !== 200) expect([answer.statusCode, answer.json()]).toEqual([404, NO_SET])
      return responses.map(({ statusCode }) => statusCode === 200)
    }
    const changeableScopes = async (send: Send) =>
      (await Promise.all(scopes.map((path) => put(send, `${path}/grants/onlooker`, level('view'))))).map(
        (answer) => answer === 204,
      )
    for (const restricted of [false, true]) {
      if (restricted) await put(admin, '/sets/gate/restriction')
      for (const [caller, send, expected] of [
        ['a member with manage on one suite', keeper.send, [false, true, false]],
        ['a member with upload', member.send, [false, false, false]],
        ['an account without a grant', onlooker.send, [false, false, false]],
        ['a read token', spec.sendAs('read'), [false, false, false]],
        ['a write token', spec.sendAs('write'), [false, false, false]],
        ['an admin by role', boss.send, [true, true, true]],
        ['an admin token', admin, [true, true, true]],
      ] as const) {
        expect(await readableScopes(send), caller).toEqual(expected)
        if (caller !== 'a read token' && caller !== 'an account without a grant')
          expect(await changeableScopes(send), caller).toEqual(expected)
      }
    }
    await put(admin, '/sets/gate/grants/keeper', level('manage'))
    expect(await readableScopes(keeper.send)).toEqual([true, true, true])
    expect(await changeableScopes(keeper.send)).toEqual([true, true, true])
    await remove(admin, '/sets/gate/grants/keeper')
    expect(await readableScopes(keeper.send)).toEqual([false, true, false])
    expect(await put(keeper.send, '/sets/gate/suites/s/grants/keeper', level('view'))).toBe(204)
    expect(await readableScopes(keeper.send)).toEqual([false, false, false])
  })

  it('let an account with the viewer role and manage level read the list only', async () => {
    await put(admin, '/sets/looked/grants/onlooker', level('manage'))
    expect(await get(onlooker.send, '/sets/looked/access')).toMatchObject([
      200,
      { grants: [{ user_id: 'onlooker', level: 'manage' }] },
    ])
    expect(await put(onlooker.send, '/sets/looked/grants/member', level('view'))).toMatchObject([403, {}])
    expect(await remove(onlooker.send, '/sets/looked/grants/onlooker')).toMatchObject([403, {}])
    for (const send of [onlooker.send, member.send]) {
      expect(await put(send, '/sets/looked/restriction')).toMatchObject([403, {}])
      expect(await remove(send, '/sets/looked/restriction')).toMatchObject([403, {}])
    }
  })

  it('apply to every API key of the account, within the scope of the key', async () => {
    await put(admin, '/sets/keys/restriction')
    await put(admin, '/sets/keys/suites/s/grants/member', level('manage'))
    expect(
      (await spec.ingest(aDocument({ run_id: 'by-key', project: 'keys', suite: 's' }), { caller: 'admin' })).statusCode,
    ).toBe(201)
    const keyOf = async (user: SpecUser, scope: string) =>
      (await user.send('POST', '/apikeys', { headers: json, body: JSON.stringify({ scope }) })).json<{ key: string }>()
        .key
    for (const user of [member, boss]) {
      const read = spec.sendWithToken(await keyOf(user, 'read'))
      expect(await get(read, '/runs/by-key')).toMatchObject([200, {}])
      expect(await get(read, '/sets/keys/suites/s/access')).toMatchObject([200, { grants: [{ user_id: 'member' }] }])
      expect(await put(read, '/sets/keys/suites/s/grants/keeper', level('view'))).toMatchObject([
        403,
        { error: expect.stringContaining('insufficient scope') as string },
      ])
      const write = spec.sendWithToken(await keyOf(user, 'write'))
      expect(await put(write, '/sets/keys/suites/s/grants/keeper', level('view'))).toBe(204)
      expect(await remove(write, '/sets/keys/suites/s/grants/keeper')).toBe(204)
    }
    expect(await get(spec.sendWithToken(await keyOf(keeper, 'write')), '/runs/by-key')).toMatchObject([404, {}])
  })

  it('allow reads from the view level on, and uploads and baselines from the upload level on', async () => {
    await put(admin, '/sets/levels/restriction')
    expect(
      (await spec.ingest(aDocument({ run_id: 'levels-1', project: 'levels', suite: 's' }), { caller: 'admin' }))
        .statusCode,
    ).toBe(201)
    const refused = [403, { error: 'this run set is restricted; you need an upload grant on it' }]
    const BASELINE = '/projects/levels/suites/s/baseline'
    let uploadCount = 1
    const upload = async (suite: string | null) =>
      statusAndBody(
        await member.send('POST', '/runs', {
          headers: json,
          body: JSON.stringify(aDocument({ run_id: `levels-${++uploadCount}`, project: 'levels', suite })),
        }),
      )
    for (const [granted, sees, writes] of [
      [null, false, false],
      ['view', true, false],
      ['upload', true, true],
      ['manage', true, true],
    ] as const) {
      if (granted) await put(admin, '/sets/levels/suites/s/grants/member', level(granted))
      expect(await get(member.send, '/runs/levels-1'), String(granted)).toMatchObject(
        sees ? [200, {}] : [404, { error: 'run not found' }],
      )
      expect(await get(member.send, '/sets/levels/suites/s')).toMatchObject(
        sees ? [200, { restricted: true, my_level: granted }] : [404, NO_SET],
      )
      expect(await upload('s')).toEqual(writes ? [201, expect.anything()] : refused)
      expect(await put(member.send, BASELINE, { run_id: 'levels-1' })).toEqual(
        writes ? [200, expect.anything()] : refused,
      )
      expect(await remove(member.send, BASELINE)).toEqual(writes ? 204 : refused)
      // A grant on a suite covers neither other suites nor the project's runs without a suite.
      for (const other of ['other', null]) expect(await upload(other)).toEqual(refused)
    }
    await put(admin, '/sets/levels/grants/member', level('upload'))
    for (const other of ['other', null, 's']) expect(await upload(other)).toEqual([201, expect.anything()])
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

  it('are deleted with their account', async () => {
    const deleted = await spec.addUser('gone')
    await put(admin, '/sets/left/grants/gone', level('manage'))
    await put(admin, '/sets/left/suites/s/grants/gone', level('view'))
    await put(deleted.send, '/sets/left/grants/member', level('view'))
    expect(statusAndBody(await admin('DELETE', '/users/gone'))).toBe(204)
    // The grants that the deleted account gave stay and still show its name.
    expect(await get(admin, '/sets/left/access')).toMatchObject([
      200,
      { grants: [{ user_id: 'member', created_by: 'gone' }] },
    ])
    expect(await get(admin, '/sets/left/suites/s/access')).toMatchObject([200, { grants: [] }])
    expect(await put(admin, '/sets/left/grants/gone', level('view'))).toEqual([404, { error: 'user not found' }])
    expect(await remove(admin, '/sets/left/grants/gone')).toEqual([404, { error: 'grant not found' }])
    const revoked = (await eventsOf(spec)).filter(
      ({ type, stream }) => type === 'AccessRevoked' && stream === 'access/left',
    )
    expect(revoked.map(({ data }) => data)).toEqual(
      [null, 's'].map((suite) => ({ cause: 'user_deleted', project: 'left', suite, user_id: 'gone' })),
    )
  })
})
