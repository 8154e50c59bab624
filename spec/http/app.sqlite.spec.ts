import fc from 'fast-check'
import { METHODS } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CACHE_RULES } from '../../http/answers/cache-rules.ts'
import { openApp, TOKENS, type SpecApp } from '../support/servers/app.ts'
import { aCase, aDocument, theExample } from '../support/documents/documents.ts'
import { rawRequest } from '../support/http/raw-request.ts'
import { fillPath, isSignInStep, routesOf } from '../support/http/routes.ts'
import { runCount } from '../support/random/runs.ts'

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/
const ID = theExample().run_id
afterAll(() => spec.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  spec.sendAs(null)('GET', path, { headers })

/** Requests with each kind of response: success, created, refused, not found, undecodable, static, none. */
const ALL_KINDS: ReadonlyArray<readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD', url: string]> =
  [
    ['GET', '/health'],
    ['GET', '/api/v1/runs'],
    ['HEAD', '/api/v1/runs'],
    ['GET', `/api/v1/runs/${ID}/export`],
    ['GET', '/api/v1/runs?x=1'],
    ['GET', '/api/v1/runs/none'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/runs/'],
    ['GET', '/api/v1/runs//cases'],
    ['GET', '/api/v1/runs/%FF'],
    ['GET', '/api/v1/nothing/%FF'],
    ['GET', `/api/v1/runs/${'x'.repeat(20_000)}`],
    ['POST', '/api/v1/runs'],
    ['PUT', '/api/v1/runs'],
    ['OPTIONS', '/api/v1/runs'],
    ['DELETE', '/api/v1/projects/a/suites/b/baseline'],
    ['GET', '/'],
    ['GET', '/login'],
    ['GET', '/%FF'],
    ['GET', '/assets/none.js'],
    ['GET', '/metrics'],
  ]
const spec = await openApp({ mode: 'open' })
await spec.ingest(theExample())

describe('the request id', () => {
  it.each(ALL_KINDS)('is echoed by %s %s', async (method, url) => {
    expect(
      (await spec.app.inject({ method, url, headers: { 'x-request-id': 'from the-client/1' } })).headers[
        'x-request-id'
      ],
    ).toBe('from the-client/1')
  })

  it.each(ALL_KINDS)('is generated where none is sent, by %s %s', async (method, url) => {
    const first = (await spec.app.inject({ method, url })).headers['x-request-id']
    const second = (await spec.app.inject({ method, url, headers: { 'x-request-id': '' } })).headers['x-request-id']
    expect(first).toMatch(ULID)
    expect(second).toMatch(ULID)
    expect(second).not.toBe(first)
  })

  it('is echoed with any value that a header can hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...'aZ09-._:/ "\'{}~é'), minLength: 1, maxLength: 200 }),
        async (id) => {
          const sent = id.trim()
          fc.pre(sent !== '')
          expect((await get('/meta', { 'x-request-id': sent })).headers['x-request-id']).toBe(sent)
        },
      ),
      { numRuns: runCount(50) },
    )
  })
})

