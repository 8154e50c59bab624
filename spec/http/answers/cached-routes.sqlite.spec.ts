import { SYSTEM } from '../../../queries/access/viewer.ts'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '../../../storage/errors.ts'
import { signIn, type SessionTokens } from '../../support/access/session-tokens.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aPlan } from '../../support/documents/plans.ts'
import { openQueue } from '../../support/documents/queues.ts'
import { aRubric } from '../../support/documents/rubrics.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { countedRequests, openCountedApp, PATHS, type CountedReads } from '../../support/http/counted-reads.ts'
import { fillPath, isSignInStep, routesOf } from '../../support/http/routes.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'

const KEY = aCase().case_key

let spec: SpecApp
let reads: CountedReads
/** The number of requests to the cache. A request is counted after it joined a pending response, if there is one. */
let cacheCalls: number
beforeEach(async () => {
  cacheCalls = 0
  ;({ spec, reads } = await openCountedApp(() => cacheCalls++))
})
afterEach(() => spec.close())
const { get, isWarm } = countedRequests(() => ({ spec, reads }))

describe('a cached response', () => {
  it('depends only on its path and its query', async () => {
    const bodies = await Promise.all(
      [
        '/runs',
        '/runs?limit=1',
        '/runs?limit=2',
        '/runs?tag=none',
        '/runs?project=chat',
        '/search?q=needle',
        '/search?q=none',
      ].map(async (path) => (await get(path)).body),
    )
    expect(new Set(bodies).size).toBe(bodies.length)
    const [first, second] = [
      await get('/runs', null, { host: 'one.example' }),
      await get('/runs', null, { host: 'two.example' }),
    ]
    expect(second.body).toBe(first.body)
  })

  it('has the bytes, the headers and the ETag of the first response', async () => {
    for (const path of Object.values(PATHS)) {
      const first = await get(path, null, { 'x-request-id': 'mine' })
      expect(await isWarm(path)).toBe(true)
      const again = await get(path, null, { 'x-request-id': 'mine' })
      expect({ ...again.headers, date: '' }, path).toEqual({ ...first.headers, date: '' })
      expect(again.body).toBe(first.body)
      const head = await spec.sendAs(null)('HEAD', path, { headers: { 'x-request-id': 'mine' } })
      expect({ ...head.headers, date: '' }, path).toEqual({ ...first.headers, date: '' })
      expect(head.body).toBe('')
      for (const method of ['GET', 'HEAD'] as const) {
        const unchanged = await spec.sendAs(null)(method, path, {
          headers: { 'if-none-match': `W/"x", ${first.headers.etag}`, 'x-request-id': 'mine' },
        })
        expect([unchanged.statusCode, unchanged.body]).toEqual([304, ''])
        const { 'content-type': _, 'content-length': __, ...rest } = first.headers
        expect({ ...unchanged.headers, date: '' }, path).toEqual({ ...rest, date: '' })
      }
    }
  })

  it('is also created by HEAD', async () => {
    await spec.sendAs(null)('HEAD', '/runs')
    expect(await isWarm('/runs')).toBe(true)
  })

  it('is not returned to a caller without a credential', async () => {
    const closed = await openApp({ mode: 'closed' })
    await closed.ingest(aDocument({ run_id: 'a' }))
    for (const { method, url } of routesOf(closed.app).filter(
      (route) => route.method === 'GET' && route.url.startsWith('/api/v1/'),
    )) {
      const path = fillPath(url, { id: 'a', other: 'a', project: 'chat', suite: 'smoke', case_key: KEY })
      const allowed = await closed.sendAs('admin')(method, path)
      const refused = await closed.sendAs(null)(method, path)
      const isOpen = [
        '/health',
        '/ready',
        '/meta',
        '/openapi.json',
        '/schemas/run-document',
        '/auth/me',
        '/metadata',
        '/log/keys',
      ].some((open) => url.endsWith(open))
      const isImage = url.endsWith('.svg')
      expect(refused.statusCode, url).toBe(isOpen || isSignInStep(url) ? allowed.statusCode : isImage ? 404 : 401)
    }
    await closed.close()
  })

  it('exists for every read except exports, calibrations, the shared cache, accounts, access, comments, evidence, plans, rubrics, reviews, audit and the log', async () => {
    const uncached =
      /\/(export(\/:format)?|webhooks(\/:id\/deliveries)?|\w+\.csv|share\.html|calibration|comments|evidence(\/:n)?|parts(\/:sha256)?|transcripts\/:sha256(\/\w+(\/:n)?)?|upload|access|accounts|audit(\/:seq)?|holds(\/:id)?|auth\/(me|sessions)|apikeys|users(\/overview)?|links|views|plans(\/:id)?|rubrics(\/:id)?|review-queues(\/:id(\/(items|agreement))?)?|review\/(queues|items\/:item)|server|receipt|log\/.*|cache\/(:key|stats|overview|facets|prune|entries(\/:key(\/eviction)?)?))$/
    const readRoutes = routesOf(spec.app).filter(
      ({ method, url }) =>
        method === 'GET' &&
        url.startsWith('/api/v1/') &&
        !isSignInStep(url) &&
        !/\/(health|ready|meta|openapi\.json|events\/stream|metadata)$/.test(url),
    )
    const pathOf = (url: string) =>
      fillPath(url, {
        id: 'a',
        other: 'b',
        project: 'chat',
        suite: 'smoke',
        case_key: KEY,
        seq: '1',
        key: cacheKeyOf('none'),
        test_id: aCase().cell.test_id,
        format: 'csv',
        item: 'a.1',
      }).replace('/api/v1', '')
    const queries: Readonly<Record<string, string>> = {
      '/search': '?q=needle',
      '/search/cases': '?q=needle',
      '/search/runs': '?q=needle',
      '/search/comments': '?q=needle',
      '/compare': '?runs=a,b',
      '/run-changes': '?runs=a,b',
      '/compare/outputs': `?runs=a,b&test=${aCase().cell.test_id}`,
      '/sets/chat/accounts': '?name=a',
      '/sets/chat/suites/smoke/accounts': '?name=a',
    }
    const addressOf = (url: string): string => `${pathOf(url)}${queries[pathOf(url)] ?? ''}`
    const cachedRoutes = readRoutes.filter(({ url }) => !uncached.test(url))
    expect(cachedRoutes.length).toBeGreaterThan(11)
    for (const { url } of cachedRoutes) {
      const path = addressOf(url)
      const first = await get(path)
      const size = spec.service.cache.size()
      expect((await get(path)).body, path).toBe(first.body)
      expect(await isWarm(path), path).toBe(true)
      expect(spec.service.cache.size(), path).toBe(size)
    }
    const { root } = await signIn(spec)
    await spec.service.commit.registerPlan(SYSTEM, aPlan({ plan_id: 'a' }))
    await spec.service.commit.createRubric(SYSTEM, aRubric({ rubric_id: 'a' }))
    await openQueue(spec, { queue_id: 'a', rubric_id: 'a', people: [{ name: 'root', role: 'reviewer' }] })
    await spec.service.commit.closeReviewQueue(SYSTEM, { queue_id: 'a', set: { project: 'chat', suite: 'smoke' } })
    // The shared cache reads from its own store, and those reads are not counted here.
    for (const { url } of readRoutes.filter(
      ({ url }) =>
        uncached.test(url) &&
        !/\/cache\/|users\/:id|holds\/:id|webhooks\/:id|\/log\/|\/receipt|evidence\/:n|:sha256/.test(url),
    )) {
      await get(addressOf(url), root)
      expect(await isWarm(addressOf(url), root), url).toBe(false)
    }
  })
})

