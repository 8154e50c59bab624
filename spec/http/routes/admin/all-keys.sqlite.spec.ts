import { describe, expect, it } from 'vitest'
import type { AccountKeys } from '../../../../queries/access/all-keys.ts'
import { appOpenerWithAccounts } from '../../../support/servers/opening-apps.ts'

const open = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4, 9)
const MINUTE = 60_000

/**
 * Keys of three accounts, each made a minute after the one before it. The names that are searched for hold a full
 * stop: no key has one, so a search cannot find another key by chance.
 */
const openWithKeys = async () => {
  let now = T0
  const app = await open({ now: () => now })
  const { ask, root, person, mint, change } = app
  const [ada, ben] = [await person('Ada.L', 'member'), await person('ben', 'member')]
  const ids: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const [owner, name, scope] of [
    [root, 'deploy', 'admin'],
    [ada, 'ci.main', 'write'],
    [ada, undefined, 'read'],
    [ben, 'CI.main of ben', 'write'],
    [ben, 'old', 'write'],
  ] as const) {
    now += MINUTE
    const { id, key } = await mint(owner, { scope, ...(name === undefined ? {} : { name }) })
    ids[name ?? 'nameless'] = id
    secrets[name ?? 'nameless'] = key
  }
  now += MINUTE
  await ask('GET', '/runs', { token: secrets['ci.main'] ?? '' })
  now += MINUTE
  await ask('GET', '/runs', { token: secrets['deploy'] ?? '' })
  await ask('DELETE', `/apikeys/${ids['old']}`, { token: ben.token })
  await change(ben.id, { disabled: true })
  await change(ada.id, { role: 'viewer' })
  const read = async (query = ''): Promise<AccountKeys> => {
    const answer = await ask('GET', `/users/apikeys${query}`, { token: root.token })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<AccountKeys>()
  }
  const names = async (query = ''): Promise<Array<string | null>> => (await read(query)).keys.map(({ name }) => name)
  return { ...app, ada, ben, ids, secrets, read, names }
}

