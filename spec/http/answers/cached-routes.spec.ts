import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../http/app.ts'
import type { Services } from '../../../http/services.ts'
import { findRestricted } from '../../../queries/access/access.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { LEVELS } from '../../../queries/access/visible.ts'
import type { OpenService } from '../../../runtime/open-service.ts'
import { Unavailable } from '../../../storage/errors.ts'
import type { Reader } from '../../../storage/storage.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { filled, routesOf } from '../../support/http/routes.ts'
import { runs } from '../../support/random/runs.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'

const KEY = aCase().case_key
const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * Session tokens of a few people, of whom one is an admin. Each is looked up late at first and after a change of
 * access, and known at once otherwise.
 */
const signIn = async (of: SpecApp) => ({
  ann: (await of.addUser('ann')).token,
  ben: (await of.addUser('ben')).token,
  cat: (await of.addUser('cat')).token,
  root: (await of.addUser('root', 'admin')).token,
})
type People = Awaited<ReturnType<typeof signIn>>

/** Counts reads, and lets them wait or fail, and their answers wait, where a spec says so. */
const counting = (reader: Reader) => {
  const state = { reads: 0, before: (): Promise<void> | void => {}, after: (): Promise<void> | void => {} }
  const counted: Reader = {
    dialect: reader.dialect,
    read: async (query) => {
      if (query.token) state.reads++
      await state.before()
      const found = await reader.read(query)
      await state.after()
      return found
    },
    readAll: async (queries) => {
      state.reads++
      await state.before()
      return reader.readAll(queries)
    },
  }
  return { state, counted }
}

