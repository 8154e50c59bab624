import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../http/app.ts'
import type { Services } from '../../../http/services.ts'
import { findRestricted } from '../../../queries/access/access.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { Unavailable } from '../../../storage/errors.ts'
import type { Reader } from '../../../storage/storage.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'
import { runCount } from '../../support/random/runs.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'

const KEY = aCase().case_key
const JSON_TYPE = { 'content-type': 'application/json' }
/** A time that stands still, so that no response is out of date before it is asked for again. */
const NOW = Date.UTC(2026, 4, 5)

/**
 * Session tokens of a few accounts, one of them an admin. A token is resolved by a read the first time and after a
 * change of access, and from memory otherwise.
 */
const signIn = async (app: SpecApp) => ({
  ann: (await app.addUser('ann')).token,
  ben: (await app.addUser('ben')).token,
  cat: (await app.addUser('cat')).token,
  root: (await app.addUser('root', 'admin')).token,
})
type SessionTokens = Awaited<ReturnType<typeof signIn>>

/** Counts reads. A spec can delay or fail the reads, and delay their results. */
const counting = (reader: Reader) => {
  const state = { reads: 0, before: (): Promise<void> | void => {}, after: (): Promise<void> | void => {} }
  const countingReader: Reader = {
    dialect: reader.dialect,
    read: async (query) => {
      if (query.token) state.reads++
      await state.before()
      const row = await reader.read(query)
      await state.after()
      return row
    },
    readAll: async (queries) => {
      state.reads++
      await state.before()
      return reader.readAll(queries)
    },
  }
  return { state, countingReader }
}

let spec: SpecApp
let reads: ReturnType<typeof counting>['state']
/** The number of requests to the cache. A request is counted after it joined a pending response, if there is one. */
let cacheCalls: number
const parts = ({ reader, cache, runLongRead }: OpenService): Partial<Services> => {
  const { state, countingReader } = counting(reader)
  reads = state
  cacheCalls = 0
  const answer: typeof cache.answer = (...args) => {
    const response = cache.answer(...args)
    cacheCalls++
    return response
  }
  // A read in a reader thread counts as one.
  const countingLongReads: typeof runLongRead = (...args) => {
    state.reads++
    return runLongRead(...args)
  }
  return { reader: countingReader, cache: { ...cache, answer }, runLongRead: countingLongReads }
}
beforeEach(async () => {
  spec = await openApp({ mode: 'open', now: () => NOW, parts })
  for (const [run_id, project, suite] of [
    ['a', 'chat', 'smoke'],
    ['b', 'chat', 'full'],
    ['c', 'other', 'smoke'],
    ['d', null, 'smoke'],
    ['e', 'chat', null],
  ] as const)
    await spec.ingest(aDocument({ run_id, project, suite, cases: [aCase({ output: 'needle' })] }))
})
afterEach(() => spec.close())

const get = (path: string, token: string | null = null, headers: Readonly<Record<string, string>> = {}) =>
  spec.sendWithToken(token)('GET', path, { headers })
/** Returns whether a path is answered without a read. */
const isWarm = async (path: string, token: string | null = null): Promise<boolean> => {
  const before = reads.reads
  expect((await get(path, token)).statusCode, path).toBe(200)
  return reads.reads === before
}

const PATHS: Readonly<Record<string, string>> = {
  list: '/runs',
  'list of a project': '/runs?project=chat',
  'list of a suite': '/runs?project=chat&suite=smoke',
  'list of suites of one name': '/runs?suite=smoke',
  'run a': '/runs/a',
  'run b': '/runs/b',
  'run a in its suite': '/runs/a/in-suite',
  'run before a': '/runs/a/previous',
  overview: '/overview',
  'cases of a': '/runs/a/cases',
  'case of a': `/runs/a/cases/${KEY}`,
  'case of a in its suite': `/runs/a/cases/${KEY}/in-suite`,
  'matrix of a': '/runs/a/matrix',
  'configuration of a': '/runs/a/config',
  projects: '/projects',
  'suites of chat': '/projects/chat/suites',
  'suites of other': '/projects/other/suites',
  sets: '/sets',
  'set of chat': '/sets/chat',
  'set of other': '/sets/other',
  'set of smoke': '/sets/chat/suites/smoke',
  'set of full': '/sets/chat/suites/full',
  'history in smoke': `/projects/chat/suites/smoke/cases/${KEY}/history`,
  'history in full': `/projects/chat/suites/full/cases/${KEY}/history`,
  'timeline in smoke': `/projects/chat/suites/smoke/cases/${KEY}/timeline`,
}

