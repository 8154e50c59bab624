import { describe, expect, it } from 'vitest'
import type { SavedView } from '../../../../queries/views.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'

const open = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4, 9)
const view = { name: 'Failing', path: '/runs', query: 'suite=smoke&status=fail', pinned: true }

describe('a saved view', () => {
  it('is saved, listed, changed, moved and deleted', async () => {
    let now = T0
    const { spec, ask, root } = await open({ now: () => now })
    const { token } = root
    const list = async () => (await ask('GET', '/views', { token })).json<{ views: SavedView[] }>().views
    expect(await list()).toEqual([])
    const events = await spec.column('SELECT count(*) FROM events')
    const created = await ask('POST', '/views', { token, body: { ...view, name: ' Failing ' } })
    expect(created.statusCode).toBe(201)
    const first = created.json<SavedView>()
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      ...view,
      position: 1,
      created_at: '2026-05-04T09:00:00+00:00',
      updated_at: '2026-05-04T09:00:00+00:00',
      shared_at: null,
    })
    const second = (await ask('POST', '/views', { token, body: { name: 'All', path: '/' } })).json<SavedView>()
    expect(second).toMatchObject({ query: '', pinned: false, position: 2 })
    expect(await list()).toEqual([first, second])
    now += 60_000
    const moved = await ask('PATCH', `/views/${second.id}`, { token, body: { position: 0.5, name: 'Every run' } })
    expect([moved.statusCode, moved.json<SavedView>()]).toEqual([
      200,
      { ...second, name: 'Every run', position: 0.5, updated_at: '2026-05-04T09:01:00+00:00' },
    ])
    expect((await list()).map(({ name }) => name)).toEqual(['Every run', 'Failing'])
    const unchanged = await ask('PATCH', `/views/${first.id}`, { token, body: {} })
    expect([unchanged.statusCode, unchanged.json<SavedView>()]).toEqual([200, first])
    await ask('PATCH', `/views/${first.id}`, { token, body: { pinned: false, query: '', path: '/projects' } })
    expect((await list())[1]).toMatchObject({ pinned: false, query: '', path: '/projects' })
    expect((await ask('DELETE', `/views/${first.id}`, { token })).statusCode).toBe(204)
    expect((await ask('DELETE', `/views/${first.id}`, { token })).body).toBe('{"error":"saved view not found"}')
    expect((await list()).map(({ id }) => id)).toEqual([second.id])
    // The log keeps none of it.
    expect(await spec.column('SELECT count(*) FROM events')).toEqual(events)
  })

  it('is visible to its owner alone, by a session or a key, and unknown to an admin', async () => {
    const { ask, root, person, mint } = await open()
    const ada = await person('ada', 'viewer')
    const { id } = (await ask('POST', '/views', { token: ada.token, body: view })).json<SavedView>()
    const { key } = await mint(ada)
    expect((await ask('GET', '/views', { token: key })).json()).toMatchObject({ views: [{ id }] })
    expect((await ask('GET', '/views', { token: root.token })).json()).toEqual({ views: [], shared: [] })
    for (const [method, body] of [
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      const hidden = await ask(method, `/views/${id}`, { token: root.token, ...(body ? { body } : {}) })
      const absent = await ask(method, '/views/none', { token: root.token, ...(body ? { body } : {}) })
      expect([hidden.statusCode, hidden.body]).toEqual([404, '{"error":"saved view not found"}'])
      expect([absent.statusCode, absent.body]).toEqual([404, '{"error":"saved view not found"}'])
    }
    expect((await ask('GET', '/views', { token: ada.token })).json()).toMatchObject({ views: [{ id, ...view }] })
  })

  it('is offered as a file', async () => {
    const { ask, root } = await open()
    await ask('POST', '/views', { token: root.token, body: view })
    const plain = await ask('GET', '/views', { token: root.token })
    const file = await ask('GET', '/views?format=json', { token: root.token })
    expect(plain.headers['content-disposition']).toBeUndefined()
    expect(file.headers['content-disposition']).toBe('attachment; filename="saved-views.json"')
    expect(file.body).toBe(plain.body)
    expect((await ask('GET', '/views?format=csv', { token: root.token })).statusCode).toBe(400)
  })

  it('is refused with 400 for unfit values, and with 422 for another shape', async () => {
    const { ask, root } = await open()
    const { id } = (await ask('POST', '/views', { token: root.token, body: view })).json<SavedView>()
    const answers = async (fields: object) =>
      Promise.all([
        ask('POST', '/views', { token: root.token, body: { ...view, ...fields } }),
        ask('PATCH', `/views/${id}`, { token: root.token, body: fields }),
      ])
    for (const [field, value] of [
      ['name', ' '],
      ['name', 'x'.repeat(101)],
      ['path', 'runs'],
      ['path', '//elsewhere.example'],
      ['path', '/\\elsewhere.example'],
      ['path', '/runs?x=1'],
      ['path', `/${'x'.repeat(2000)}`],
      ['query', '?x=1'],
      ['query', 'x#y'],
      ['query', 'x'.repeat(4001)],
    ] as const)
      for (const answer of await answers({ [field]: value }))
        expect([answer.statusCode, answer.json<{ error: string }>().error], value).toEqual([
          400,
          expect.stringContaining(field),
        ])
    for (const [field, value] of [
      ['name', 'a\ud800'],
      ['query', 'a\0'],
      ['query', 'a\nb'],
      ['name', 'a\u0085b'],
      ['path', '/\t/elsewhere.example'],
      ['path', '/runs/../api/v1/auth/logout'],
      ['path', '/runs/%2E%2e/x'],
      ['path', '/.'],
      ['path', '/runs/..'],
      ['pinned', 'yes'],
      ['more', 1],
    ] as const)
      for (const answer of await answers({ [field]: value }))
        expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
          422,
          expect.stringContaining(field),
        ])
    for (const position of [1e308, -1e308, 2 ** 53]) {
      const answer = await ask('PATCH', `/views/${id}`, { token: root.token, body: { position } })
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        422,
        expect.stringContaining('position'),
      ])
    }
    expect((await ask('GET', '/views', { token: root.token })).json()).toMatchObject({ views: [{ id, ...view }] })
    for (const path of ['/runs/..x', '/runs/.hidden', '/runs/a%2e'])
      expect((await ask('POST', '/views', { token: root.token, body: { ...view, path } })).statusCode).toBe(201)
  })

  it('is one of at most 200, even if many are saved concurrently', async () => {
    const { ask, root, person } = await open()
    const save = (token: string) => ask('POST', '/views', { token, body: view })
    const answers = await Promise.all(Array.from({ length: 205 }, () => save(root.token)))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(200)
    const [refused] = answers.filter(({ statusCode }) => statusCode !== 201)
    expect([refused?.statusCode, refused?.body]).toEqual([
      409,
      '{"error":"an account has at most 200 saved views: delete one first"}',
    ])
    const positions = (await ask('GET', '/views', { token: root.token }))
      .json<{ views: SavedView[] }>()
      .views.map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
    expect((await save((await person('ada', 'viewer')).token)).statusCode).toBe(201)
  })
})
