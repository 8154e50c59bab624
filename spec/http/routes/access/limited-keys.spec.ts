import { isDeepStrictEqual } from 'node:util'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { limitedKey } from '../../../support/access/limited-key.ts'
import { PLANS, QUEUES, READ_PATHS, RESPONSE, RUBRICS } from '../../../support/access/read-paths.ts'
import { aBody } from '../../../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { aPlan } from '../../../support/documents/plans.ts'
import { openQueue } from '../../../support/documents/queues.ts'
import { aRubric } from '../../../support/documents/rubrics.ts'
import { ask, ENDLESS, MCP } from '../../../support/http/mcp.ts'
import { openApp, type Send, type SpecApp } from '../../../support/servers/app.ts'

// A key that is limited to a project or suite. For its bearer everything else is absent: the same bytes as on a service that
// never had it.

const NOW = Date.UTC(2026, 4, 5)
const LIGHT = { project: 'half', suite: 'light' } as const
const OTHER_SETS = [
  ['half', 'dark'],
  ['half', null],
  ['open', 's'],
  ['secret', 's'],
  [null, 's'],
] as const

const aRun = (run_id: string, project: string | null, suite: string | null, word: string) =>
  aDocument({
    run_id,
    project,
    suite,
    filters: { tags: [word] },
    cases: [
      aCase({ output: `needle ${word}`, cache_key: RESPONSE, tags: [word] }),
      aCase({ cell: { test_id: 'farewell' }, status: 'fail', output: `needle needle ${word} ${word}` }),
    ],
  })
const post = (send: Send, path: string, body: unknown) =>
  send('POST', path, { headers: json, body: JSON.stringify(body) })

/** A service with the runs of `half/light`, and in `full` with those of other sets, some of them restricted. */
const openPeer = async (isFull: boolean): Promise<SpecApp> => {
  const spec = await openApp({ now: () => NOW, mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })
  expect((await spec.sendAs('admin')('PUT', `/cache/${RESPONSE}`, { body: aBody() })).statusCode).toBe(201)
  const ingest = async (...run: Parameters<typeof aRun>) =>
    expect((await spec.ingest(aRun(...run), { caller: 'admin' })).statusCode).toBe(201)
  const plan = (plan_id: string, project: string, suite: string) =>
    spec.service.commit.registerPlan(SYSTEM, aPlan({ plan_id, project, suite }))
  const rubric = (rubric_id: string, project: string, suite: string) =>
    spec.service.commit.createRubric(SYSTEM, aRubric({ rubric_id, project, suite }))
  await plan(PLANS.shown, 'half', 'light')
  await rubric(RUBRICS.shown, 'half', 'light')
  if (isFull) {
    await plan(PLANS.hidden, 'secret', 's')
    await rubric(RUBRICS.hidden, 'secret', 's')
  }
  for (const id of ['v6', 'v7']) {
    await ingest(id, 'half', 'light', 'hay')
    if (isFull)
      for (const [n, [project, suite]] of OTHER_SETS.entries()) await ingest(`${id}-${n}`, project, suite, 'straw')
  }
  await spec.addUser('listed', 'reviewer')
  await openQueue(spec, {
    run_id: 'v7',
    queue_id: QUEUES.shown,
    rubric_id: RUBRICS.shown,
    project: 'half',
    suite: 'light',
  })
  if (isFull) {
    await ingest('h0', 'secret', 's', 'straw')
    await spec.restrict('secret')
    await spec.restrict('half', 'dark')
  }
  return spec
}

const comparable = ({
  statusCode,
  body,
  headers: { 'x-request-id': _, date: __, ...headers },
}: LightMyRequestResponse) => ({
  statusCode,
  body,
  headers,
})