describe('routing', () => {
  it.each([
    '/nothing',
    '/',
    '/runs/',
    '/runs/x/',
    '/meta/',
    '/runs//cases',
    '/projects//suites',
    '/projects/a/suites//baseline',
    '/sets/',
    '/sets//suites/x',
    '/Runs',
    '/runs/x/nothing',
    '//runs',
    '/runs/x/compare/',
    '/runs/x/cases/',
  ])('has no route %s', async (path) => {
    const answer = await get(path)
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'route not found' }])
  })

  it('returns 405 with the allowed methods to any caller', async () => {
    const routes = routesOf(spec.app)
    // A fixed path such as `/cache/stats` has only the methods of its own route, although `/cache/:key` matches it too.
    const matches = (route: string, path: string): boolean =>
      new RegExp(
        `^${route
          .split('/')
          .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
          .join('/')}$`,
      ).test(path)
    for (const url of new Set(routes.map((route) => route.url))) {
      const methods = [
        ...new Set(
          routes
            .filter((route) => (url.includes(':') ? matches(route.url, fillPath(url, {})) : route.url === url))
            .map(({ method }) => method),
        ),
      ]
      for (const method of (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).filter(
        (candidate) => !methods.includes(candidate),
      )) {
        const answer = await spec.app.inject({
          method,
          url: fillPath(url, {}),
          headers: { 'content-type': 'application/json' },
          payload: '{',
        })
        expect(answer.statusCode, `${method} ${url}`).toBe(405)
        expect(answer.headers.allow, `${method} ${url}`).toBe(methods.toSorted().join(', '))
      }
    }
  })

  it('decodes a path part once: slashes, spaces and escapes are part of a name', async () => {
    for (const name of [
      'a/b',
      'a b',
      'a+b',
      'a%2Fb',
      'a%b',
      'ü/日本 🎉',
      'a?b#c',
      '100%',
      "it's",
      'a;b,c:d@e&f=g',
      'access',
      '\\',
      '"',
      'x'.repeat(396),
    ]) {
      await spec.ingest(aDocument({ run_id: `id ${name}`, project: name, suite: name }))
      const part = encodeURIComponent(name)
      expect((await get(`/runs/${encodeURIComponent(`id ${name}`)}`)).json(), name).toMatchObject({
        id: `id ${name}`,
        project: name,
      })
      expect((await get(`/projects/${part}/suites`)).json(), name).toMatchObject({
        project: name,
        suites: [{ suite: name }],
      })
      expect((await get(`/sets/${part}/suites/${part}`)).json(), name).toMatchObject({
        project: name,
        suite: name,
        run_count: 1,
      })
      expect((await get(`/projects/${part}/suites/${part}/cases/${aCase().case_key}/history`)).statusCode, name).toBe(
        200,
      )
    }
  })

  it('finds any run id by its escaped path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), async (text) => {
        const run_id = `any ${text.toWellFormed().replaceAll('\0', '')}`
        await spec.ingest(aDocument({ run_id, project: null, suite: null }))
        expect((await get(`/runs/${encodeURIComponent(run_id)}`)).json()).toMatchObject({ id: run_id })
      }),
      { numRuns: runCount(50) },
    )
  })

  it.each([
    '/runs/%FF',
    '/runs/%',
    '/runs/%E0%A4%A',
    '/runs/%zz',
    '/runs/%C3%28',
    '/runs/%ED%A0%80',
    '/runs/x/cases/%FF',
    '/projects/%FF/suites',
    '/sets/x/suites/%80',
  ])('rejects %s, which is not UTF-8', async (path) => {
    const answer = await get(path)
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ error: string }>().error).toContain('UTF-8')
    expect(answer.headers['content-type']).toBe('application/json')
  })

  it('looks up names up to the request limit and rejects longer ones', async () => {
    expect((await get(`/runs/${'x'.repeat(16_000)}`)).json()).toEqual({ error: 'run not found' })
    const answer = await get(`/runs/${'x'.repeat(20_000)}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'a path part is too long' }])
  })

  it('ignores the body where none is read', async () => {
    const answer = await spec.app.inject({
      method: 'GET',
      url: '/api/v1/meta',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    })
    expect(answer.statusCode).toBe(200)
    for (const type of ['application/json', 'garbage', '', 'text/plain']) {
      for (const encoding of ['identity', 'br']) {
        const headers = { 'content-type': type, 'content-encoding': encoding }
        expect(
          (await spec.app.inject({ method: 'DELETE', url: '/api/v1/runs/none', headers, payload: '{' })).json(),
        ).toEqual({ error: 'run not found' })
        expect(
          (
            await spec.app.inject({
              method: 'DELETE',
              url: '/api/v1/projects/a/suites/b/baseline',
              headers,
              payload: '{',
            })
          ).json(),
        ).toEqual({ error: 'baseline not found' })
      }
    }
  })
})

it('HEAD returns the status and headers of GET without a body, on every route', async () => {
  const names = { id: ID, other: ID, case_key: '07f1c0919d4689f8', project: 'support-desk', suite: 'refunds' }
  for (const { method, url } of routesOf(spec.app).filter(
    (route) => route.method === 'GET' && route.url !== '/metrics' && !isSignInStep(route.url),
  )) {
    for (const path of [
      fillPath(url, names),
      fillPath(url, {}),
      `${fillPath(url, names)}?x=1`,
      `${fillPath(url, names)}?q=yes`,
    ]) {
      const { headers: expected, statusCode } = await spec.app.inject({ method: method as 'GET', url: path })
      const head = await spec.app.inject({ method: 'HEAD', url: path })
      expect(head.statusCode, path).toBe(statusCode)
      expect(head.body, path).toBe('')
      expect({ ...head.headers, 'x-request-id': '', date: '' }, path).toEqual({
        ...expected,
        'x-request-id': '',
        date: '',
      })
    }
  }
})

describe('HTTP caching', () => {
  it('is private and always revalidated on all GETs of the API, errors included', async () => {
    for (const path of [
      '/runs',
      `/runs/${ID}`,
      '/meta',
      '/api/v1/health',
      '/openapi.json',
      '/runs?x=1',
      '/runs/none',
      `/runs/${ID}/export`,
    ]) {
      const { headers } = await get(path)
      expect(headers['cache-control'], path).toBe('private, no-cache')
      expect(headers.vary, path).toBe('Authorization, Cookie, Accept-Encoding')
    }
    expect((await spec.app.inject('/health')).headers['cache-control']).toBeUndefined()
  })

  it('gives every success a strong ETag that depends only on the body', async () => {
    for (const path of [
      '/runs',
      `/runs/${ID}`,
      `/runs/${ID}/export`,
      `/runs/${ID}/matrix`,
      `/runs/${ID}/cases`,
      '/search?q=yes',
      '/sets',
      '/projects',
    ]) {
      const [first, second] = [await get(path), await get(path, { authorization: TOKENS.admin })]
      expect(first.headers.etag, path).toMatch(/^"[\w-]+"$/)
      expect(second.headers.etag, path).toBe(first.headers.etag)
    }
    const before = (await get('/runs')).headers.etag
    await spec.ingest(aDocument({ run_id: 'tagged' }))
    expect((await get('/runs')).headers.etag).not.toBe(before)
    await spec.sendAs(null)('DELETE', '/runs/tagged')
    expect((await get('/runs')).headers.etag).toBe(before)
    expect((await get('/runs/none')).headers.etag).toBeUndefined()
  })

  it('returns 304 without a body when the client has the ETag', async () => {
    for (const path of ['/runs', `/runs/${ID}`, `/runs/${ID}/export`, `/runs/${ID}/matrix`]) {
      const { etag } = (await get(path)).headers
      for (const ifNoneMatch of [String(etag), `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get(path, { 'if-none-match': ifNoneMatch })
        expect(answer.statusCode, `${path} ${ifNoneMatch}`).toBe(304)
        expect(answer.body).toBe('')
        expect(answer.headers.etag).toBe(etag)
        expect(answer.headers['cache-control']).toBe('private, no-cache')
        expect(answer.headers['x-request-id']).toMatch(ULID)
        const head = await spec.sendAs(null)('HEAD', path, { headers: { 'if-none-match': ifNoneMatch } })
        expect(head.statusCode).toBe(304)
        expect({ ...head.headers, 'x-request-id': '', date: '' }).toEqual({
          ...answer.headers,
          'x-request-id': '',
          date: '',
        })
      }
      for (const ifNoneMatch of ['"other"', String(etag).replaceAll('"', ''), ''])
        expect((await get(path, { 'if-none-match': ifNoneMatch })).statusCode, ifNoneMatch).toBe(200)
    }
  })

  it('does not apply to requests that change something', async () => {
    expect((await spec.ingest(theExample())).headers.etag).toBeUndefined()
    expect((await spec.sendAs(null)('DELETE', '/runs/none', { headers: { 'if-none-match': '*' } })).statusCode).toBe(
      404,
    )
  })
})

