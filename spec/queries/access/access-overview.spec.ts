import { afterAll, describe, expect, it } from 'vitest'
import type { AccessOverview } from '../../../queries/access/access-overview.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

const T0 = Date.UTC(2026, 4, 4, 9)
let now = T0
afterAll(() => spec.close())

const read = async (query = ''): Promise<AccessOverview> => {
  const answer = await root.send('GET', `/access${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<AccessOverview>()
}
const namesIn = ({ sets }: AccessOverview): string[] =>
  sets.map(({ project, suite }) => (suite === null ? project : `${project}/${suite}`))
const spec = await openApp({ now: () => now })
const root = await spec.addUser('root', 'admin')
const ann = await spec.addUser('ann')
await spec.addUser('ben')
for (const [run_id, project, suite] of [
  ['r1', 'chat', 'smoke'],
  ['r2', 'chat', 'smoke'],
  ['r3', 'chat', null],
  ['r4', 'chat', ''],
  ['r5', 'code', 'lint'],
  ['r6', 'Ä/b', 'open'],
  ['r7', null, null],
] as const)
  expect((await spec.ingest(aDocument({ run_id, project, suite, cases: [aCase()] }))).statusCode).toBe(201)
now += 1000
expect((await root.send('PUT', '/sets/code/restriction')).statusCode).toBe(204)
now += 1000
// Neither exists yet.
await spec.restrict('later', 'one')
await spec.grant('ann', 'manage', 'none')
await spec.grant('ann', 'view', 'code')
now += 1000
expect(
  (
    await root.send('PUT', '/sets/code/suites/lint/grants/ben', {
      headers: { 'content-type': 'application/json' },
      body: '{"level":"upload"}',
    })
  ).statusCode,
).toBe(204)

describe('the list of restrictions and grants', () => {
  it('contains every scope with a rule, its project, and the suites of restricted projects', async () => {
    const found = await read()
    expect(found).toEqual({
      sets: [
        {
          project: 'code',
          suite: null,
          restricted: true,
          covered: true,
          restricted_at: T0 + 1000,
          restricted_by: 'root',
          run_count: 1,
          case_count: 1,
          grants: [
            {
              user_id: 'ann',
              username: 'ann',
              level: 'view',
              created_at: T0 + 2000,
              created_by: null,
              managed_by: null,
            },
          ],
        },
        {
          project: 'code',
          suite: 'lint',
          restricted: false,
          covered: true,
          restricted_at: null,
          restricted_by: null,
          run_count: 1,
          case_count: 1,
          grants: [
            {
              user_id: 'ben',
              username: 'ben',
              level: 'upload',
              created_at: T0 + 3000,
              created_by: 'root',
              managed_by: null,
            },
          ],
        },
        expect.objectContaining({ project: 'later', suite: null, restricted: false, covered: false, run_count: 0 }),
        expect.objectContaining({
          project: 'later',
          suite: 'one',
          restricted: true,
          covered: true,
          restricted_at: T0 + 2000,
          restricted_by: null,
          run_count: 0,
          grants: [],
        }),
        expect.objectContaining({ project: 'none', suite: null, restricted: false, grants: [expect.anything()] }),
      ],
      next_cursor: null,
      totals: { suites: 5, restricted: 2 },
      admins_only: [{ project: 'later', suite: 'one' }],
    })
  })

  it('contains open sets on request, with the runs of a project without a suite in its count', async () => {
    const found = await read('?open=true')
    expect(namesIn(found)).toEqual([
      'chat',
      'chat/',
      'chat/smoke',
      'code',
      'code/lint',
      'later',
      'later/one',
      'none',
      'Ä/b',
      'Ä/b/open',
    ])
    expect(found.sets.slice(0, 3).map(({ run_count }) => run_count)).toEqual([4, 1, 2])
  })

  it('is filtered by project and by account', async () => {
    expect(namesIn(await read('?project=code'))).toEqual(['code', 'code/lint'])
    expect(namesIn(await read('?user_id=ann'))).toEqual(['code', 'none'])
    expect(namesIn(await read('?user_id=ben'))).toEqual(['code/lint'])
    expect(namesIn(await read('?user_id=unknown&open=true'))).toEqual([])
  })

  it.each([1, 2, 3, 7])('is read in pages of %d', async (limit) => {
    const all = namesIn(await read('?open=true'))
    const names: string[] = []
    let cursor: string | null = null
    do {
      const found: AccessOverview = await read(
        `?open=true&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(found.totals === null).toBe(cursor !== null)
      names.push(...namesIn(found))
      cursor = found.next_cursor
    } while (cursor !== null)
    expect(names).toEqual(all)
    expect(namesIn(await read('?open=true&limit=2&cursor=nonsense'))).toEqual(all.slice(0, 2))
  })

  it('names what only admins see, whatever page a grant is on', async () => {
    for (const query of ['?limit=1', '?open=true&limit=1', '?project=later'])
      expect((await read(query)).admins_only).toEqual([{ project: 'later', suite: 'one' }])
    // Of this project only a suite has an account with a grant, on another page than the project.
    expect((await read('?project=code&limit=1')).admins_only).toEqual([])
    const { next_cursor } = await read('?limit=1')
    expect((await read(`?limit=1&cursor=${encodeURIComponent(next_cursor ?? '')}`)).admins_only).toBeNull()
  })

  it('is for callers who see every set', async () => {
    for (const send of [ann.send, spec.sendAs('write')]) {
      const answer = await send('GET', '/access')
      expect([answer.statusCode, answer.body]).toEqual([403, '{"error":"insufficient scope: admin is needed"}'])
    }
    expect((await spec.sendAs('admin')('GET', '/access')).statusCode).toBe(200)
    expect((await spec.sendAs('admin')('GET', '/access?open=yes')).statusCode).toBe(400)
  })
})
