import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashOfToken, newSessionToken } from '../../../http/identity/secrets.ts'
import type { AuthMode } from '../../../http/services.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { etagOf } from '../../../queries/etag.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { rawAnswer, rawHeader } from '../../support/http/raw-http.ts'

type SpecResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Published by Fastify whenever it runs the handler of a route. */
const HANDLED = 'tracing:fastify.request.handler:start'

let spec: SpecApp
let log: Array<Record<string, unknown>>
let isDiskFull: boolean

const open = async (mode: AuthMode): Promise<void> => {
  log = []
  isDiskFull = false
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => (
      log.push(JSON.parse(chunk.toString()) as Record<string, unknown>),
      done()
    ),
  })
  spec = await openApp({ mode, parts: () => ({ logger: pino(destination), isDiskFull: () => isDiskFull }) })
  for (const run_id of ['a', 'b']) await spec.ingest(aDocument({ run_id, project: 'chat' }))
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
}
beforeEach(() => open('closed'))
afterEach(() => spec.close())

const send = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  body?: Buffer,
): Promise<SpecResponse> =>
  new Promise((resolve, reject) => {
    const { port } = spec.app.server.address() as AddressInfo
    const outgoing = request(
      { port, host: '127.0.0.1', path, method, headers: { 'x-request-id': 'mine', ...headers }, agent: false },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: { ...answer.headers, date: '' },
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    outgoing.on('error', reject).end(body)
  })
const admin = { authorization: `Bearer ${TOKENS.admin}` }
const read = { authorization: TOKENS.read }
/** Creates a session that the service must read from the store at its first request. Returns its credential. */
const newSession = async (user_id: string): Promise<Readonly<Record<string, string>>> => {
  const token = newSessionToken()
  const token_hash = hashOfToken(token)
  await spec.service.commit.signIn(SYSTEM, {
    user_id,
    password_hash: '',
    session_id: `session of ${token_hash}`,
    token_hash,
  })
  return { authorization: token }
}

describe('a cached response over a socket', () => {
  it('has its headers in the same order whether it comes from memory or from the app', async () => {
    const { port } = spec.app.server.address() as AddressInfo
    const body = aBody({ output: 'kept' })
    const key = cacheKeyOf('kept')
    expect(
      (
        await spec.sendAs('write')('PUT', `/cache/${key}`, {
          body,
          headers: { 'content-type': 'application/octet-stream' },
        })
      ).statusCode,
    ).toBeLessThan(300)
    for (const path of [
      '/api/v1/runs',
      '/api/v1/runs?project=none&suite=none',
      '/api/v1/runs/a',
      '/api/v1/sets',
      '/api/v1/openapi.json',
      `/api/v1/cache/${key}`,
    ]) {
      const etag = rawHeader(await rawAnswer(port, { path, headers: admin }), 'etag') ?? ''
      expect(etag, path).not.toBe('')
      for (const method of ['GET', 'HEAD'])
        for (const connection of ['close', 'keep-alive'] as const)
          for (const ifNoneMatch of ['"other"', etag]) {
            const request = { method, connection, headers: { ...admin, 'if-none-match': ifNoneMatch } }
            const cached = await rawAnswer(port, { ...request, path })
            expect(cached, `${method} ${path} ${ifNoneMatch}`).toBe(
              await rawAnswer(port, { ...request, path: `http://x${path}` }),
            )
            if (path.includes('/cache/') && method === 'HEAD') continue
            const names = cached
              .slice(0, cached.indexOf('\r\n\r\n'))
              .split('\r\n')
              .slice(1)
              .map((line) => line.split(':', 1)[0])
            expect(names.slice(0, 4)).toEqual(['x-request-id', 'cache-control', 'vary', 'etag'])
          }
    }
  })

  it('is stored once for all spellings of its query', async () => {
    const { headers } = await send('/api/v1/runs?limit=3&project=chat', admin)
    const size = spec.service.cache.size()
    for (const query of [
      '?&limit=3&project=chat',
      '?&&project=chat&&limit=3',
      '?%6cimit=%33&project=ch%61t',
      '?project=chat&limit=3&',
    ]) {
      for (const target of [`/api/v1/runs${query}`, `http://x/api/v1/runs${query}`]) {
        const {
          status,
          headers: { etag },
        } = await send(target, admin)
        expect([status, etag], target).toEqual([200, headers['etag']])
      }
    }
    expect(spec.service.cache.size()).toBe(size)
    expect((await send('/api/v1/runs?limit=3&project=chat&limit=3', admin)).status).toBe(400)
  })

  it('is not sent to a viewer without access', async () => {
    await spec.restrict('chat')
    const knownSession = { authorization: (await spec.addUser('ann')).token }
    for (let i = 0; i < 2; i++) {
      expect((await send('/api/v1/runs/a', admin)).status).toBe(200)
      for (const headers of [read, knownSession, await newSession('ann')])
        expect(await send('/api/v1/runs/a', headers)).toEqual(await send('/api/v1/runs/c', headers))
    }
    await spec.grant('ann', 'view', 'chat')
    for (let i = 0; i < 2; i++) {
      for (const headers of [knownSession, await newSession('ann')])
        expect((await send('/api/v1/runs/a', headers)).status).toBe(200)
    }
    expect((await send('/api/v1/runs/a', read)).status).toBe(404)
  })
})

describe('a body of the shared cache that is not in memory', () => {
  const path = `/api/v1/cache/${cacheKeyOf('cold')}`
  const unknown = `/api/v1/cache/${cacheKeyOf('unknown')}`
  const put = () =>
    spec.sendAs('write')('PUT', `/cache/${cacheKeyOf('cold')}`, {
      body: aBody(),
      headers: { 'content-type': 'application/octet-stream' },
    })
  const stats = async () => (await spec.sendAs('read')('GET', '/cache/stats')).json<{ hits: number; misses: number }>()

  it('is the same as from the app, and so is the answer to an unknown key', async () => {
    await put()
    const cold = await send(path, read)
    const none = await send(unknown, read)
    for (const [target, answer, status] of [
      [path, cold, 200],
      [unknown, none, 404],
    ] as const) {
      const fromApp = await spec.app.inject({ url: target, headers: { ...read, 'x-request-id': 'mine' } })
      expect([answer.status, fromApp.statusCode]).toEqual([status, status])
      expect(answer.body).toBe(fromApp.body)
      const { connection: _, 'keep-alive': __, date: ___, ...headers } = answer.headers
      const { connection: ____, date: _____, ...expected } = fromApp.headers
      expect(headers).toEqual(expected)
    }
    expect(none.body).toBe('{"error":"cache entry not found"}')
  })

  it('counts each lookup once, and has a log line and metrics', async () => {
    await put()
    await send(path, read)
    await send(path, read)
    for (let i = 0; i < 3; i++) await send(unknown, read)
    expect(await stats()).toMatchObject({ hits: 2, misses: 3 })
    expect(log.filter(({ path: logged, status }) => logged === unknown && status === 404)).toHaveLength(3)
    const { body } = await spec.sendAs('admin')('GET', '/metrics')
    expect(body).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/v1/cache/:key",status="404"} 3',
    )
  })

  it('is not sent without a credential, nor does the answer show that it is missing', async () => {
    await put()
    expect([(await send(path)).status, (await send(unknown)).status]).toEqual([401, 401])
    expect(await stats()).toMatchObject({ hits: 0, misses: 0 })
  })

  it('is not sent to a client that has it', async () => {
    await put()
    expect(await send(path, { ...read, 'if-none-match': etagOf(aBody()) })).toMatchObject({ status: 304, body: '' })
  })
})

