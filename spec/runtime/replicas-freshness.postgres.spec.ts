import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caseKey } from '../../domain/run/case-key.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { startReplicas, inRotation, type Replica } from '../support/servers/replicas.ts'
import { smallDocument } from '../support/documents/small-document.ts'

const PASSWORD = 'correct horse battery'
const ROUNDS = 10
const CASE = caseKey({ provider_id: 'model', prompt_id: 'terse', test_id: 'test-0', repeat: 0 })

/** A path for every cached route. */
const cachedPaths = (id: string, other: string): readonly string[] => [
  '/runs',
  '/runs?limit=5',
  '/projects',
  '/projects/chat/suites',
  '/sets',
  '/sets/chat',
  '/sets/chat/suites/smoke',
  '/search?q=plain',
  `/projects/chat/suites/smoke/cases/${CASE}/history`,
  `/runs/${id}`,
  `/runs/${id}/cases`,
  `/runs/${id}/cases/${CASE}`,
  `/runs/${id}/config`,
  `/runs/${id}/matrix`,
  `/runs/${id}/compare/${other}`,
  `/runs/${id}/export`,
]

let database: FreshDatabase
let replicas: readonly Replica[]
const replicaAt = (n: number): Replica => inRotation(replicas, n)

/** All replicas but one. */
const others = (n: number): readonly Replica[] => replicas.filter((replica) => replica !== replicaAt(n))

const answersOf = async (
  replica: Replica,
  paths: readonly string[],
  token?: string,
): Promise<Array<readonly [string, number, string]>> =>
  Promise.all(
    paths.map(async (path) => {
      const { status, text } = await replica.ask('GET', path, token === undefined ? {} : { token })
      return [path, status, text] as const
    }),
  )

let users = 0
/** Creates a user and signs in, both on one replica. */
const newUser = async (replica: Replica, role = 'member'): Promise<{ readonly id: string; readonly token: string }> => {
  const username = `user-${users++}`
  const { status, body } = await replica.ask('POST', '/users', { body: { username, password: PASSWORD, role } })
  expect(status).toBe(201)
  const signedIn = await replica.ask('POST', '/auth/login', { token: null, body: { username, password: PASSWORD } })
  return { id: String(body['id']), token: String(signedIn.body['token']) }
}

/** Returns the status of the next request on each other replica after a change. All have cached the credential. */
const nextAnswers = async (
  changedOn: number,
  token: string,
  change: () => Promise<{ readonly status: number }>,
  path = '/runs',
): Promise<number[]> => {
  for (const replica of replicas)
    for (let n = 0; n < 2; n++) expect((await replica.ask('GET', path, { token })).status).toBe(200)
  const { status } = await change()
  expect([200, 204]).toContain(status)
  return Promise.all(others(changedOn).map(async (replica) => (await replica.ask('GET', path, { token })).status))
}