describe('an unsuccessful response', () => {
  it('is not cached', async () => {
    await get('/runs')
    const size = spec.service.cache.size()
    for (const path of [
      '/runs/none',
      '/runs/none/matrix',
      '/sets/none',
      '/runs?limit=x',
      '/runs?unknown=1',
      '/runs?limit=1&limit=2',
      '/search',
      '/runs/%FF',
      '/nothing',
    ]) {
      const first = await get(path)
      expect(first.statusCode, path).toBeGreaterThanOrEqual(400)
      expect((await get(path)).body, path).toBe(first.body)
    }
    expect(spec.service.cache.size()).toBe(size)
    await spec.ingest(aDocument({ run_id: 'none' }))
    expect((await get('/runs/none')).statusCode).toBe(200)
  })

  it('is shared only by the requests that waited for it', async () => {
    let fails = true
    reads.before = () => {
      if (fails) throw new Unavailable('the store is away')
    }
    expect((await Promise.all([get('/projects'), get('/projects')])).map(({ statusCode }) => statusCode)).toEqual([
      503, 503,
    ])
    fails = false
    expect((await get('/projects')).statusCode).toBe(200)
  })
})

describe('concurrent requests', () => {
  it('share one read', async () => {
    await get('/projects/none/suites')
    reads.before = () => new Promise((resolve) => setImmediate(resolve))
    const before = reads.reads
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/projects')))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    // One read for the size and one for the rows.
    expect(reads.reads - before).toBe(2)
  })

  it('still succeed when the client of the first one disconnects', async () => {
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = spec.app.server.address() as AddressInfo
    const readStarted = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()
    await get('/projects/none/suites')
    reads.before = () => {
      readStarted.resolve()
      return resume.promise
    }
    const first = connect(port, '127.0.0.1', () => first.write('GET /api/v1/projects HTTP/1.1\r\nHost: x\r\n\r\n'))
    await readStarted.promise
    const [before, askedBefore] = [reads.reads, cacheCalls]
    const second = get('/projects')
    while (cacheCalls === askedBefore) await new Promise((resolve) => setImmediate(resolve))
    first.destroy()
    // The server has noticed the disconnect once it has no open connection.
    while (await new Promise((resolve) => spec.app.server.getConnections((_, open) => resolve(open > 0))))
      await new Promise((resolve) => setImmediate(resolve))
    resume.resolve()
    expect((await second).statusCode).toBe(200)
    // The response needs two reads. The first one was counted before.
    expect(reads.reads).toBe(before + 1)
  })
})