describe('a body that is put into the shared cache', () => {
  const write = { authorization: TOKENS.write }
  const pathOf = (name: string): string => `/api/v1/cache/${cacheKeyOf(name)}`
  const put = (target: string, body: Buffer, headers: Readonly<Record<string, string>> = write) =>
    send(target, headers, 'PUT', body)
  /** Sends the same requests with paths that the fast path takes, and with targets that only the app answers. */
  const putBoth = async (
    requests: ReadonlyArray<readonly [name: string, body: Buffer, headers?: Record<string, string>]>,
  ) => {
    const all = async (targetOf: (name: string) => string) => {
      const answers: SpecResponse[] = []
      handled = 0
      for (const [name, body, headers] of requests) answers.push(await put(targetOf(name), body, headers))
      return { answers, handled }
    }
    return { fast: await all((name) => pathOf(name)), app: await all((name) => `http://x${pathOf(`app ${name}`)}`) }
  }
  let handled = 0
  const countHandled = (): void => void handled++
  beforeEach(() => subscribe(HANDLED, countHandled))
  afterEach(() => void unsubscribe(HANDLED, countHandled))

  it('has the answers of the app, which need not run for a body that is stored', async () => {
    const { fast, app } = await putBoth([
      ['a', aBody()],
      ['a', aBody({ output: 'later' })],
      ['empty', Buffer.alloc(0)],
      ['packed', gzipSync(aBody()), { ...write, 'content-encoding': 'gzip' }],
    ])
    expect(fast.answers).toEqual(app.answers)
    expect(fast.answers.map(({ status }) => status)).toEqual([201, 200, 201, 201])
    expect([fast.handled, app.handled]).toEqual([0, 4])
    for (const name of ['a', 'packed']) expect((await send(pathOf(name), read)).body).toBe(aBody().toString())
    expect(
      log.filter(({ method, path, status }) => method === 'PUT' && path === pathOf('a') && status === 201),
    ).toHaveLength(1)
    const { body } = await spec.sendAs('admin')('GET', '/metrics')
    expect(body).toContain(
      'http_request_duration_seconds_count{method="PUT",route="/api/v1/cache/:key",status="201"} 6',
    )
  })

  it('is rejected as by the app, and nothing is stored', async () => {
    const { fast, app } = await putBoth([
      ['none', aBody(), {}],
      ['read', aBody(), read],
      ['large', Buffer.alloc(4 * 1024 * 1024 + 1)],
      ['packed', Buffer.from('no gzip'), { ...write, 'content-encoding': 'gzip' }],
      ['coded', aBody(), { ...write, 'content-encoding': 'br' }],
    ])
    expect(fast.answers).toEqual(app.answers)
    expect(fast.answers.map(({ status }) => status)).toEqual([401, 403, 413, 400, 415])
    expect((await spec.sendAs('read')('GET', '/cache/stats')).json()).toMatchObject({ entries: 0 })
  })

  it('is answered with the reason why the store does not take it', async () => {
    isDiskFull = true
    const { fast, app } = await putBoth([['a', aBody()]])
    expect(fast.answers).toEqual(app.answers)
    expect(fast.answers[0]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })
})