/** Returns the names of the responses that are no longer cached after a change. */
const invalidatedBy = async (change: () => Promise<unknown>): Promise<string[]> => {
  for (const path of Object.values(PATHS)) await get(path)
  for (const [name, path] of Object.entries(PATHS)) expect(await isWarm(path), name).toBe(true)
  await change()
  const invalidated: string[] = []
  for (const [name, path] of Object.entries(PATHS)) if (!(await isWarm(path))) invalidated.push(name)
  return invalidated
}
const LISTS = ['list', 'list of suites of one name', 'projects', 'sets', 'overview']
const OF_CHAT = ['list of a project', 'suites of chat', 'set of chat']
// A run that is uploaded later may be the previous one of a run in its suite.
const OF_SMOKE = [
  'list of a suite',
  'set of smoke',
  'history in smoke',
  'timeline in smoke',
  'run a in its suite',
  'run before a',
  'case of a in its suite',
]

describe('cached responses', () => {
  it('are invalidated by an upload: lists, its project and its suite only', async () => {
    const upload = () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }))
    expect((await invalidatedBy(upload)).sort()).toEqual([...LISTS, ...OF_CHAT, ...OF_SMOKE].sort())
  })

  it('are invalidated by an upload without a project: lists only', async () => {
    expect(
      (await invalidatedBy(() => spec.ingest(aDocument({ run_id: 'new', project: null, suite: 'smoke' })))).sort(),
    ).toEqual([...LISTS].sort())
  })

  it('of a run are invalidated by uploads to its suite, also after it moved there', async () => {
    const upload = (run_id: string, suite: string) => spec.ingest(aDocument({ run_id, project: 'chat', suite }))
    const path = '/runs/moved/in-suite'
    for (const [suite, other] of [
      ['full', 'smoke'],
      ['smoke', 'full'],
    ] as const) {
      await upload('moved', suite)
      await get(path)
      await upload(`next to ${suite}`, other)
      expect(await isWarm(path)).toBe(true)
      await upload(`later in ${suite}`, suite)
      expect(await isWarm(path)).toBe(false)
      expect((await spec.sendAs('admin')('DELETE', '/runs/moved')).statusCode).toBe(204)
    }
  })

  it('stay cached after an upload that is a duplicate or is rejected', async () => {
    const again = aDocument({ run_id: 'a', project: 'chat', suite: 'smoke', cases: [aCase({ output: 'needle' })] })
    expect(await invalidatedBy(async () => expect((await spec.ingest(again)).statusCode).toBe(200))).toEqual([])
    expect(
      await invalidatedBy(async () =>
        expect((await spec.ingest({ ...again, note: 1, schema_version: 9 })).statusCode).toBe(422),
      ),
    ).toEqual([])
  })

  it('are invalidated by a pin: its suite and its project', async () => {
    const pin = () =>
      spec.sendAs(null)('PUT', '/projects/chat/suites/smoke/baseline', { headers: JSON_TYPE, body: { run_id: 'a' } })
    expect((await invalidatedBy(pin)).sort()).toEqual([...OF_CHAT, ...OF_SMOKE, 'overview'].sort())
    expect((await get('/sets/chat/suites/smoke')).json()).toMatchObject({ baseline_run_id: 'a' })
  })

  it('no longer show a deleted run', async () => {
    for (const path of Object.values(PATHS)) await get(path)
    const ofStatistics = [
      '/runs/a/statistics',
      '/runs/b/compare/a/statistics',
      '/compare?runs=a,b',
      '/runs/a/tests/greeting',
    ]
    for (const path of ['/runs/b/compare/a', ...ofStatistics]) await get(path)
    await spec.sendAs('admin')('DELETE', '/runs/a')
    for (const path of [
      '/runs/a',
      '/runs/a/cases',
      `/runs/a/cases/${KEY}`,
      '/runs/a/matrix',
      '/runs/a/config',
      '/runs/b/compare/a',
      '/sets/chat/suites/smoke',
      ...ofStatistics,
    ])
      expect((await get(path)).statusCode, path).toBe(404)
    expect((await get('/runs?project=chat&suite=smoke')).json()).toMatchObject({ runs: [] })
    expect(await isWarm('/runs/b')).toBe(true)
  })

  it('are invalidated by changes in a restricted set only for its viewers', async () => {
    const { ann, ben, root } = await signIn(spec)
    await spec.restrict('chat', 'smoke')
    await spec.restrict('hidden')
    await spec.grant('ann', 'view', 'chat')
    // This grant is on another suite, so ben does not see chat/smoke.
    await spec.grant('ben', 'manage', 'chat', 'full')
    const shown = [
      '/runs',
      '/runs?project=chat',
      '/runs?project=chat&suite=smoke',
      '/runs?suite=smoke',
      '/projects',
      '/projects/chat/suites',
      '/sets',
      '/sets/chat',
      '/overview',
    ]
    const unpinned = shown.filter(
      (path) => !/^\/(runs\?|runs$|projects$|sets$)/.test(path) || path.includes('project=chat'),
    )
    const changes = {
      upload: () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }), { caller: 'admin' }),
      pin: () =>
        spec.sendAs('admin')('PUT', '/projects/chat/suites/smoke/baseline', {
          headers: JSON_TYPE,
          body: { run_id: 'new' },
        }),
      deletion: () => spec.sendAs('admin')('DELETE', '/runs/new'),
    }
    for (const [name, change] of Object.entries(changes)) {
      for (const token of [null, ann, ben, root]) for (const path of shown) await get(path, token)
      expect((await change()).statusCode, name).toBeLessThan(300)
      for (const token of [null, ben])
        for (const path of shown) expect(await isWarm(path, token), `${path} after ${name}`).toBe(true)
      for (const token of [ann, root])
        for (const path of name === 'pin' ? unpinned : shown)
          expect(await isWarm(path, token), `${path} after ${name}`).toBe(false)
    }
  })

  it('are all invalidated by a change of access', async () => {
    expect(await invalidatedBy(() => spec.restrict('nothing of these'))).toEqual(Object.keys(PATHS))
  })

  it('that show labels are invalidated by a start that renames a token', async () => {
    const start = () =>
      spec.service.commit('recordStart', SYSTEM, {
        instance: 'again',
        config_sha256: '0'.repeat(64),
        schema: 1,
        version: '2',
        principals: [{ id: 'static:write:2', kind: 'static', label: 'renamed' }],
      })
    expect((await invalidatedBy(start)).sort()).toEqual([
      'case of a in its suite',
      'list',
      'list of a project',
      'list of a suite',
      'list of suites of one name',
      'run a',
      'run a in its suite',
      'run b',
    ])
    expect((await get('/runs/a')).json()).toMatchObject({ uploaded_by: 'renamed' })
  })
})

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
      const isOpen = ['/health', '/ready', '/meta', '/openapi.json', '/schemas/run-document', '/auth/me'].some((open) =>
        url.endsWith(open),
      )
      const isImage = url.endsWith('.svg')
      expect(refused.statusCode, url).toBe(isOpen ? allowed.statusCode : isImage ? 404 : 401)
    }
    await closed.close()
  })

  it('waits for the read tables like any other response', async () => {
    let ready = true
    const withCache = await openApp({ mode: 'open', isReady: () => ready })
    expect((await withCache.sendAs(null)('GET', '/runs')).statusCode).toBe(200)
    ready = false
    expect((await withCache.sendAs(null)('GET', '/runs')).statusCode).toBe(503)
    await withCache.close()
  })

  it('exists for every read except exports, the shared cache, accounts, access and audit', async () => {
    const uncached =
      /\/(export|\w+\.csv|access|accounts|audit(\/:seq)?|auth\/(me|sessions)|apikeys|users(\/overview)?|views|server|cache\/(:key|stats|overview|facets|prune|entries(\/:key(\/eviction)?)?))$/
    const readRoutes = routesOf(spec.app).filter(
      ({ method, url }) =>
        method === 'GET' &&
        url.startsWith('/api/v1/') &&
        !/\/(health|ready|meta|openapi\.json|events\/stream)$/.test(url),
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
      }).replace('/api/v1', '')
    const queries: Readonly<Record<string, string>> = {
      '/search': '?q=needle',
      '/search/cases': '?q=needle',
      '/compare': '?runs=a,b',
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
    // The shared cache reads from its own store, and those reads are not counted here.
    for (const { url } of readRoutes.filter(({ url }) => uncached.test(url) && !/\/cache\/|users\/:id/.test(url))) {
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
  beforeEach(async () => {
    tokens = await signIn(spec)
  })
  const runs = async (token: string | null = null) =>
    (await get('/runs', token))
      .json<{ runs: Array<{ id: string }> }>()
      .runs.map(({ id }) => id)
      .sort()

  it('follow what each viewer may see, even when all are cached', async () => {
    const { ann, ben, cat, root } = tokens
    await spec.restrict('chat', 'smoke')
    await spec.grant('ann', 'view', 'chat', 'smoke')
    await spec.grant('ben', 'manage', 'chat')
    for (const _ of ['cold', 'warm']) {
      expect(await runs(root)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(await runs(TOKENS.admin)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(await runs(ann)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(await runs(cat)).toEqual(['b', 'c', 'd', 'e'])
      expect(await runs()).toEqual(['b', 'c', 'd', 'e'])
      const [hidden, absent] = [await get('/runs/a'), await get('/runs/never')]
      expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
      expect((await get('/runs/a', null, { 'if-none-match': '*' })).statusCode).toBe(404)
      expect((await get('/runs/a', ann)).statusCode).toBe(200)
      expect((await get('/sets/chat', ben)).json()).toMatchObject({ my_level: 'manage' })
      expect((await get('/sets/chat', ann)).json()).toMatchObject({ my_level: null })
    }
    await spec.lift('chat', 'smoke')
    expect(await runs()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect((await get('/sets/chat', ben)).json()).toMatchObject({ my_level: 'manage', restricted: false })
    expect((await get('/sets/chat', cat)).json()).toMatchObject({ my_level: null, restricted: false })
  })

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

describe('responses with and without the cache', () => {
  let withCache: SpecApp
  let uncached: SpecApp['app']
  let tokens: typeof TOKENS & SessionTokens
  beforeAll(async () => {
    withCache = await openApp({ mode: 'open', now: () => NOW })
    tokens = { ...TOKENS, ...(await signIn(withCache)) }
    const { cache } = withCache.services
    uncached = await buildApp({
      ...withCache.services,
      cache: { ...cache, find: () => undefined, answer: (_key, _asker, _tags, signal, fill) => fill(signal) },
    })
    // Over sockets, because cached responses are sent before the app handles the request.
    for (const app of [withCache.app, uncached]) await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await uncached.close()
    await withCache.close()
  })

  const SETS = [
    ['p', 's'],
    ['p', 't'],
    ['q', 's'],
    ['p', null],
    [null, 's'],
  ] as const
  const RUNS = Array.from({ length: 8 }, (_, i) => `r${i}`)
  const READ_PATHS = [
    ...[
      '',
      '?project=p',
      '?project=p&suite=s',
      '?suite=s',
      '?project=q&suite=s',
      '?cached=exclude',
      '?actor=write',
      '?limit=2',
      '?status=fail',
    ].map((query) => `/runs${query}`),
    ...RUNS.slice(0, 5).flatMap((id) =>
      [
        '',
        '/cases',
        '/matrix',
        '/config',
        `/cases/${KEY}`,
        '/statistics',
        `/compare/${RUNS[1]}`,
        `/compare/${RUNS[1]}/statistics`,
      ].map((path) => `/runs/${id}${path}`),
    ),
    ...[
      '/search?q=needle',
      '/projects',
      '/projects/p/suites',
      '/projects/q/suites',
      '/sets',
      '/sets/p',
      '/sets/q',
      '/sets/p/suites/s',
      '/sets/p/suites/t',
      '/sets/q/suites/s',
      '/projects/p/suites/s/trend',
      `/compare?runs=${RUNS.slice(0, 2).join(',')}`,
      `/compare/outputs?runs=${RUNS.slice(0, 2).join(',')}&test=greeting`,
    ],
    ...[
      ['p', 's'],
      ['p', 't'],
      ['q', 's'],
    ].flatMap(([project, suite]) =>
      [`cases/${KEY}/history`, `cases/${KEY}/timeline`, 'grid', 'flakiness'].map(
        (path) => `/projects/${project}/suites/${suite}/${path}`,
      ),
    ),
  ]
  const VIEWERS = [null, 'ann', 'ben', 'cat', 'root', 'read', 'admin'] as const

  /** Each run id has a fixed set, so that most pins match a run and a deletion sometimes empties a set. */
  const setOf = (run: number) => SETS[run % SETS.length] ?? SETS[0]
  const runIndex = fc.nat(RUNS.length - 1)
  const PROJECTS = ['p', 'q'] as const
  const SUITES = ['s', 't', null] as const
  const project = fc.constantFrom(...PROJECTS)
  const suite = fc.constantFrom(...SUITES)
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('ingest' as const), run: runIndex, failing: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), run: runIndex }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), run: runIndex }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpin' as const), run: runIndex }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restrict' as const), project, suite }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('grant' as const),
        who: fc.constantFrom('ann', 'ben'),
        level: fc.constantFrom(...LEVELS),
        project,
        suite,
      }),
    },
  )
  // Each random history reads only a few paths, so that a response cached in one step is requested in the next.
  const history = fc.record({
    steps: fc.array(step, { minLength: 10, maxLength: 30 }),
    paths: fc.uniqueArray(fc.constantFrom(...READ_PATHS), { minLength: 6, maxLength: 6 }),
    viewers: fc.uniqueArray(fc.constantFrom(...VIEWERS), { minLength: 2, maxLength: 2 }),
  })

  const baselineOf = ([projectName, suiteName]: (typeof SETS)[number]) =>
    `/projects/${projectName ?? 'none'}/suites/${suiteName ?? 'none'}/baseline`
  const run = async (change: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
    const admin = withCache.sendAs('admin')
    switch (change.kind) {
      case 'ingest': {
        const [projectName, suiteName] = setOf(change.run)
        await withCache.ingest(
          aDocument({
            run_id: RUNS[change.run] ?? '',
            project: projectName,
            suite: suiteName,
            cases: [aCase({ output: 'needle', status: change.failing ? 'fail' : 'pass' })],
          }),
          { caller: 'admin' },
        )
        break
      }
      case 'delete':
        await admin('DELETE', `/runs/${RUNS[change.run]}`)
        break
      case 'pin':
        await admin('PUT', baselineOf(setOf(change.run)), { headers: JSON_TYPE, body: { run_id: RUNS[change.run] } })
        break
      case 'unpin':
        await admin('DELETE', baselineOf(setOf(change.run)))
        break
      case 'restrict':
        await withCache.restrict(change.project, change.suite)
        break
      case 'lift':
        await liftAll()
        break
      case 'grant':
        await withCache.grant(change.who, change.level, change.project, change.suite)
    }
  }
  const liftAll = async (): Promise<void> => {
    for (const project of PROJECTS)
      for (const suite of SUITES)
        if (await withCache.service.reader.read(findRestricted({ project, suite })))
          await withCache.lift(project, suite)
  }

  it('are the same for every viewer after random changes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, paths, viewers }) => {
        for (const step of steps) {
          await run(step)
          for (const path of paths)
            for (const viewer of viewers) {
              const headers = { 'x-request-id': 'same', ...(viewer === null ? {} : { authorization: tokens[viewer] }) }
              const fetchFrom = async (app: SpecApp['app']) => {
                const answer = await fetch(
                  `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1${path}`,
                  { headers },
                )
                return {
                  status: answer.status,
                  body: await answer.text(),
                  headers: { ...Object.fromEntries(answer.headers), date: '' },
                }
              }
              expect(await fetchFrom(withCache.app), `${path} for ${viewer}`).toEqual(await fetchFrom(uncached))
            }
        }
        await liftAll()
      }),
      // On PostgreSQL every request waits for the log, and every step sends many requests.
      { numRuns: runCount(12, 4) },
    )
  })
})