describe('a key that is limited to a suite', () => {
  it('gets the same bytes as on a service with this suite alone, on every read path and in every tool', async () => {
    const peers = await Promise.all([openPeer(true), openPeer(false)])
    let found = 0
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const sends = await Promise.all(
        peers.map(async (spec) => spec.sendWithToken(await limitedKey(await spec.addUser(role, role), LIGHT))),
      )
      // The second time from memory.
      for (const path of [1, 2].flatMap(() => Object.values(READ_PATHS).flat())) {
        // Counters of the shared cache, which has no sets.
        if (path.startsWith('/cache/stats')) continue
        const [inFull, inEmpty] = (await Promise.all(sends.map((send) => send('GET', path)))).map(comparable)
        // Ids of accounts and times of sign-ins are new in each service.
        if (!isDeepStrictEqual(inFull, inEmpty)) expect(inFull, `${path} for ${role}`).toEqual(inEmpty)
        if (inFull?.statusCode === 200) found++
      }
      for (const [tool, args] of [
        ['find_runs', {}],
        ['find_runs', { group_by: 'suite' }],
        ['search', { q: 'needle' }],
        ['get_run', { run_id: 'v6' }],
        ['get_run', { run_id: 'h0' }],
      ] as const) {
        const [inFull, inEmpty] = await Promise.all(
          sends.map((send) => ask(send, 'tools/call', { name: tool, arguments: args })),
        )
        expect(inFull?.text, tool).toBe(inEmpty?.text)
      }
    }
    expect(found).toBeGreaterThan(300)
    await Promise.all(peers.map((spec) => spec.close()))
  })

  it('writes within its limit only, and never with more than its account may', async () => {
    const spec = await openPeer(true)
    const ann = await spec.addUser('ann')
    const key = spec.sendWithToken(await limitedKey(ann, LIGHT))
    const upload = async (send: Send, id: string, project: string | null, suite: string | null) =>
      (await post(send, '/runs', aRun(id, project, suite, 'hay'))).statusCode
    expect(await upload(key, 'new', 'half', 'light')).toBe(201)
    for (const [n, [project, suite]] of OTHER_SETS.entries())
      expect(await upload(key, `x${n}`, project, suite)).toBe(403)
    expect(await upload(ann.send, 'x', 'open', 's')).toBe(201)
    expect(
      (await key('PUT', '/projects/open/suites/s/baseline', { headers: json, body: '{"run_id":"x"}' })).statusCode,
    ).toBe(403)

    // A limit does not open what the account may not see.
    const dark = spec.sendWithToken(await limitedKey(ann, { project: 'half', suite: 'dark' }))
    expect((await dark('GET', '/runs')).json()).toMatchObject({ runs: [] })
    expect(await upload(dark, 'y', 'half', 'dark')).toBe(403)
    await spec.grant('ann', 'upload', 'half', 'dark')
    expect((await dark('GET', '/runs')).json<{ runs: unknown[] }>().runs).toHaveLength(2)
    expect(await upload(dark, 'y', 'half', 'dark')).toBe(201)
    await spec.revoke('ann', 'half', 'dark')
    expect((await dark('GET', '/runs/v6-0')).statusCode).toBe(404)
    expect(await upload(dark, 'z', 'half', 'dark')).toBe(403)
    await spec.close()
  })

  it('sees a restricted set while its account is an admin', async () => {
    const spec = await openPeer(true)
    const boss = await spec.addUser('boss', 'admin')
    await spec.addUser('root', 'admin')
    const key = spec.sendWithToken(await limitedKey(boss, { project: 'secret' }))
    const ids = async () =>
      (await key('GET', '/runs'))
        .json<{ runs: { id: string }[] }>()
        .runs.map(({ id }) => id)
        .sort()
    expect(await ids()).toEqual(['h0', 'v6-3', 'v7-3'])
    expect((await key('GET', '/auth/me')).json()).toMatchObject({ source: 'apikey', scope: 'write' })
    await spec.service.commit.changeUser(SYSTEM, {
      user_id: 'boss',
      role: 'member',
      disabled: null,
      password_hash: null,
    })
    expect(await ids()).toEqual([])
    await spec.close()
  })

  it('uses nothing of its account, and is no admin', async () => {
    const spec = await openPeer(true)
    const boss = await spec.addUser('boss', 'admin')
    const key = spec.sendWithToken(await limitedKey(boss, LIGHT))
    const LIMITED = [403, { error: 'this API key is limited to a project or suite: it cannot use its account' }]
    for (const [method, path, body] of [
      ['GET', '/apikeys'],
      ['POST', '/apikeys', {}],
      ['DELETE', '/apikeys/nothing'],
      ['GET', '/auth/sessions'],
      ['DELETE', '/auth/sessions'],
      ['GET', '/views'],
      ['POST', '/views', { name: 'x', path: '/runs' }],
      ['DELETE', '/views/nothing'],
      ['GET', '/webhooks'],
    ] as const)
      expect(
        statusAndBody(await key(method, path, body === undefined ? {} : { headers: json, body: JSON.stringify(body) })),
        path,
      ).toEqual(LIMITED)
    for (const path of ['/users', '/access', '/audit', '/users/apikeys', '/holds', '/cache/entries'])
      expect((await key('GET', path)).statusCode, path).toBe(403)
    const refused = await post(boss.send, '/apikeys', { ...LIGHT, scope: 'admin' })
    expect(statusAndBody(refused)).toEqual([
      422,
      { error: 'a key that is limited to a project or suite has at most the scope write' },
    ])
    expect((await post(boss.send, '/apikeys', { suite: 'light' })).statusCode).toBe(422)
    expect((await post(boss.send, '/apikeys', { project: '..' })).statusCode).toBe(422)
    await spec.close()
  })
})

