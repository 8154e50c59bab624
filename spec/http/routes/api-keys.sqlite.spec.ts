import { describe, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { appOpenerWithAccounts } from '../../support/servers/opening-apps.ts'

const open = appOpenerWithAccounts()

type KeyList = {
  readonly keys: ReadonlyArray<{
    readonly id: string
    readonly name: string | null
    readonly last_used_at: string | null
    readonly revoked: boolean
  }>
}

describe('minting an API key', () => {
  it('shows the secret once, and stores its digest and its first characters', async () => {
    const { spec, ask, root } = await open({ now: () => Date.UTC(2026, 4, 4, 9) })
    const answer = await ask('POST', '/apikeys', { token: root.token, body: { name: 'ci', scope: 'write' } })
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['cache-control']).toBe('no-store')
    const { key, ...minted } = answer.json<{ key: string; id: string; prefix: string }>()
    expect(key).toMatch(/^service_[0-9a-f]{64}$/)
    expect(minted).toEqual({
      id: minted.id,
      name: 'ci',
      prefix: key.slice(0, 12),
      scope: 'write',
      created_at: '2026-05-04T09:00:00+00:00',
      last_used_at: null,
      expires_at: null,
      project: null,
      suite: null,
      revoked: false,
    })
    const list = await ask('GET', '/apikeys', { token: root.token })
    expect(list.json()).toEqual({ keys: [minted] })
    expect(list.body).not.toContain(root.id)
    const everything = [
      ...(await spec.column('SELECT secret_hash FROM key_secrets')),
      ...(await spec.column('SELECT body FROM event_bodies')),
    ].join()
    expect(everything).not.toContain(key.slice(12))
    expect(everything).not.toContain('"ci"')
  })

  it("defaults to the caller's own scope and never exceeds it", async () => {
    const { ask, root, person, mint } = await open()
    const [ada, vic] = [await person('ada', 'member'), await person('vic', 'viewer')]
    for (const [account, ownScope, higherScope] of [
      [root, 'admin', null],
      [ada, 'write', 'admin'],
      [vic, 'read', 'write'],
    ] as const) {
      expect((await mint(account)).scope).toBe(ownScope)
      expect((await mint(account, { scope: 'read' })).scope).toBe('read')
      if (higherScope === null) continue
      const answer = await ask('POST', '/apikeys', { token: account.token, body: { scope: higherScope } })
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        403,
        expect.stringContaining("exceeds the caller's own"),
      ])
    }
  })

  it('with a key never exceeds the scope of that key', async () => {
    const { ask, root, mint } = await open()
    const { key } = await mint(root, { scope: 'read' })
    expect((await ask('POST', '/apikeys', { token: key, body: {} })).json()).toMatchObject({ scope: 'read' })
    expect((await ask('POST', '/apikeys', { token: key, body: { scope: 'write' } })).statusCode).toBe(403)
  })

  it('checks its fields, which can be omitted or null', async () => {
    const { ask, root } = await open()
    for (const body of [{}, { name: null, scope: null }, { name: '' }])
      expect((await ask('POST', '/apikeys', { token: root.token, body })).statusCode).toBe(201)
    for (const [field, body] of [
      ['scope', { scope: 'owner' }],
      ['name', { name: 7 }],
      ['name', { name: 'x'.repeat(401) }],
      ['key', { key: 'mine' }],
    ] as const) {
      const answer = await ask('POST', '/apikeys', { token: root.token, body })
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([422, expect.stringContaining(field)])
    }
  })
})

describe('the live keys of an account', () => {
  const mintMany = async (ask: Awaited<ReturnType<typeof open>>['ask'], token: string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => ask('POST', '/apikeys', { token, body: { name: `key ${n}` } })),
    )
    return Object.groupBy(answers, ({ statusCode }) => (statusCode === 201 ? 'created' : 'refused'))
  }

  it('are limited to a hundred, also for concurrent requests', async () => {
    const { ask, root, person } = await open()
    const vic = await person('vic', 'viewer')
    const { created = [], refused = [] } = await mintMany(ask, vic.token, 130)
    expect([created.length, refused.length]).toEqual([100, 30])
    for (const answer of refused)
      expect([answer.statusCode, answer.json()]).toEqual([
        409,
        { error: 'an account has at most 100 live API keys: revoke one first' },
      ])
    // Another account has its own limit.
    expect((await ask('POST', '/apikeys', { token: root.token, body: {} })).statusCode).toBe(201)
    // A revoked key allows exactly one new key.
    await ask('DELETE', `/apikeys/${created[0]?.json<{ id: string }>().id}`, { token: vic.token })
    const again = await mintMany(ask, vic.token, 2)
    expect([again.created?.length, again.refused?.length]).toEqual([1, 1])
  })

  it('are all listed, with the hundred newest revoked keys', async () => {
    let now = Date.UTC(2026, 4, 4, 9)
    const { ask, person, mint } = await open({ now: () => now })
    const ada = await person('ada', 'member')
    const oldest = await mint(ada)
    const revoked: string[] = []
    for (const count of [3, 60, 40]) {
      now += 1000
      const { created = [] } = await mintMany(ask, ada.token, count)
      const ids = created.map((answer) => answer.json<{ id: string }>().id)
      await Promise.all(ids.map((id) => ask('DELETE', `/apikeys/${id}`, { token: ada.token })))
      revoked.unshift(...ids.toSorted().reverse())
    }
    now += 1000
    const newest = await mint(ada)
    const { keys } = (await ask('GET', '/apikeys', { token: ada.token })).json<KeyList>()
    expect(keys.map(({ id }) => id)).toEqual([newest.id, ...revoked.slice(0, 100), oldest.id])
    expect(keys.filter((key) => key.revoked)).toHaveLength(100)
    // A revoked key that is no longer listed can still be revoked again.
    expect((await ask('DELETE', `/apikeys/${revoked.at(-1)}`, { token: ada.token })).statusCode).toBe(204)
  })
})

