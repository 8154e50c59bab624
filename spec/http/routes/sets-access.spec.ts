import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEVELS } from '../../../queries/access/levels.ts'
import type { Level } from '../../../queries/access/levels.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { Send, SpecApp, SpecUser } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'

const json = { 'content-type': 'application/json' }
const NO_SET = { error: 'run set not found' }

type SpecResponse = Awaited<ReturnType<Send>>
const statusAndBody = ({ statusCode, body }: SpecResponse): unknown =>
  body === '' ? statusCode : [statusCode, JSON.parse(body)]

const put = async (send: Send, path: string, body?: unknown) =>
  statusAndBody(await send('PUT', path, body === undefined ? {} : { headers: json, body: JSON.stringify(body) }))
const remove = async (send: Send, path: string) => statusAndBody(await send('DELETE', path))
const get = async (send: Send, path: string) => statusAndBody(await send('GET', path))

type Event = {
  readonly seq: number
  readonly type: string
  readonly stream: string
  readonly actor: { readonly user_id: string | null }
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of the log, in order. */
const eventsOf = async ({ rows }: SpecApp): Promise<Event[]> => {
  const stored = (await rows(
    'SELECT seq, type, body FROM events JOIN event_bodies USING (seq) ORDER BY seq',
  )) as Array<{
    seq: number
    type: string
    body: string
  }>
  return stored.map(({ seq, type, body }) => ({
    seq,
    type,
    ...(JSON.parse(body) as Pick<Event, 'stream' | 'actor' | 'data'>),
  }))
}

describe('set restrictions', () => {
  let spec: SpecApp
  beforeAll(async () => {
    spec = await openApp()
  })
  afterAll(() => spec.close())
  const admin: Send = (...request) => spec.sendAs('admin')(...request)
  const restrictions = async () =>
    (await eventsOf(spec)).filter(({ type }) => type === 'SetRestricted' || type === 'RestrictionLifted')

  it.each(['/sets/p1', '/sets/p1/suites/s1'])(
    'are set once and lifted once, before the set has a run: %s',
    async (path) => {
      const before = (await restrictions()).length
      for (let time = 0; time < 3; time++) expect(await put(admin, `${path}/restriction`)).toBe(204)
      expect(await restrictions()).toHaveLength(before + 1)
      expect(await get(admin, `${path}/access`)).toEqual([200, { restricted: true, grants: [] }])
      expect(await get(admin, path)).toEqual([404, NO_SET])
      expect(await remove(admin, `${path}/restriction`)).toBe(204)
      expect(await remove(admin, `${path}/restriction`)).toEqual([404, { error: 'restriction not found' }])
      expect(await restrictions()).toHaveLength(before + 2)
      expect(await get(admin, `${path}/access`)).toEqual([200, { restricted: false, grants: [] }])
    },
  )

  it('ignore the request body', async () => {
    expect(statusAndBody(await admin('PUT', '/sets/p2/restriction', { headers: json, body: '{"unknown":' }))).toBe(204)
    expect(await remove(admin, '/sets/p2/restriction')).toBe(204)
  })

  it('of a project and of its suite are separate, and both must be lifted', async () => {
    await spec.ingest(aDocument({ run_id: 'twice', project: 'p3', suite: 's' }))
    expect(await put(admin, '/sets/p3/restriction')).toBe(204)
    expect(await remove(admin, '/sets/p3/suites/s/restriction')).toEqual([404, { error: 'restriction not found' }])
    expect(await get(admin, '/sets/p3/suites/s/access')).toMatchObject([200, { restricted: false }])
    expect(await get(admin, '/sets/p3/suites/s')).toMatchObject([200, { restricted: true }])
    expect(await put(admin, '/sets/p3/suites/s/restriction')).toBe(204)
    expect(await remove(admin, '/sets/p3/restriction')).toBe(204)
    expect(await get(admin, '/sets/p3')).toMatchObject([200, { restricted: false, suites: [{ restricted: true }] }])
    expect(await get(spec.sendAs('read'), '/runs/twice')).toEqual([404, { error: 'run not found' }])
    expect(await remove(admin, '/sets/p3/suites/s/restriction')).toBe(204)
    expect(await get(spec.sendAs('read'), '/runs/twice')).toMatchObject([200, { id: 'twice' }])
  })

  it('of a project hide its runs without a suite; runs without a project stay visible', async () => {
    const sets = [
      ['p4', null],
      ['p4', 's'],
      ['p4', 'null'],
      ['p4', ''],
      ['', 's'],
      ['', null],
      [null, 's'],
      [null, null],
    ] as const
    const idOf = (project: string | null, suite: string | null) => JSON.stringify([project, suite])
    for (const [project, suite] of sets) await spec.ingest(aDocument({ run_id: idOf(project, suite), project, suite }))
    const hidden = async () => {
      const statuses = await Promise.all(
        sets.map(
          async ([project, suite]) =>
            (await spec.sendAs('read')('GET', `/runs/${encodeURIComponent(idOf(project, suite))}`)).statusCode,
        ),
      )
      return sets.filter((_, i) => statuses[i] === 404)
    }
    for (const [project, suite, expected] of [
      ['p4', 'null', [['p4', 'null']]],
      ['p4', '', [['p4', '']]],
      [
        'p4',
        null,
        [
          ['p4', null],
          ['p4', 's'],
          ['p4', 'null'],
          ['p4', ''],
        ],
      ],
      [
        '',
        null,
        [
          ['', 's'],
          ['', null],
        ],
      ],
      ['', 's', [['', 's']]],
      ['null', null, []],
    ] as const) {
      await spec.restrict(project, suite)
      expect(await hidden(), idOf(project, suite)).toEqual(expected)
      await spec.lift(project, suite)
    }
    expect(await hidden()).toEqual([])
  })

  it('reject names that no run can have', async () => {
    for (const name of ['x'.repeat(401), 'a%00b', 'é'.repeat(201)])
      expect(
        statusAndBody(await admin('PUT', `/sets/${name.includes('%') ? name : encodeURIComponent(name)}/restriction`)),
        name,
      ).toMatchObject([400, {}])
    for (const name of ['x'.repeat(400), 'a/b', ' ', '__proto__', '..%2F', '🎉']) {
      const path = `/sets/${name.includes('%') ? name : encodeURIComponent(name)}`
      expect(await put(admin, `${path}/restriction`), name).toBe(204)
      expect(await get(admin, `${path}/access`), name).toEqual([200, { restricted: true, grants: [] }])
      expect(await remove(admin, `${path}/restriction`), name).toBe(204)
    }
  })
})

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
    for (const path of ['/sets/order/grants/nobody', '/sets/order/suites/s/grants/nobody']) {
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

describe('in open mode', () => {
  it('lets any caller restrict and lift, and only admins manage grants', async () => {
    const spec = await openApp({ mode: 'open' })
    const anyone = spec.sendAs(null)
    await spec.addUser('member')
    await spec.ingest(aDocument({ run_id: 'r' }), { caller: null })
    for (const send of [anyone, spec.sendAs('read'), spec.sendAs('write')]) {
      expect(await put(send, '/sets/chat/restriction')).toBe(204)
      expect(await get(send, '/runs/r')).toEqual([404, { error: 'run not found' }])
      expect((await spec.ingest(aDocument({ run_id: 'r2' }), { caller: null })).statusCode).toBe(403)
      expect(await remove(send, '/runs/r')).toEqual([404, { error: 'run not found' }])
      for (const path of ['/sets/chat', '/sets/none', '/sets/chat/suites/smoke']) {
        expect(await get(send, `${path}/access`)).toEqual([404, NO_SET])
        expect(await put(send, `${path}/grants/member`, { level: 'view' })).toEqual([404, NO_SET])
        expect(await put(send, `${path}/grants/nobody`, { level: 'view' })).toEqual([404, NO_SET])
        expect(await remove(send, `${path}/grants/member`)).toEqual([404, NO_SET])
      }
      expect(await remove(anyone, '/sets/chat/restriction')).toBe(204)
      expect(await get(send, '/runs/r')).toMatchObject([200, { id: 'r' }])
    }
    expect(await put(spec.sendAs('admin'), '/sets/chat/grants/member', { level: 'view' })).toBe(204)
    await spec.close()
  })
})

describe('visibility', () => {
  const ACTORS = ['nobody', 'reader', 'writer', 'token', 'one', 'two', 'boss'] as const
  type ActorName = (typeof ACTORS)[number]
  type Set = { readonly project: string; readonly suite: string | null }
  type Run = Omit<Set, 'project'> & { readonly id: string; readonly project: string | null }

  const set = fc.record({ project: fc.constantFrom('a', 'a', 'b'), suite: fc.constantFrom(null, 'x', 'x') })
  const actor = fc.constantFrom(...ACTORS, 'token' as const, 'boss' as const)
  /** Sometimes picks an existing entry instead of the drawn set. */
  const nth = fc.option(fc.nat())
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('upload' as const),
        who: actor,
        set: fc.oneof(
          { weight: 5, arbitrary: set },
          { weight: 1, arbitrary: fc.constant({ project: null, suite: 'x' }) },
        ),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('restrict' as const, 'restrict' as const, 'lift' as const),
        who: fc.constantFrom('token' as const, 'boss' as const),
        set,
        nth,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('grant' as const),
        who: actor,
        set,
        to: fc.constantFrom('one' as const, 'two' as const),
        level: fc.constantFrom(...LEVELS),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('revoke' as const),
        who: actor,
        set,
        to: fc.constantFrom('one' as const, 'two' as const),
        nth,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        who: fc.constantFrom('token' as const, 'boss' as const),
        nth: fc.nat(),
      }),
    },
  )

  // The spec is long because the model, the requests and the checks share the state of one history.
  it('follows a small model on every read path after random changes', async () => {
    const spec = await openApp()
    const [one, two, boss] = [await spec.addUser('one'), await spec.addUser('two'), await spec.addUser('boss', 'admin')]
    const sends: Record<ActorName, Send> = {
      nobody: spec.sendWithToken('unknown'),
      reader: spec.sendAs('read'),
      writer: spec.sendAs('write'),
      token: spec.sendAs('admin'),
      one: one.send,
      two: two.send,
      boss: boss.send,
    }
    const SCOPE: Record<ActorName, number> = { nobody: 0, reader: 1, writer: 2, token: 3, one: 2, two: 2, boss: 3 }
    const seesAll = (name: ActorName) => name === 'token' || name === 'boss'
    const outcomes = new Map<string, number>()
    let round = 0

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }), async (steps) => {
        const prefix = `m${round++}-`
        const restricted = new Map<string, Set>()
        const grants = new Map<string, Set & { readonly to: ActorName; readonly level: Level }>()
        const runs = new Map<string, Run>()
        const keyOf = (...parts: ReadonlyArray<string | null>) => JSON.stringify(parts)
        const covers = (row: Set, runSet: { project: string | null; suite: string | null }) =>
          row.project === runSet.project && (row.suite === null || row.suite === runSet.suite)
        const levelOf = (name: ActorName, runSet: { project: string | null; suite: string | null }): number => {
          if (seesAll(name)) return 2
          const granted = [...grants.values()]
            .filter((row) => row.to === name && covers(row, runSet))
            .map(({ level }) => LEVELS.indexOf(level))
          return Math.max(-1, ...granted, [...restricted.values()].some((row) => covers(row, runSet)) ? -1 : 1)
        }
        const pathOf = ({ project, suite }: Set) =>
          `/sets/${prefix}${project}${suite === null ? '' : `/suites/${suite}`}`
        const visibleRuns = (name: ActorName) =>
          [...runs.values()].filter((run) => levelOf(name, run) >= 0).sort((a, b) => (a.id < b.id ? -1 : 1))
        const pick = <T>(rows: ReadonlyMap<string, T>, index: number | null) =>
          index === null ? undefined : [...rows.values()][index % Math.max(1, rows.size)]
        const ids = (items: ReadonlyArray<{ id: string }>) =>
          items
            .map(({ id }) => id)
            .filter((id) => id.startsWith(prefix))
            .sort()

        for (const [n, drawn] of steps.entries()) {
          const send = sends[drawn.who]
          let answer: SpecResponse
          let expected: number
          if (drawn.do === 'upload') {
            const id = `${prefix}${n}`
            const { project, suite } = drawn.set
            const cases = [aCase({ output: `needle ${prefix}` })]
            answer = await send('POST', '/runs', {
              headers: json,
              body: JSON.stringify(aDocument({ run_id: id, project: project && prefix + project, suite, cases })),
            })
            expected =
              SCOPE[drawn.who] === 0 ? 401 : SCOPE[drawn.who] < 2 ? 403 : levelOf(drawn.who, drawn.set) >= 1 ? 201 : 403
            if (expected === 201) runs.set(id, { id, project, suite })
          } else if (drawn.do === 'delete') {
            const id = [...runs.keys()][drawn.nth % Math.max(1, runs.size)] ?? 'none'
            answer = await send('DELETE', `/runs/${id}`)
            expected = runs.delete(id) ? 204 : 404
          } else if (!('to' in drawn)) {
            const target = (drawn.do === 'lift' ? pick(restricted, drawn.nth) : null) ?? drawn.set
            const key = keyOf(target.project, target.suite)
            answer = await send(drawn.do === 'restrict' ? 'PUT' : 'DELETE', `${pathOf(target)}/restriction`)
            expected = drawn.do === 'restrict' || restricted.has(key) ? 204 : 404
            if (drawn.do === 'restrict') restricted.set(key, target)
            else restricted.delete(key)
          } else {
            const { to, ...target } = (drawn.do === 'revoke' ? pick(grants, drawn.nth) : null) ?? {
              ...drawn.set,
              to: drawn.to,
            }
            const key = keyOf(target.project, target.suite, to)
            const path = `${pathOf(target)}/grants/${to}`
            answer =
              drawn.do === 'grant'
                ? await send('PUT', path, { headers: json, body: JSON.stringify({ level: drawn.level }) })
                : await send('DELETE', path)
            const passes =
              SCOPE[drawn.who] === 0 ? 401 : SCOPE[drawn.who] < 2 ? 403 : levelOf(drawn.who, target) >= 2 ? 204 : 404
            expected = passes === 204 && drawn.do === 'revoke' && !grants.has(key) ? 404 : passes
            if (expected === 204 && drawn.do === 'grant')
              grants.set(key, { ...drawn.set, to: drawn.to, level: drawn.level })
            if (expected === 204 && drawn.do === 'revoke') grants.delete(key)
          }
          expect(answer.statusCode, `${JSON.stringify(drawn)}: ${answer.body}`).toBe(expected)
          const outcome = `${drawn.do} ${expected}`
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

          for (const name of ACTORS.slice(1)) {
            const send = sends[name]
            const seen = visibleRuns(name)
            expect(
              ids((await send('GET', '/runs?limit=200')).json<{ runs: Array<{ id: string }> }>().runs),
              name,
            ).toEqual(ids(seen))
            const projects = (await send('GET', '/sets'))
              .json<{
                projects: Array<{ project: string; run_count: number; restricted: boolean; my_level: Level | null }>
              }>()
              .projects.filter(({ project }) => project.startsWith(prefix))
            const counted = Object.entries(
              Object.groupBy(
                seen.filter(({ project }) => project !== null),
                ({ project }) => String(project),
              ),
            )
            const ownLevel = (project: string) =>
              seesAll(name) ? null : (grants.get(keyOf(project, null, name))?.level ?? null)
            const expectedRows = counted.map(([project, projectRuns = []]) => ({
              project: prefix + project,
              run_count: projectRuns.length,
              restricted: restricted.has(keyOf(project, null)),
              my_level: ownLevel(project),
            }))
            expect(
              projects.map(({ project, run_count, restricted, my_level }) => ({
                project,
                run_count,
                restricted,
                my_level,
              })),
              name,
            ).toEqual(expectedRows.sort((a, b) => (a.project < b.project ? -1 : 1)))
          }
        }

        for (const name of ACTORS.slice(1)) {
          const send = sends[name]
          const seen = new Set(ids(visibleRuns(name)))
          for (const { id, project, suite } of runs.values()) {
            const status = seen.has(id) ? 200 : 404
            for (const part of ['', '/cases', '/matrix', '/config', '/export', `/compare/${id}`])
              expect((await send('GET', `/runs/${id}${part}`)).statusCode, `${name} ${id}${part}`).toBe(status)
            if (project !== null && suite !== null) {
              const inSuite = [...runs.values()].filter((run) => run.project === project && run.suite === suite).length
              const view = await send('GET', pathOf({ project, suite }))
              expect(view.statusCode).toBe(status)
              if (status === 200)
                expect(view.json()).toMatchObject({
                  run_count: inSuite,
                  restricted: [...restricted.values()].some((row) => covers(row, { project, suite })),
                })
              expect(
                (await send('GET', `/projects/${prefix}${project}/suites/${suite}/cases/${aCase().case_key}/history`))
                  .statusCode,
              ).toBe(status)
            }
          }
          const hits = (await send('GET', `/search?q=${encodeURIComponent(`needle ${prefix}`)}&limit=200`))
            .json<{ cases: Array<{ run_id: string }> }>()
            .cases.map(({ run_id }) => ({ id: run_id }))
          expect(ids(hits), name).toEqual([...seen])
        }
      }),
      { numRuns: runCount(20, 8) },
    )
    // Each kind of outcome happened at least once.
    for (const outcome of [
      'upload 201',
      'upload 403',
      'restrict 204',
      'lift 204',
      'grant 204',
      'grant 404',
      'revoke 204',
      'revoke 404',
      'delete 204',
    ])
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0)
    await spec.close()
  })
})