describe('cached responses and visibility', () => {
  let tokens: SessionTokens
  beforeEach(async () => void (tokens = await signIn(spec)))
  const runs = async (token: string | null = null) =>
    (await get('/runs', token))
      .json<{ runs: Array<{ id: string }> }>()
      .runs.map(({ id }) => id)
      .sort()

  it('are shared by viewers who see the same', async () => {
    const { ann, ben, cat } = tokens
    await spec.restrict('chat')
    await spec.grant('ann', 'view', 'chat')
    await spec.grant('ben', 'manage', 'chat')
    for (const token of [ann, ben, cat, null]) await get('/projects/none/suites', token)
    await get('/runs', ann)
    expect(await isWarm('/runs', ben)).toBe(true)
    expect(await isWarm('/runs', cat)).toBe(false)
    expect(await isWarm('/runs')).toBe(true)
  })

  it('are not shared with viewers who see less, if access changes during a request', async () => {
    await spec.restrict('chat')
    // Resolves the credential of cat, so that the next read is the one for what cat may see.
    await get('/auth/me', tokens.cat)
    const resume = Promise.withResolvers<void>()
    const accessRead = Promise.withResolvers<void>()
    reads.after = () => {
      accessRead.resolve()
      return resume.promise
    }
    const early = get('/runs', tokens.cat)
    // The access of cat is read by now, and changes before the runs are read.
    await accessRead.promise
    await spec.grant('cat', 'view', 'chat')
    resume.resolve()
    expect((await early).json<{ runs: unknown[] }>().runs).toHaveLength(5)
    expect(await runs()).toEqual(['c', 'd'])
  })
})