describe('the keys of all accounts', () => {
  it('are listed newest first, with their account, state and the scope that they reach', async () => {
    const { read, ids, ada, ben, root, secrets } = await openWithKeys()
    const found = await read()
    const minutes = (n: number): string => `2026-05-04T09:${String(n).padStart(2, '0')}:00+00:00`
    const prefixOf = (name: string): string => (secrets[name] ?? '').slice(0, 12)
    const base = { revoked: false, last_used_at: null, expires_at: null, project: null, suite: null }
    expect(found).toEqual({
      keys: [
        {
          ...base,
          id: ids['old'],
          name: 'old',
          prefix: prefixOf('old'),
          scope: 'write',
          created_at: minutes(5),
          revoked: true,
          user_id: ben.id,
          username: 'ben',
          role: 'member',
          state: 'revoked',
          effective_scope: 'write',
        },
        expect.objectContaining({ id: ids['CI.main of ben'], username: 'ben', state: 'disabled', revoked: false }),
        expect.objectContaining({ id: ids['nameless'], name: null, username: 'Ada.L', scope: 'read', state: 'usable' }),
        {
          ...base,
          id: ids['ci.main'],
          name: 'ci.main',
          prefix: prefixOf('ci.main'),
          scope: 'write',
          created_at: minutes(2),
          last_used_at: minutes(6),
          user_id: ada.id,
          username: 'Ada.L',
          role: 'viewer',
          state: 'usable',
          effective_scope: 'read',
        },
        expect.objectContaining({ id: ids['deploy'], user_id: root.id, effective_scope: 'admin' }),
      ],
      next_cursor: null,
      totals: { matching: 5, usable: 3, disabled: 1, expired: 0, revoked: 1 },
    })
    for (const secret of Object.values(secrets)) expect(JSON.stringify(found)).not.toContain(secret)
  })

  it('are filtered by text, account, scope, state and last use', async () => {
    const { read, names, ada, secrets } = await openWithKeys()
    expect(await names('?q=ci.main')).toEqual(['CI.main of ben', 'ci.main'])
    expect(await names('?q=ADA.')).toEqual([null, 'ci.main'])
    expect(await names(`?q=${(secrets['nameless'] ?? '').slice(0, 12)}`)).toContain(null)
    expect(await names('?q=no%20such')).toEqual([])
    expect(await names('?q=%00')).toEqual([])
    expect(await names('?q=')).toHaveLength(5)
    expect(await names(`?user_id=${ada.id}`)).toEqual([null, 'ci.main'])
    expect(await names('?scope=write')).toEqual(['old', 'CI.main of ben', 'ci.main'])
    expect(await names('?state=usable')).toEqual([null, 'ci.main', 'deploy'])
    expect(await names('?state=disabled')).toEqual(['CI.main of ben'])
    expect(await names('?state=revoked')).toEqual(['old'])
    expect(await names('?state=live')).toEqual(['CI.main of ben', null, 'ci.main', 'deploy'])
    expect(await names(`?unused_since=${T0 + 3 * MINUTE}`)).toEqual([])
    expect(await names(`?unused_since=${T0 + 4 * MINUTE}`)).toEqual([null])
    expect(await names(`?unused_since=${T0 + 7 * MINUTE}&state=usable`)).toEqual([null, 'ci.main'])
    expect((await read('?scope=write&state=usable')).totals).toEqual({
      matching: 1,
      usable: 3,
      disabled: 1,
      expired: 0,
      revoked: 1,
    })
  })

  it('are sorted; those without the value are last in both directions', async () => {
    const { names } = await openWithKeys()
    expect(await names('?order=asc')).toEqual(['deploy', 'ci.main', null, 'CI.main of ben', 'old'])
    expect(await names('?sort=used')).toEqual(['deploy', 'ci.main', 'old', 'CI.main of ben', null])
    expect(await names('?sort=used&order=asc')).toEqual(['ci.main', 'deploy', 'old', 'CI.main of ben', null])
    expect(await names('?sort=name&order=asc')).toEqual(['CI.main of ben', 'ci.main', 'deploy', 'old', null])
    expect(await names('?sort=name&order=desc')).toEqual(['old', 'deploy', 'ci.main', 'CI.main of ben', null])
    expect(await names('?sort=account&order=asc')).toEqual([null, 'ci.main', 'old', 'CI.main of ben', 'deploy'])
    expect(await names('?sort=account&order=desc')).toEqual(['deploy', 'old', 'CI.main of ben', null, 'ci.main'])
  })

  it('are read in pages, in every order', async () => {
    const { read } = await openWithKeys()
    for (const sort of ['created', 'used', 'account', 'name'])
      for (const order of ['asc', 'desc'])
        for (const limit of [1, 2, 3, 5]) {
          const asked = `?sort=${sort}&order=${order}`
          const all = await read(asked)
          const ids: string[] = []
          let cursor: string | null = null
          do {
            const found: AccountKeys = await read(
              `${asked}&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
            )
            expect(found.totals === null).toBe(cursor !== null)
            ids.push(...found.keys.map(({ id }) => id))
            cursor = found.next_cursor
          } while (cursor !== null)
          expect(ids, `${asked} ${limit}`).toEqual(all.keys.map(({ id }) => id))
        }
  })

  it('begin with the first page for text that is no cursor of this order', async () => {
    const { read } = await openWithKeys()
    const { keys } = await read('?limit=1')
    const { next_cursor } = await read('?limit=1&sort=name')
    const cursors = [
      next_cursor ?? '',
      'nonsense',
      ...[
        ['created', 'desc', 'text', 1, 'x'],
        ['created', 'desc', 1.5, 1, 'x'],
        ['created', 'desc', 1, 1],
      ].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    ]
    for (const cursor of cursors) expect((await read(`?limit=1&cursor=${cursor}`)).keys, cursor).toEqual(keys)
  })

  it('follow deletions of accounts', async () => {
    const { ask, root, ada, names } = await openWithKeys()
    await ask('DELETE', `/users/${ada.id}`, { token: root.token })
    expect(await names()).toEqual(['old', 'CI.main of ben', 'deploy'])
  })
})