describe('concurrent changes', () => {
  const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

  it('follow the order of the log: after a restriction, only uploads with a grant are recorded', async () => {
    const spec = await openApp()
    const user = await spec.addUser('uploader')
    await spec.grant('uploader', 'upload', 'chat', 'smoke')
    const uploads: Array<Promise<SpecResponse>> = []
    const restricted: Array<Promise<SpecResponse>> = []
    for (let n = 0; n < 200; n++) {
      const send = n % 5 === 0 ? user.send : spec.sendAs('write')
      uploads.push(send('POST', '/runs', { headers: json, body: JSON.stringify(aDocument({ run_id: `race-${n}` })) }))
      // Wait until the first uploads are recorded on any storage: a restriction overtakes waiting uploads.
      if (n === 20) await Promise.all(uploads)
      if (n === 100) restricted.push(spec.sendAs('admin')('PUT', '/sets/chat/suites/smoke/restriction'))
      if (n % 4 === 0) await yieldToEventLoop()
    }
    const answers = await Promise.all(uploads)
    expect((await Promise.all(restricted)).map(({ statusCode }) => statusCode)).toEqual([204])
    const events = await eventsOf(spec)
    const { seq: since } = events.find(({ type }) => type === 'SetRestricted') ?? { seq: 0 }
    expect(since).toBeGreaterThan(0)
    const recorded = new Map(
      events.filter(({ type }) => type === 'RunIngested').map(({ stream, seq }) => [stream, seq]),
    )
    for (const [n, { statusCode }] of answers.entries()) {
      const seq = recorded.get(`run/race-${n}`)
      expect(statusCode).toBe(seq === undefined ? 403 : 201)
      if (n % 5 === 0) expect(statusCode).toBe(201)
      else if (seq !== undefined) expect(seq).toBeLessThan(since)
    }
    const countOf = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    expect(countOf(201)).toBeGreaterThan(40)
    expect(countOf(403)).toBeGreaterThan(0)
    await spec.close()
  })

  it('record each change of a grant once, and no change by an account that lost its level', async () => {
    const spec = await openApp()
    const manager = await spec.addUser('manager')
    await spec.addUser('member')
    await spec.grant('manager', 'manage', 'chat')
    const before = (await eventsOf(spec)).length
    const requests: Array<Promise<{ kind: 'grant' | 'revoke' | 'fall'; status: number }>> = []
    const track = (kind: 'grant' | 'revoke' | 'fall', response: ReturnType<Send>) =>
      requests.push(response.then(({ statusCode }) => ({ kind, status: statusCode })))
    for (let n = 0; n < 200; n++) {
      const send = n % 2 === 0 ? manager.send : spec.sendAs('admin')
      const path = '/sets/chat/grants/member'
      if (n % 3 === 0) track('revoke', send('DELETE', path))
      else
        track('grant', send('PUT', path, { headers: json, body: JSON.stringify({ level: LEVELS[n % LEVELS.length] }) }))
      if (n === 120) track('fall', spec.sendAs('admin')('DELETE', '/sets/chat/grants/manager'))
      if (n % 10 === 0) await yieldToEventLoop()
    }
    const answers = await Promise.all(requests)
    const events = (await eventsOf(spec)).slice(before).filter(({ stream }) => stream === 'access/chat')
    let granted: unknown = null
    let managerRevoked = false
    for (const { type, actor, data } of events) {
      expect(actor.user_id === 'manager' && managerRevoked).toBe(false)
      if (data['user_id'] === 'manager') {
        managerRevoked = true
        continue
      }
      const next = type === 'AccessGranted' ? data['level'] : null
      // A request that changes nothing is not recorded.
      expect(next).not.toBe(granted)
      granted = next
    }
    expect(managerRevoked).toBe(true)
    const count = (kind: string, status: number) =>
      answers.filter((answer) => answer.kind === kind && answer.status === status).length
    expect(count('revoke', 204)).toBe(
      events.filter(({ type, data }) => type === 'AccessRevoked' && data['user_id'] === 'member').length,
    )
    expect(count('revoke', 204) + count('revoke', 404)).toBe(67)
    expect(count('grant', 204) + count('grant', 404)).toBe(133)
    expect(count('grant', 404)).toBeGreaterThan(0)
    const list = (await spec.sendWithToken(TOKENS.admin)('GET', '/sets/chat/access')).json<{
      grants: Array<{ level: string }>
    }>()
    expect(list.grants.map(({ level }) => level)).toEqual(granted === null ? [] : [granted])
    await spec.close()
  })
})
