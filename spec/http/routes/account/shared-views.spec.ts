import { describe, expect, it } from 'vitest'
import type { SavedView, SharedView } from '../../../../queries/views.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'

const open = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4, 9)

/** Addresses that only those find who see the restricted suite `half/dark`, the restricted project `vault`, or what it has. */
const HIDDEN = [
  ['/projects/half/suites/dark', ''],
  ['/projects/half/suites/dark/cases/x', ''],
  ['/runs', 'project=half&suite=dark'],
  ['/runs', 'suite=dark'],
  ['/runs/dark-run', ''],
  ['/runs/dark-run/cases/x', ''],
  ['/compare/seen/dark-run', ''],
  ['/compare/dark-run/seen', ''],
  ['/compare', 'runs=seen,dark-run&base=seen'],
  ['/compare/outputs/t', 'runs=seen,dark-run'],
  ['/runs', 'select=seen&select=dark-run'],
  ['/projects/vault', ''],
  ['/runs', 'project=vault'],
  ['/projects/buried', ''],
  ['/admin/access', ''],
] as const
const SEEN = [
  ['/', ''],
  ['/runs', 'status=fail'],
  ['/runs', 'project=half&suite=light'],
  ['/runs', 'project=half'],
  ['/projects/half', ''],
  ['/runs/seen', ''],
  ['/compare/seen/seen-too', ''],
  ['/projects/none', ''],
] as const

const opened = async () => {
  let now = T0
  const app = await open({ now: () => now })
  const { spec, ask, root, person } = app
  for (const [run_id, project, suite] of [
    ['seen', 'half', 'light'],
    ['seen-too', 'half', 'light'],
    ['dark-run', 'half', 'dark'],
    ['vault-run', 'vault', 's'],
    ['buried-run', 'buried', 's'],
  ] as const)
    await spec.ingest(aDocument({ run_id, project, suite }), { caller: 'admin' })
  for (const path of ['/sets/half/suites/dark', '/sets/vault', '/sets/buried/suites/s'])
    await spec.sendAs('admin')('PUT', `${path}/restriction`)
  const [ada, ben] = [await person('ada', 'viewer'), await person('ben', 'viewer')]
  const save = async (token: string, path: string, query = '', name = `${path}?${query}`): Promise<SavedView> =>
    (await ask('POST', '/views', { token, body: { name, path, query } })).json<SavedView>()
  const share = (token: string, id: string, shared = true) => ask('PATCH', `/views/${id}`, { token, body: { shared } })
  const list = async (token: string) =>
    (await ask('GET', '/views', { token })).json<{ views: SavedView[]; shared: SharedView[] }>()
  return { ...app, root, ada, ben, save, share, list, pass: (ms: number) => void (now += ms) }
}

describe('a shared view', () => {
  it('is listed for others with who shared it and when, until its owner ends it', async () => {
    const { ada, ben, save, share, list, ask, pass } = await opened()
    const { id } = await save(ada.token, '/runs', 'status=fail', 'Failing')
    expect((await list(ben.token)).shared).toEqual([])
    expect((await share(ada.token, id)).json()).toMatchObject({ id, shared_at: '2026-05-04T09:00:00+00:00' })
    pass(60_000)
    // It is shared already.
    expect((await share(ada.token, id)).json()).toMatchObject({ shared_at: '2026-05-04T09:00:00+00:00' })
    const shared = {
      id,
      name: 'Failing',
      path: '/runs',
      query: 'status=fail',
      shared_by: 'ada',
      shared_at: '2026-05-04T09:00:00+00:00',
    }
    expect(await list(ben.token)).toEqual({ views: [], shared: [shared] })
    expect(await list(ada.token)).toMatchObject({ views: [{ id }], shared: [] })
    for (const [method, body] of [
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const)
      expect((await ask(method, `/views/${id}`, { token: ben.token, ...(body ? { body } : {}) })).statusCode).toBe(404)
    expect((await share(ada.token, id, false)).json()).toMatchObject({ shared_at: null })
    expect((await list(ben.token)).shared).toEqual([])
  })

  it('is removed from the list of all by an admin, and kept by its owner', async () => {
    const { root, ada, ben, save, share, list, ask } = await opened()
    const { id } = await save(ada.token, '/runs')
    expect((await ask('DELETE', `/views/${id}`, { token: root.token })).statusCode).toBe(404)
    await share(ada.token, id)
    expect((await ask('DELETE', `/views/${id}`, { token: root.token })).statusCode).toBe(204)
    expect((await list(ben.token)).shared).toEqual([])
    expect((await list(ada.token)).views).toMatchObject([{ id, shared_at: null }])
    expect((await ask('DELETE', `/views/${id}`, { token: root.token })).statusCode).toBe(404)
  })

  it('is found only by those who see all that its address names', async () => {
    const { root, ben, save, share, list, spec, ask } = await opened()
    for (const [path, query] of [...HIDDEN, ...SEEN]) {
      const { id } = await save(root.token, path, query)
      expect((await share(root.token, id)).statusCode).toBe(200)
    }
    const found = async () => (await list(ben.token)).shared.map(({ name }) => name).toSorted()
    expect(await found()).toEqual(SEEN.map(([path, query]) => `${path}?${query}`).toSorted())
    const grant = await spec.sendAs('admin')('PUT', `/sets/half/suites/dark/grants/${ben.id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ level: 'view' }),
    })
    expect(grant.statusCode).toBe(204)
    expect((await found()).length).toBe(SEEN.length + 11)
    // A view of a run that was deleted is as absent as one of a hidden run.
    await ask('DELETE', '/runs/seen', { token: root.token })
    expect(await found()).not.toContain('/runs/seen?')
  })

  it('is listed however many newer ones are hidden', async () => {
    const { root, ada, ben, save, share, list, pass } = await opened()
    const shareMany = async (token: string, path: string, n: number) => {
      for (let i = 0; i < n; i++) await share(token, (await save(token, path, '', `${path} ${i}`)).id)
    }
    await shareMany(ada.token, '/runs/seen', 2)
    pass(60_000)
    await shareMany(root.token, '/runs/dark-run', 200)
    const { shared } = await list(ben.token)
    expect(shared.map(({ name }) => name).toSorted()).toEqual(['/runs/seen 0', '/runs/seen 1'])
  })

  it('is not removed from the list of all by an admin with a key that only reads', async () => {
    const { root, ada, save, share, list, ask } = await opened()
    const { id } = await save(ada.token, '/runs')
    await share(ada.token, id)
    const minted = await ask('POST', '/apikeys', { token: root.token, body: { scope: 'read' } })
    const { key } = minted.json<{ key: string }>()
    expect((await list(key)).shared).toHaveLength(1)
    expect((await ask('DELETE', `/views/${id}`, { token: key })).statusCode).toBe(404)
    expect((await list(key)).shared).toHaveLength(1)
  })

  it('is gone with the account of its owner', async () => {
    const { root, ada, ben, save, share, list, ask } = await opened()
    const { id } = await save(ada.token, '/runs')
    await share(ada.token, id)
    expect((await list(ben.token)).shared).toHaveLength(1)
    expect((await ask('DELETE', `/users/${ada.id}`, { token: root.token })).statusCode).toBe(204)
    expect((await list(ben.token)).shared).toEqual([])
  })

  it('that names more than fifty runs is listed for its owner alone', async () => {
    const { ada, ben, save, share, list } = await opened()
    const { id } = await save(ada.token, '/compare', `runs=${Array.from({ length: 51 }, () => 'seen').join(',')}`)
    await share(ada.token, id)
    expect((await list(ben.token)).shared).toEqual([])
  })
})