describe('API keys', () => {
  it('are listed only to their owner, newest first, including revoked ones', async () => {
    const { ask, root, person, mint } = await open()
    const ada = await person('ada', 'member')
    const names = ['first', 'second', 'third']
    const ids = []
    for (const name of names) ids.push((await mint(ada, { name })).id)
    await mint(root, { name: 'not hers' })
    expect((await ask('DELETE', `/apikeys/${ids[1]}`, { token: ada.token })).statusCode).toBe(204)
    const { keys } = (await ask('GET', '/apikeys', { token: ada.token })).json<KeyList>()
    expect(keys.map(({ name, revoked }) => [name, revoked])).toEqual([
      ['third', false],
      ['second', true],
      ['first', false],
    ])
  })

  it('can be revoked repeatedly by their owner or by an admin, with immediate effect', async () => {
    const { spec, ask, root, person, mint } = await open()
    const [ada, vic] = [await person('ada', 'member'), await person('vic', 'viewer')]
    const hers = await mint(ada)
    expect((await ask('GET', '/runs', { token: hers.key })).statusCode).toBe(200)
    const foreign = await ask('DELETE', `/apikeys/${hers.id}`, { token: vic.token })
    expect([foreign.statusCode, foreign.body]).toEqual([403, '{"error":"not your api key"}'])
    // The role decides, not the scope: an admin's read key is enough.
    const weak = await mint(root, { scope: 'read' })
    for (const token of [weak.key, ada.token, root.token]) {
      expect((await ask('DELETE', `/apikeys/${hers.id}`, { token })).statusCode).toBe(204)
      expect((await ask('GET', '/runs', { token: hers.key })).statusCode).toBe(401)
    }
    expect(await spec.column("SELECT count(*) FROM events WHERE type = 'KeyRevoked'")).toEqual([1])
    const unknown = await ask('DELETE', '/apikeys/none', { token: vic.token })
    expect([unknown.statusCode, unknown.body]).toEqual([404, '{"error":"api key not found"}'])
    // A viewer can revoke its own key with the read scope.
    const own = await mint(vic)
    expect((await ask('DELETE', `/apikeys/${own.id}`, { token: own.key })).statusCode).toBe(204)
    expect((await ask('DELETE', `/apikeys/${own.id}`, { token: own.key })).statusCode).toBe(401)
  })

  it('act for their account: their uploads belong to its owner', async () => {
    const { ask, person, mint, root } = await open()
    const ada = await person('ada', 'member')
    const { key } = await mint(ada, { name: 'ci' })
    expect((await ask('POST', '/runs', { token: key, body: aDocument({ run_id: 'x' }) })).statusCode).toBe(201)
    expect((await ask('GET', '/runs/x', { token: root.token })).json()).toMatchObject({ uploaded_by: 'ada' })
  })
})

describe('the last use of a key', () => {
  it('is written by the first use that a process sees, then at most once a minute', async () => {
    let now = Date.UTC(2026, 4, 4, 9)
    const { spec, ask, root, mint } = await open({ now: () => now })
    const { id, key } = await mint(root)
    // The update is written by the time the next command has finished.
    const lastUsedAt = async () => {
      await mint(root)
      return (await ask('GET', '/apikeys', { token: root.token }))
        .json<KeyList>()
        .keys.find((listed) => listed.id === id)?.last_used_at
    }
    expect(await lastUsedAt()).toBeNull()
    const events = () => spec.column("SELECT count(*) FROM events WHERE type <> 'KeyMinted'")
    const before = await events()
    await ask('GET', '/runs', { token: key })
    expect(await lastUsedAt()).toBe('2026-05-04T09:00:00+00:00')
    now += 59_999
    await ask('GET', '/runs', { token: key })
    expect(await lastUsedAt()).toBe('2026-05-04T09:00:00+00:00')
    now += 1
    await ask('GET', '/runs', { token: key })
    expect(await lastUsedAt()).toBe('2026-05-04T09:01:00+00:00')
    // Uses are not recorded as events.
    expect(await events()).toEqual(before)
  })

  it('is not written for a revoked key', async () => {
    const { spec, ask, root, mint } = await open()
    const { id, key } = await mint(root)
    await ask('DELETE', `/apikeys/${id}`, { token: root.token })
    await ask('GET', '/runs', { token: key })
    await mint(root)
    expect(await spec.column(`SELECT count(*) FROM credential_uses WHERE credential_id = '${id}'`)).toEqual([0])
  })
})