describe('a key with an end', () => {
  it('is refused from then on, and is listed as expired', async () => {
    let now = NOW
    const spec = await openApp({ now: () => now })
    const boss = await spec.addUser('boss', 'admin')
    const expires_at = new Date(NOW + 86_400_000).toISOString()
    const key = spec.sendWithToken(await limitedKey(boss, { expires_at }))
    const status = async () => (await key('GET', '/runs')).statusCode
    const states = async () => {
      const { keys, totals } = (await boss.send('GET', '/users/apikeys')).json<{
        keys: { state: string }[]
        totals: object
      }>()
      return [keys.map(({ state }) => state), totals]
    }
    expect(await status()).toBe(200)
    now = NOW + 86_399_999
    expect(await status()).toBe(200)
    expect(await states()).toEqual([['usable'], { matching: 1, usable: 1, disabled: 0, expired: 0, revoked: 0 }])
    now = NOW + 86_400_000
    expect(await status()).toBe(401)
    expect(await states()).toEqual([['expired'], { matching: 1, usable: 0, disabled: 0, expired: 1, revoked: 0 }])
    expect((await boss.send('GET', '/users/overview')).json()).toMatchObject({ users: [{ live_keys: 0 }] })
    expect((await boss.send('GET', '/apikeys')).json()).toMatchObject({
      keys: [{ expires_at: '2026-05-06T00:00:00+00:00', project: null, suite: null }],
    })
    expect((await post(boss.send, '/apikeys', { expires_at })).statusCode).toBe(422)
    expect((await post(boss.send, '/apikeys', { expires_at: 'soon' })).statusCode).toBe(422)
    await spec.close()
  })

  it('makes no key that outlives it', async () => {
    const spec = await openApp({ now: () => NOW })
    const ann = await spec.addUser('ann')
    const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString()
    const key = spec.sendWithToken(await limitedKey(ann, { expires_at: at(1) }))
    expect((await post(key, '/apikeys', {})).statusCode).toBe(403)
    expect((await post(key, '/apikeys', { expires_at: at(2) })).statusCode).toBe(403)
    expect((await post(key, '/apikeys', { expires_at: at(1) })).statusCode).toBe(201)
    await spec.close()
  })

  it('is stored so that a replica of an earlier version does not accept it', async () => {
    const spec = await openApp({ now: () => NOW })
    const ann = await spec.addUser('ann')
    const { hashOfToken } = await import('../../../../http/identity/secrets.ts')
    const secrets = [await limitedKey(ann, {}), await limitedKey(ann, LIGHT)]
    const stored = await spec.column('SELECT secret_hash FROM key_secrets')
    expect(secrets.map((secret) => stored.includes(hashOfToken(secret)))).toEqual([true, false])
    await spec.close()
  })
})

describe('a service account', () => {
  it('has only keys, which an admin makes', async () => {
    const spec = await openApp({ now: () => NOW })
    const boss = await spec.addUser('boss', 'admin')
    const created = await post(boss.send, '/users', { username: 'ci', role: 'member', service: true })
    expect(created.statusCode).toBe(201)
    const { id } = created.json<{ id: string }>()
    expect(created.json()).toMatchObject({ service: true, has_password: false })
    const minted = await post(boss.send, `/users/${id}/apikeys`, { name: 'github', ...LIGHT })
    expect([minted.statusCode, minted.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(minted.json()).toMatchObject({ scope: 'write', ...LIGHT })
    const key = spec.sendWithToken(minted.json<{ key: string }>().key)
    expect((await post(key, '/runs', aRun('r', 'half', 'light', 'hay'))).statusCode).toBe(201)

    expect((await post(spec.sendAs(null), '/auth/login', { username: 'ci', password: '' })).statusCode).toBe(401)
    for (const body of [{ password: 'long enough' }, { role: 'admin' }])
      expect((await boss.send('PATCH', `/users/${id}`, { headers: json, body: JSON.stringify(body) })).statusCode).toBe(
        409,
      )
    for (const body of [{ role: 'admin' }, { role: 'member', password: 'long enough' }])
      expect((await post(boss.send, '/users', { username: 'x', service: true, ...body })).statusCode).toBe(422)
    await spec.close()
  })

  it('gives no admin a key of a person, and no member a key of it', async () => {
    const spec = await openApp({ now: () => NOW })
    const [boss, ann] = [await spec.addUser('boss', 'admin'), await spec.addUser('ann')]
    await spec.addUser('bob')
    const { id } = (await post(boss.send, '/users', { username: 'ci', role: 'viewer', service: true })).json<{
      id: string
    }>()
    expect(statusAndBody(await post(boss.send, '/users/bob/apikeys', {}))).toEqual([
      409,
      { error: 'this is no service account: only its owner makes its keys' },
    ])
    expect((await post(boss.send, '/users/unknown/apikeys', {})).statusCode).toBe(404)
    expect((await post(boss.send, `/users/${id}/apikeys`, { scope: 'write' })).statusCode).toBe(403)
    for (const send of [ann.send, spec.sendAs('write')])
      expect((await post(send, `/users/${id}/apikeys`, {})).statusCode).toBe(403)
    await spec.close()
  })
})