describe('responses', () => {
  it('are application/json without a charset, errors included', async () => {
    for (const [method, url] of ALL_KINDS.filter(([, url]) => url.startsWith('/api/'))) {
      const { headers } = await spec.app.inject({ method, url })
      expect(headers['content-type'], url).toBe('application/json')
    }
  })

  it('with 204 have no body and no content type', async () => {
    await spec.ingest(aDocument({ run_id: 'gone' }))
    const answer = await spec.sendAs(null)('DELETE', '/runs/gone')
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(answer.headers['content-type']).toBeUndefined()
  })

  it('with an error contain only a message', async () => {
    for (const [method, url] of ALL_KINDS.filter(([, url]) => url.startsWith('/api/'))) {
      const answer = await spec.app.inject({ method, url })
      if (answer.statusCode >= 400 && method !== 'HEAD')
        expect(Object.keys(answer.json<object>()), url).toEqual(['error'])
    }
  })
})

describe('over a real socket', () => {
  let own: SpecApp
  beforeAll(async () => {
    own = await openApp({ mode: 'open' })
    await own.ingest(theExample())
    await own.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => own.close())

  const sendRaw = (text: string, until?: RegExp) =>
    rawRequest((own.app.server.address() as AddressInfo).port, text, until)
  /** Sends a request for exactly this target on its own connection. */
  const sendTarget = async (
    method: string,
    target: string,
    headerLines: readonly string[] = ['Host: x'],
    body = '',
  ) => {
    const received = await sendRaw(
      [`${method} ${target} HTTP/1.1`, ...headerLines, 'Connection: close', '', body].join('\r\n'),
    )
    const [head = '', ...parts] = received.split('\r\n\r\n')
    const [status = '', ...fields] = head.split('\r\n')
    const headers = Object.fromEntries(
      fields.map((field): [string, string] => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    return { status: Number(status.split(' ')[1]), headers, body: parts.join('\r\n\r\n') }
  }
  /** A response without what differs between two responses to the same request. */
  const comparable = ({ status, headers, body }: Awaited<ReturnType<typeof sendTarget>>) => ({
    status,
    headers: { ...headers, 'x-request-id': '', date: '' },
    body,
  })

  it('rejects bytes that are not HTTP: the response has an id and a JSON body', async () => {
    expect(await sendRaw('nonsense\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [^]*x-request-id: \w{26}\r\n[^]*\{"error":"[^"]+"\}$/,
    )
    expect(await sendRaw(`GET /api/v1/runs/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [^]*x-request-id: \w{26}\r\n/,
    )
    expect(
      await sendRaw('GET /api/v1/runs/%FF HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-request-id: mine\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 400 [^]*x-request-id: mine\r\n/)
    // A client resolves dots before it sends; dots that are sent are part of a name.
    expect(await sendRaw('GET /api/v1/projects/../suites HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 [^]*\{"project":"\.\.","suites":\[\]\}$/,
    )
    // The server waits some seconds for the rest of the body.
    expect(
      await sendRaw(
        'POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 134217729\r\n\r\n{',
        /\}$/,
      ),
    ).toMatch(/^HTTP\/1\.1 413 [^]*\{"error":"[^"]+"\}/)
  })

  it('drains a body that it rejected early, so that the client reads the reason', async () => {
    const size = 67_108_865
    const refused = `POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n${' '.repeat(size)}`
    expect(await sendRaw(`${refused}GET /api/v1/runs/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 413 [^]*\{"error":"[^"]+"\}HTTP\/1\.1 404 /,
    )
  })

  it('handles an absolute target like its path, with any host', async () => {
    const paths = [
      '/api/v1/runs',
      '/api/v1/runs?limit=1&project=support-desk',
      `/api/v1/runs/${ID}/export`,
      '/api/v1/meta',
      '/api/v1/runs?x=1',
      '/api/v1/runs/none',
      '/api/v1/nothing',
      '/api/v1/runs/%FF',
      '/health',
      '/',
    ]
    for (const [method, path] of [
      ...paths.map((path) => ['GET', path] as const),
      ['PUT', '/api/v1/runs'] as const,
      ['HEAD', '/api/v1/runs'] as const,
    ]) {
      const expected = await sendTarget(method, path)
      for (const origin of ['http://x', 'HTTPS://other.example:8443']) {
        const answer = await sendTarget(method, `${origin}${path}`)
        expect(answer.headers['x-request-id'], path).toMatch(ULID)
        expect(comparable(answer), `${method} ${origin}${path}`).toEqual(comparable(expected))
      }
    }
    const found = await sendTarget('GET', 'http://x/api/v1/runs')
    expect(found.status).toBe(200)
    expect(found.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Cookie, Accept-Encoding',
    })
    expect(await sendTarget('GET', 'http://x/api/v1/nothing')).toMatchObject({
      status: 404,
      body: '{"error":"route not found"}',
    })
    expect(await sendTarget('PUT', 'http://x/api/v1/users')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, POST' },
    })
    expect(comparable(await sendTarget('GET', 'http://x'))).toEqual(comparable(await sendTarget('GET', '/')))
  })

  // Node passes CONNECT to no handler and closes the connection.
  it.each(METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method)))(
    'rejects the method %s and lists the allowed methods, with and without a content type',
    async (method) => {
      for (const [headerLines, payload] of [
        [['Host: x'], ''],
        [['Host: x', 'Content-Type: application/json', 'Content-Length: 2'], '{}'],
      ] as const) {
        expect(await sendTarget(method, '/api/v1/users', headerLines, payload)).toMatchObject({
          status: 405,
          headers: { allow: 'GET, HEAD, POST' },
          body: `{"error":"method ${method} is not allowed here"}`,
        })
        expect(await sendTarget(method, '/health', headerLines, payload)).toMatchObject({
          status: 405,
          headers: { allow: 'GET, HEAD' },
        })
        expect(await sendTarget(method, '/api/v1/nothing', headerLines, payload)).toMatchObject({
          status: 404,
          body: '{"error":"route not found"}',
        })
        expect(await sendTarget(method, '/login', headerLines, payload)).toMatchObject({
          status: 200,
          headers: { 'content-type': 'text/html; charset=utf-8' },
        })
      }
    },
  )

  it('handles a path with needless escapes like the plain path', async () => {
    const paths = [
      '/api/v1/runs',
      '/api/v1/runs?limit=1',
      `/api/v1/runs/${ID}/export`,
      '/api/v1/runs?x=1',
      '/api/v1/runs/none',
      '/api/v1/runs/',
      '/api/v1/nothing',
      '/api/v1/runs/%FF',
      '/api/v1/nothing/%FF',
      `/api/v1/runs/${'x'.repeat(12_000)}`,
    ]
    for (const [method, path] of [
      ...paths.map((path) => ['GET', path] as const),
      ['HEAD', '/api/v1/runs'] as const,
      ['PUT', '/api/v1/runs'] as const,
      ['PUT', '/api/v1/runs/%FF'] as const,
    ]) {
      const expected = await sendTarget(method, path)
      if (method !== 'PUT') expect(expected.headers, path).toMatchObject(CACHE_RULES)
      for (const spelled of [path.replace('/api', '/%61pi'), path.replace('/api/v1', '/a%70%69/%761')]) {
        // Requested twice: a cached response is the same.
        for (const _ of [1, 2])
          expect(comparable(await sendTarget(method, spelled)), `${method} ${spelled}`).toEqual(comparable(expected))
      }
    }
    expect(comparable(await sendTarget('GET', '/%61ssets/none.js'))).toEqual(
      comparable(await sendTarget('GET', '/assets/none.js')),
    )
    // An escaped slash does not separate path parts.
    expect(await sendTarget('GET', '/api%2Fv1/runs')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  })

  it.each(['/api/v1/runs', '/api/v1/nothing', '/api/v1/runs/%FF', '/', '/assets/none.js', '/api/v1/events/stream'])(
    'rejects a request for %s without a Host header, or with two or one that names no host',
    async (target) => {
      // The second time, an answer of another request may be in memory.
      for (const lines of [
        [],
        ['Host: x', 'Host: y'],
        ['Host: x', 'hOST: x'],
        ['Host: x, y'],
        ['Host: x@y'],
        ['Host: x/y'],
      ]) {
        await sendTarget('GET', '/api/v1/runs')
        const { status, headers, body } = await sendTarget('GET', target, [...lines, 'x-request-id: mine'])
        expect([status, body]).toEqual([400, '{"error":"the request must have exactly one Host header"}'])
        expect(headers).toMatchObject({ 'x-request-id': 'mine', 'content-type': 'application/json' })
      }
    },
  )

  it('accepts a request of HTTP/1.0 without a Host header, as load balancers send it', async () => {
    const received = await sendRaw('GET /api/v1/health HTTP/1.0\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*\{"status":"ok"\}$/)
  })

  it('rejects an unknown expectation: the response has an id and a JSON body', async () => {
    const { status, headers, body } = await sendTarget('GET', '/api/v1/runs', ['Host: x', 'Expect: foo'])
    expect(status).toBe(417)
    expect(headers['x-request-id']).toMatch(ULID)
    expect(headers['content-type']).toBe('application/json')
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['error'])
  })

  it('returns the length and the ETag of an export for HEAD, and no body', async () => {
    const whole = await sendTarget('GET', `/api/v1/runs/${ID}/export`)
    const { status, headers, body } = await sendTarget('HEAD', `/api/v1/runs/${ID}/export`)
    expect(status).toBe(200)
    expect(body).toBe('')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(theExample()))))
    expect(headers).toMatchObject({ etag: whole.headers['etag'], 'content-type': 'application/json' })
  })
})