describe('three replicas that cache responses and credentials', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  const step = fc.record({
    what: fc.constantFrom('upload', 'upload', 'delete', 'pin', 'unpin', 'restrict', 'lift', 'grant', 'revoke'),
    n: fc.nat(2),
    which: fc.nat(3),
  })

  it('answer every cached route as if nothing were cached, after any history', async () => {
    const member = await newUser(replicaAt(0))
    let histories = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const prefix = `h${histories++}`
        const there = new Set<string>()
        let restricted = false
        let granted = false
        let baseline: string | null = null
        const id = (which: number): string => `${prefix}-${which}`
        const set = '/sets/chat/suites/smoke'
        const statusOf = async (n: number, method: string, path: string, body?: unknown): Promise<number> =>
          (await replicaAt(n).ask(method, path, body === undefined ? {} : { body })).status

        for (const { what, n, which } of steps) {
          const isThere = there.has(id(which))
          if (what === 'upload') {
            expect(await statusOf(n, 'POST', '/runs', smallDocument(id(which)))).toBe(isThere ? 200 : 201)
            there.add(id(which))
          } else if (what === 'delete') {
            expect(await statusOf(n, 'DELETE', `/runs/${id(which)}`)).toBe(isThere ? 204 : 404)
            there.delete(id(which))
            if (baseline === id(which)) baseline = null
          } else if (what === 'pin') {
            expect(await statusOf(n, 'PUT', '/projects/chat/suites/smoke/baseline', { run_id: id(which) })).toBe(
              isThere ? 200 : 404,
            )
            if (isThere) baseline = id(which)
          } else if (what === 'unpin') {
            expect(await statusOf(n, 'DELETE', '/projects/chat/suites/smoke/baseline')).toBe(
              baseline === null ? 404 : 204,
            )
            baseline = null
          } else if (what === 'restrict') {
            expect(await statusOf(n, 'PUT', `${set}/restriction`)).toBe(204)
            restricted = true
          } else if (what === 'lift') {
            expect(await statusOf(n, 'DELETE', `${set}/restriction`)).toBe(restricted ? 204 : 404)
            restricted = false
          } else if (what === 'grant') {
            expect(await statusOf(n, 'PUT', `${set}/grants/${member.id}`, { level: 'view' })).toBe(204)
            granted = true
          } else {
            expect(await statusOf(n, 'DELETE', `${set}/grants/${member.id}`)).toBe(granted ? 204 : 404)
            granted = false
          }
          const paths = cachedPaths(id(which), id(0))
          for (const token of [undefined, member.token]) {
            const responses = await Promise.all(replicas.map((replica) => answersOf(replica, paths, token)))
            for (const response of responses) expect(response).toEqual(responses[0])
            const isVisible = token === undefined || !restricted || granted
            const status = (path: string) => responses[0]?.find(([asked]) => asked === path)?.[1]
            expect(status(`/runs/${id(which)}`)).toBe(there.has(id(which)) && isVisible ? 200 : 404)
            expect(status(`/runs/${id(which)}/export`)).toBe(there.has(id(which)) && isVisible ? 200 : 404)
            const suite = responses[0]?.find(([asked]) => asked === set)
            if (there.size > 0 && isVisible)
              expect(JSON.parse(suite?.[2] ?? '{}')).toMatchObject({ run_count: there.size, baseline_run_id: baseline })
          }
        }
        for (const run of there) expect(await statusOf(0, 'DELETE', `/runs/${run}`)).toBe(204)
        if (restricted) expect(await statusOf(0, 'DELETE', `${set}/restriction`)).toBe(204)
        if (granted) expect(await statusOf(0, 'DELETE', `${set}/grants/${member.id}`)).toBe(204)
      }),
      { numRuns: 8, interruptAfterTimeLimit: 120_000 },
    )
  })

  it('reject a revoked key with the next request', async () => {
    const { token } = await newUser(replicaAt(0))
    for (let n = 0; n < ROUNDS; n++) {
      const { body } = await replicaAt(n).ask('POST', '/apikeys', { token, body: { name: `key-${n}` } })
      expect(
        await nextAnswers(n, String(body['key']), () =>
          replicaAt(n).ask('DELETE', `/apikeys/${String(body['id'])}`, { token }),
        ),
      ).toEqual([401, 401])
    }
  })

  it('let one of all who use a link at the same moment in', async () => {
    const { token } = await newUser(replicaAt(0), 'admin')
    for (let n = 0; n < 4; n++) {
      const made = await replicaAt(n).ask('POST', '/links', { token, body: { role: 'member' } })
      const { secret } = made.body
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          replicaAt(i).ask('POST', '/auth/invite/accept', {
            token: null,
            body: { secret, username: `invited-${n}-${i}`, password: PASSWORD },
          }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(11).fill(404)])
      const refused = new Set(answers.filter(({ status }) => status === 404).map(({ text }) => text))
      expect([...refused]).toHaveLength(1)
    }
  })

  it('reject a session that signed out', async () => {
    for (let n = 0; n < 4; n++) {
      const { token } = await newUser(replicaAt(n))
      expect(await nextAnswers(n, token, () => replicaAt(n).ask('POST', '/auth/logout', { token }))).toEqual([401, 401])
    }
  })

  it('reject a user who was disabled, deleted or demoted', async () => {
    // Another admin, who stays: the service refuses to demote the last admin.
    await newUser(replicaAt(0), 'admin')
    for (let n = 0; n < 4; n++) {
      const disabled = await newUser(replicaAt(n))
      expect(
        await nextAnswers(n, disabled.token, () =>
          replicaAt(n).ask('PATCH', `/users/${disabled.id}`, { body: { disabled: true } }),
        ),
      ).toEqual([401, 401])
      const deleted = await newUser(replicaAt(n))
      expect(await nextAnswers(n, deleted.token, () => replicaAt(n).ask('DELETE', `/users/${deleted.id}`))).toEqual([
        401, 401,
      ])
      const demoted = await newUser(replicaAt(n), 'admin')
      expect(
        await nextAnswers(
          n,
          demoted.token,
          () => replicaAt(n).ask('PATCH', `/users/${demoted.id}`, { body: { role: 'viewer' } }),
          '/users',
        ),
      ).toEqual([403, 403])
    }
  })

  it('hide a set that was restricted, and one whose grant was revoked', async () => {
    const { id, token } = await newUser(replicaAt(1))
    for (let n = 0; n < ROUNDS; n++) {
      const suite = `private-${n}`
      expect((await replicaAt(n).ask('POST', '/runs', { body: smallDocument(suite, { suite }) })).status).toBe(201)
      expect(
        await nextAnswers(
          n,
          token,
          () => replicaAt(n).ask('PUT', `/sets/chat/suites/${suite}/restriction`),
          `/runs/${suite}/matrix`,
        ),
      ).toEqual([404, 404])
      expect(
        (await replicaAt(n + 1).ask('PUT', `/sets/chat/suites/${suite}/grants/${id}`, { body: { level: 'view' } }))
          .status,
      ).toBe(204)
      expect(
        await nextAnswers(
          n,
          token,
          () => replicaAt(n).ask('DELETE', `/sets/chat/suites/${suite}/grants/${id}`),
          `/runs/${suite}/matrix`,
        ),
      ).toEqual([404, 404])
    }
  })

  it('show acknowledged uploads of other replicas under constant writes', async () => {
    let isRunning = true
    const noise = Promise.all(
      replicas.map(async (replica, n) => {
        for (let k = 0; isRunning; k++)
          expect(
            (await replica.ask('POST', '/runs', { body: smallDocument(`noise-${n}-${k}`, { suite: 'noise' }) })).status,
          ).toBe(201)
      }),
    )
    for (let n = 0; n < 3 * ROUNDS; n++) {
      const suite = `seen-${n}`
      for (const replica of replicas) expect((await replica.ask('GET', `/sets/chat/suites/${suite}`)).status).toBe(404)
      expect((await replicaAt(n).ask('POST', '/runs', { body: smallDocument(suite, { suite }) })).status).toBe(201)
      for (const replica of others(n))
        expect((await replica.ask('GET', `/sets/chat/suites/${suite}`)).body).toMatchObject({ run_count: 1 })
    }
    isRunning = false
    await noise
  })
})