let spec: SpecApp
let reads: ReturnType<typeof counting>['state']
/** How often the cache was asked for an answer: whoever asked has joined what is being made by then. */
let asked: number
const parts = ({ reader, cache }: OpenService): Partial<Services> => {
  const { state, counted } = counting(reader)
  reads = state
  asked = 0
  const answer: typeof cache.answer = (...question) => {
    const answered = cache.answer(...question)
    asked++
    return answered
  }
  return { reader: counted, cache: { ...cache, answer } }
}
beforeEach(async () => {
  spec = await openApp({ mode: 'open', parts })
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
  spec.holding(token)('GET', path, { headers })
/** Whether a path is answered without a read. */
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
  'cases of a': '/runs/a/cases',
  'case of a': `/runs/a/cases/${KEY}`,
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
}

/** Which answers must be made anew after a change. */
const coldAfter = async (change: () => Promise<unknown>): Promise<string[]> => {
  for (const path of Object.values(PATHS)) await get(path)
  for (const [name, path] of Object.entries(PATHS)) expect(await isWarm(path), name).toBe(true)
  await change()
  const cold: string[] = []
  for (const [name, path] of Object.entries(PATHS)) if (!(await isWarm(path))) cold.push(name)
  return cold
}
const LISTS = ['list', 'list of suites of one name', 'projects', 'sets']
const OF_CHAT = ['list of a project', 'suites of chat', 'set of chat']
const OF_SMOKE = ['list of a suite', 'set of smoke', 'history in smoke']

describe('kept answers are made anew', () => {
  it('after an upload: lists, its project and its suite; no other run, suite or project', async () => {
    const upload = () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }))
    expect((await coldAfter(upload)).sort()).toEqual([...LISTS, ...OF_CHAT, ...OF_SMOKE].sort())
  })

  it('after an upload without a project: lists alone', async () => {
    expect(
      (await coldAfter(() => spec.ingest(aDocument({ run_id: 'new', project: null, suite: 'smoke' })))).sort(),
    ).toEqual([...LISTS].sort())
  })

  it('not after an upload that changed nothing, or a refused one', async () => {
    const again = aDocument({ run_id: 'a', project: 'chat', suite: 'smoke', cases: [aCase({ output: 'needle' })] })
    expect(await coldAfter(async () => expect((await spec.ingest(again)).statusCode).toBe(200))).toEqual([])
    expect(
      await coldAfter(async () =>
        expect((await spec.ingest({ ...again, note: 1, schema_version: 9 })).statusCode).toBe(422),
      ),
    ).toEqual([])
  })

  it('after a pin: its suite and its project', async () => {
    const pin = () =>
      spec.as(null)('PUT', '/projects/chat/suites/smoke/baseline', { headers: JSON_TYPE, body: { run_id: 'a' } })
    expect((await coldAfter(pin)).sort()).toEqual([...OF_CHAT, ...OF_SMOKE, 'run a in its suite'].sort())
    expect((await get('/sets/chat/suites/smoke')).json()).toMatchObject({ baseline_run_id: 'a' })
  })

  it('after a deletion: the run is gone, from every answer', async () => {
    for (const path of Object.values(PATHS)) await get(path)
    await get(`/runs/b/compare/a`)
    await spec.as('admin')('DELETE', '/runs/a')
    for (const path of [
      '/runs/a',
      '/runs/a/cases',
      `/runs/a/cases/${KEY}`,
      '/runs/a/matrix',
      '/runs/a/config',
      '/runs/b/compare/a',
      '/sets/chat/suites/smoke',
    ])
      expect((await get(path)).statusCode, path).toBe(404)
    expect((await get('/runs?project=chat&suite=smoke')).json()).toMatchObject({ runs: [] })
    expect(await isWarm('/runs/b')).toBe(true)
  })

  it('after an upload, a pin or a deletion in a restricted set: for those who may see it, and for no other viewer', async () => {
    const { ann, ben, root } = await signIn(spec)
    await spec.restrict('chat', 'smoke')
    await spec.restrict('hidden')
    await spec.grant('ann', 'view', 'chat')
    // Of another suite: it shows nothing of this one.
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
      '/runs/b/in-suite',
    ]
    const unpinned = shown.filter(
      (path) => !/^\/(runs\?|runs$|projects$|sets$)/.test(path) || path.includes('project=chat'),
    )
    const changes = {
      upload: () => spec.ingest(aDocument({ run_id: 'new', project: 'chat', suite: 'smoke' }), { caller: 'admin' }),
      pin: () =>
        spec.as('admin')('PUT', '/projects/chat/suites/smoke/baseline', {
          headers: JSON_TYPE,
          body: { run_id: 'new' },
        }),
      deletion: () => spec.as('admin')('DELETE', '/runs/new'),
    }
    for (const [name, change] of Object.entries(changes)) {
      for (const token of [null, ann, ben, root]) for (const path of shown) await get(path, token)
      expect((await change()).statusCode, name).toBeLessThan(300)
      for (const token of [null, ben])
        for (const path of shown) expect(await isWarm(path, token), `${path} after ${name}`).toBe(true)
      for (const token of [ann, root])
        for (const path of name === 'pin' ? unpinned : shown.slice(0, -1))
          expect(await isWarm(path, token), `${path} after ${name}`).toBe(false)
    }
  })

  it('after a change of access: all of them', async () => {
    expect(await coldAfter(() => spec.restrict('nothing of these'))).toEqual(Object.keys(PATHS))
  })

  it('after a start, which labels who uploads: what shows labels', async () => {
    const start = () =>
      spec.service.commit('recordStart', SYSTEM, {
        instance: 'again',
        config_sha256: '0'.repeat(64),
        schema: 1,
        version: '2',
        principals: [{ id: 'static:write:2', kind: 'static', label: 'renamed' }],
      })
    expect((await coldAfter(start)).sort()).toEqual([
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

describe('a kept answer', () => {
  it('is that of its path and its query alone', async () => {
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

  it('has the bytes, the headers and the tag of the first one', async () => {
    for (const path of Object.values(PATHS)) {
      const first = await get(path, null, { 'x-request-id': 'mine' })
      expect(await isWarm(path)).toBe(true)
      const again = await get(path, null, { 'x-request-id': 'mine' })
      expect({ ...again.headers, date: '' }, path).toEqual({ ...first.headers, date: '' })
      expect(again.body).toBe(first.body)
      const head = await spec.as(null)('HEAD', path, { headers: { 'x-request-id': 'mine' } })
      expect({ ...head.headers, date: '' }, path).toEqual({ ...first.headers, date: '' })
      expect(head.body).toBe('')
      for (const method of ['GET', 'HEAD'] as const) {
        const unchanged = await spec.as(null)(method, path, {
          headers: { 'if-none-match': `W/"x", ${first.headers.etag}`, 'x-request-id': 'mine' },
        })
        expect([unchanged.statusCode, unchanged.body]).toEqual([304, ''])
        const { 'content-type': _, 'content-length': __, ...rest } = first.headers
        expect({ ...unchanged.headers, date: '' }, path).toEqual({ ...rest, date: '' })
      }
    }
  })

  it('is made by HEAD as well', async () => {
    await spec.as(null)('HEAD', '/runs')
    expect(await isWarm('/runs')).toBe(true)
  })

  it('is shown to nobody who does not pass the gates', async () => {
    const closed = await openApp({ mode: 'closed' })
    await closed.ingest(aDocument({ run_id: 'a' }))
    for (const { method, url } of routesOf(closed.app).filter(
      (route) => route.method === 'GET' && route.url.startsWith('/api/v1/'),
    )) {
      const path = filled(url, { id: 'a', other: 'a', project: 'chat', suite: 'smoke', case_key: KEY })
      const allowed = await closed.as('admin')(method, path)
      const refused = await closed.as(null)(method, path)
      const isOpen = ['/health', '/ready', '/meta', '/openapi.json', '/auth/me'].some((open) => url.endsWith(open))
      expect(refused.statusCode, url).toBe(isOpen ? allowed.statusCode : 401)
    }
    await closed.close()
  })

  it('waits for the read tables like any other', async () => {
    let ready = true
    const own = await openApp({ mode: 'open', isReady: () => ready })
    expect((await own.as(null)('GET', '/runs')).statusCode).toBe(200)
    ready = false
    expect((await own.as(null)('GET', '/runs')).statusCode).toBe(503)
    await own.close()
  })

  it('is there for every read but the export, the shared cache, and what tells of accounts, access and the audit trail', async () => {
    const anew = /\/(export|access|audit(\/:seq)?|auth\/me|apikeys|users|cache\/(:key|stats|facets|entries(\/:key)?))$/
    const reading = routesOf(spec.app).filter(
      ({ method, url }) =>
        method === 'GET' && url.startsWith('/api/v1/') && !/\/(health|ready|meta|openapi\.json)$/.test(url),
    )
    const pathOf = (url: string) =>
      filled(url, {
        id: 'a',
        other: 'b',
        project: 'chat',
        suite: 'smoke',
        case_key: KEY,
        seq: '1',
        key: cacheKeyOf('none'),
      }).replace('/api/v1', '')
    const kept = reading.filter(({ url }) => !anew.test(url))
    expect(kept.length).toBeGreaterThan(11)
    for (const { url } of kept) {
      const path = `${pathOf(url)}${url.endsWith('/search') ? '?q=needle' : ''}`
      const first = await get(path)
      const size = spec.service.cache.size()
      expect((await get(path)).body, path).toBe(first.body)
      expect(await isWarm(path), path).toBe(true)
      expect(spec.service.cache.size(), path).toBe(size)
    }
    const { root } = await signIn(spec)
    // The shared cache reads from a store of its own, whose reads are not counted here.
    for (const { url } of reading.filter(({ url }) => anew.test(url) && !url.includes('/cache/'))) {
      await get(pathOf(url), root)
      expect(await isWarm(pathOf(url), root), url).toBe(false)
    }
  })
})

describe('what is no success', () => {
  it('is asked again each time', async () => {
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

  it('is shared by those who waited for it, and by nobody after', async () => {
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

describe('requests at once', () => {
  it('share one read', async () => {
    await get('/projects/none/suites')
    reads.before = () => new Promise((resolve) => setImmediate(resolve))
    const before = reads.reads
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/projects')))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    // How much there is, and what there is.
    expect(reads.reads - before).toBe(2)
  })

  it('lose nothing when the one that came first goes away', async () => {
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = spec.app.server.address() as AddressInfo
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    await get('/projects/none/suites')
    reads.before = () => {
      reached.resolve()
      return goOn.promise
    }
    const first = connect(port, '127.0.0.1', () => first.write('GET /api/v1/projects HTTP/1.1\r\nHost: x\r\n\r\n'))
    await reached.promise
    const [before, askedBefore] = [reads.reads, asked]
    const second = get('/projects')
    while (asked === askedBefore) await new Promise((resolve) => setImmediate(resolve))
    first.destroy()
    // The server has seen it leave once it has no connection any more.
    while (await new Promise((resolve) => spec.app.server.getConnections((_, open) => resolve(open > 0))))
      await new Promise((resolve) => setImmediate(resolve))
    goOn.resolve()
    expect((await second).statusCode).toBe(200)
    // Both reads of the one answer, of which the first was under way.
    expect(reads.reads).toBe(before + 1)
  })
})

describe('who may see what', () => {
  let people: People
  beforeEach(async () => {
    people = await signIn(spec)
  })
  const runs = async (token: string | null = null) =>
    (await get('/runs', token))
      .json<{ runs: Array<{ id: string }> }>()
      .runs.map(({ id }) => id)
      .sort()

  it('decides anew for each viewer, however warm the answers of others are', async () => {
    const { ann, ben, cat, root } = people
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

  it('is shared by those who see the same', async () => {
    const { ann, ben, cat } = people
    await spec.restrict('chat')
    await spec.grant('ann', 'view', 'chat')
    await spec.grant('ben', 'manage', 'chat')
    for (const token of [ann, ben, cat, null]) await get('/projects/none/suites', token)
    await get('/runs', ann)
    expect(await isWarm('/runs', ben)).toBe(true)
    expect(await isWarm('/runs', cat)).toBe(false)
    expect(await isWarm('/runs')).toBe(true)
  })

  it('keeps nothing that one may see now for those who see what that one saw before', async () => {
    await spec.restrict('chat')
    // Tells the service who cat is, so that the first read of what follows is of what cat may see.
    await get('/auth/me', people.cat)
    const goOn = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    reads.after = () => {
      reached.resolve()
      return goOn.promise
    }
    const early = get('/runs', people.cat)
    // What cat may see is known by now, and changes before the runs are read.
    await reached.promise
    await spec.grant('cat', 'view', 'chat')
    goOn.resolve()
    expect((await early).json<{ runs: unknown[] }>().runs).toHaveLength(5)
    expect(await runs()).toEqual(['c', 'd'])
  })
})

describe('with the cache and without', () => {
  let own: SpecApp
  let bare: SpecApp['app']
  let tokens: typeof TOKENS & People
  beforeAll(async () => {
    own = await openApp({ mode: 'open' })
    tokens = { ...TOKENS, ...(await signIn(own)) }
    const { cache } = own.services
    bare = await buildApp({
      ...own.services,
      cache: { ...cache, find: () => undefined, answer: (_key, _asker, _tags, gone, fill) => fill(gone) },
    })
    // Over sockets, since kept answers are given before the app is asked.
    for (const app of [own.app, bare]) await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await bare.close()
    await own.close()
  })

  const SETS = [
    ['p', 's'],
    ['p', 't'],
    ['q', 's'],
    ['p', null],
    [null, 's'],
  ] as const
  const RUNS = Array.from({ length: 8 }, (_, i) => `r${i}`)
  const READ = [
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
      ['', '/cases', '/matrix', '/config', `/cases/${KEY}`, `/compare/${RUNS[1]}`].map((path) => `/runs/${id}${path}`),
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
    ],
    ...[
      ['p', 's'],
      ['p', 't'],
      ['q', 's'],
    ].map(([project, suite]) => `/projects/${project}/suites/${suite}/cases/${KEY}/history`),
  ]
  const WHO = [null, 'ann', 'ben', 'cat', 'root', 'read', 'admin'] as const

  /** Each run id has its set, so that most pins meet a run and a deletion empties a set now and then. */
  const setOf = (run: number) => SETS[run % SETS.length] ?? SETS[0]
  const some = fc.nat(RUNS.length - 1)
  const PROJECTS = ['p', 'q'] as const
  const SUITES = ['s', 't', null] as const
  const project = fc.constantFrom(...PROJECTS)
  const suite = fc.constantFrom(...SUITES)
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('ingest' as const), run: some, failing: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), run: some }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), run: some }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpin' as const), run: some }) },
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
  // A few answers are followed through a whole history: what is kept of one step is asked for in the next.
  const history = fc.record({
    steps: fc.array(step, { minLength: 10, maxLength: 30 }),
    paths: fc.uniqueArray(fc.constantFrom(...READ), { minLength: 6, maxLength: 6 }),
    viewers: fc.uniqueArray(fc.constantFrom(...WHO), { minLength: 2, maxLength: 2 }),
  })

  const baselineOf = ([of, named]: (typeof SETS)[number]) =>
    `/projects/${of ?? 'none'}/suites/${named ?? 'none'}/baseline`
  const run = async (does: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
    const admin = own.as('admin')
    switch (does.kind) {
      case 'ingest': {
        const [of, named] = setOf(does.run)
        await own.ingest(
          aDocument({
            run_id: RUNS[does.run] ?? '',
            project: of,
            suite: named,
            cases: [aCase({ output: 'needle', status: does.failing ? 'fail' : 'pass' })],
          }),
          { caller: 'admin' },
        )
        break
      }
      case 'delete':
        await admin('DELETE', `/runs/${RUNS[does.run]}`)
        break
      case 'pin':
        await admin('PUT', baselineOf(setOf(does.run)), { headers: JSON_TYPE, body: { run_id: RUNS[does.run] } })
        break
      case 'unpin':
        await admin('DELETE', baselineOf(setOf(does.run)))
        break
      case 'restrict':
        await own.restrict(does.project, does.suite)
        break
      case 'lift':
        await liftAll()
        break
      case 'grant':
        await own.grant(does.who, does.level, does.project, does.suite)
    }
  }
  const liftAll = async (): Promise<void> => {
    for (const project of PROJECTS)
      for (const suite of SUITES)
        if (await own.service.reader.read(findRestricted({ project, suite }))) await own.lift(project, suite)
  }

  it('every answer is the same, whatever happened and whoever looks', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, paths, viewers }) => {
        for (const does of steps) {
          await run(does)
          for (const path of paths)
            for (const who of viewers) {
              const headers = { 'x-request-id': 'same', ...(who === null ? {} : { authorization: tokens[who] }) }
              const shown = async (app: SpecApp['app']) => {
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
              expect(await shown(own.app), `${path} for ${who}`).toEqual(await shown(bare))
            }
        }
        await liftAll()
      }),
      // Every request waits for the log there, and every step asks many times.
      { numRuns: runs(12, 4) },
    )
  })
})
