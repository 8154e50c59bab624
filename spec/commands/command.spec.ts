import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../commands/command.ts'
import { cacheEntryDeleted } from '../../commands/service/events.ts'
import { CLI, SYSTEM, type Scope, type Viewer } from '../../queries/access/viewer.ts'
import { findCurrentAccess } from '../../queries/access/current-access.ts'
import { createPeople, viewerOf, type Person } from '../support/access/accounts.ts'
import { openApp, type SpecApp } from '../support/servers/app.ts'
import { given } from '../support/decisions.ts'
import { aDocument } from '../support/documents/documents.ts'
import { admin, member } from '../support/access/viewers.ts'

const done = cacheEntryDeleted('s', { key: 'k' })
const commandOf = (viewer: Viewer) => command(viewer, { facts: {}, decide: () => [done] })
const session = (needed: Scope | null, sees_all = false): Viewer =>
  viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, needed, sees_all)

describe('a command of an account', () => {
  it('runs while the account has the required scope', () => {
    given({ currentAccess: { scope: 'write', sees_all: false } })
      .when(commandOf(session('write')))
      .then(done)
    given({ currentAccess: { scope: 'admin', sees_all: true } })
      .when(commandOf(session('read')))
      .then(done)
    given({ currentAccess: { scope: 'read', sees_all: false } })
      .when(commandOf(session(null)))
      .then(done)
  })

  it.each<Scope | null>(['read', 'write', 'admin', null])(
    'is refused if its credential was deleted and %s was required',
    (needed) =>
      given({ currentAccess: { scope: null, sees_all: false } })
        .when(commandOf(session(needed)))
        .refused('unauthenticated', 'authentication required'),
  )

  it('is refused if the scope is now below the required one', () => {
    given({ currentAccess: { scope: 'read', sees_all: false } })
      .when(commandOf(session('write')))
      .refused('forbidden', 'insufficient scope: write is needed')
    given({ currentAccess: { scope: 'write', sees_all: false } })
      .when(commandOf(session('admin')))
      .refused('forbidden', 'insufficient scope')
  })

  it('is refused if the account no longer sees everything', () =>
    given({ currentAccess: { scope: 'write', sees_all: false } })
      .when(commandOf(session('write', true)))
      .refused('forbidden', 'the role of this account was changed'))

  it('reads no access of viewers without an account', () => {
    for (const viewer of [SYSTEM, CLI, member, admin]) given({}).when(commandOf(viewer)).then(done)
  })
})

describe('the current access of a viewer', () => {
  let spec: SpecApp
  let people: Awaited<ReturnType<typeof createPeople>>
  beforeAll(async () => {
    spec = await openApp()
    people = await createPeople(spec)
  })
  afterAll(() => spec.close())

  const sessionOf = async ({ id }: Person): Promise<string> =>
    String((await spec.column('SELECT id FROM sessions WHERE user_id = $1', [id]))[0])
  const currentAccess = (viewer: Viewer) => spec.service.reader.read(findCurrentAccess(viewer))
  const lost = { scope: null, sees_all: false }

  it('is fixed for viewers without an account', async () => {
    expect(await currentAccess(admin)).toEqual({ scope: 'admin', sees_all: true })
    expect(await currentAccess(member)).toEqual({ scope: 'write', sees_all: false })
    expect(await currentAccess({ ...member, actor: { ...member.actor, kind: 'anonymous', scope: null } })).toEqual(lost)
  })

  it('follows the role of an account and the scope of a key', async () => {
    const ada = await people.person('ada', 'member')
    const { id: credential_id } = await people.mint(ada, { scope: 'write' })
    const bySession = viewerOf({ kind: 'session', credential_id: await sessionOf(ada), user_id: ada.id }, null)
    const byKey = viewerOf({ kind: 'apikey', credential_id, user_id: ada.id }, null)
    for (const [change, sessionAccess, keyAccess] of [
      [{ role: 'admin' }, { scope: 'admin', sees_all: true }, { scope: 'write', sees_all: true }],
      [{ role: 'viewer' }, { scope: 'read', sees_all: false }, { scope: 'read', sees_all: false }],
      [{ disabled: true }, lost, lost],
      [
        { disabled: false, role: 'member' },
        { scope: 'write', sees_all: false },
        { scope: 'write', sees_all: false },
      ],
    ] as const) {
      await people.change(ada.id, change)
      expect([await currentAccess(bySession), await currentAccess(byKey)]).toEqual([sessionAccess, keyAccess])
    }
    // A credential of another account or of another kind gives no access.
    expect(await currentAccess({ ...byKey, actor: { ...byKey.actor, user_id: people.root.id } })).toEqual(lost)
    expect(await currentAccess({ ...byKey, actor: { ...byKey.actor, kind: 'session' } })).toEqual(lost)
    expect(await currentAccess({ ...bySession, actor: { ...bySession.actor, kind: 'apikey' } })).toEqual(lost)
    await people.ask('DELETE', `/apikeys/${credential_id}`, { token: ada.token })
    expect([await currentAccess(bySession), await currentAccess(byKey)]).toEqual([
      { scope: 'write', sees_all: false },
      lost,
    ])
    await people.ask('POST', '/auth/logout', { token: ada.token })
    expect(await currentAccess(bySession)).toEqual(lost)
  })

  it('is read again under the lock by every command, heavy ones too', async () => {
    const { service } = spec
    const bob = await people.person('bob', 'admin')
    const viewer = viewerOf(
      { kind: 'session', credential_id: await sessionOf(bob), user_id: bob.id, scope: 'admin' },
      'write',
      true,
    )
    const upload = (run_id: string) =>
      service.commit.ingestRun(viewer, {
        body: Buffer.from(JSON.stringify(aDocument({ run_id, project: 'locked' }))),
        encoding: null,
      })
    const document = aDocument({ run_id: 'one', project: 'locked' })
    await spec.restrict('locked')
    expect(await upload('one')).toMatchObject({ created: true })
    await people.change(bob.id, { role: 'member' })
    await expect(upload('two')).rejects.toMatchObject({ reason: 'forbidden' })
    await expect(
      service.commit.deleteRun({ ...viewer, needed: null }, { run_id: document.run_id }),
    ).rejects.toMatchObject({ reason: 'forbidden' })
    await people.change(bob.id, { role: 'viewer' })
    await expect(
      service.commit.pinBaseline(viewer, { project: 'locked', suite: 'smoke', run_id: 'one' }),
    ).rejects.toMatchObject({ reason: 'forbidden', message: 'insufficient scope: write is needed' })
    await people.change(bob.id, { disabled: true })
    // The response does not reveal that these bytes are stored already.
    await expect(upload('one')).rejects.toMatchObject({ reason: 'unauthenticated' })
    await expect(
      service.commit.mintKey(
        { ...viewer, needed: 'read' },
        { at: 0, key_id: 'k', name: null, scope: null, prefix: '', secret_hash: '' },
      ),
    ).rejects.toMatchObject({ reason: 'unauthenticated' })
  })
})
