import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY_PREFIX, SESSION_PREFIX } from '../../../http/identity/secrets.ts'
import type { AuthMode } from '../../../http/services.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'

type Headers = Readonly<Record<string, string>>
type Exchange = {
  readonly method: string
  readonly path: string
  readonly held: string | null
}
type Answer = { readonly status: number; readonly headers: readonly string[]; readonly body: string }
type LogLine = Readonly<Record<string, unknown>>

const MODES = ['open', 'protect-writes', 'closed'] as const satisfies readonly AuthMode[]
const KEY = cacheKeyOf('shared')
const PATHS = [
  '/api/v1/runs',
  '/api/v1/runs?limit=1&project=chat',
  '/api/v1/runs/a',
  '/api/v1/runs/a/in-suite',
  '/api/v1/sets',
  '/api/v1/openapi.json',
  `/api/v1/cache/${KEY}`,
]

/** Published by Fastify whenever it runs the handler of a route. */
const HANDLED = 'tracing:fastify.request.handler:start'

let handled = 0
const countHandled = (): void => void handled++
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

describe.each(MODES)('the gate in %s mode', (mode) => {
  let spec: SpecApp
  let log: LogLine[] = []
  let callers: Readonly<Record<string, Headers>>
  const etags = new Map<string, string>()

  beforeAll(async () => {
    subscribe(HANDLED, countHandled)
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        log.push(JSON.parse(chunk.toString()) as LogLine)
        done()
      },
    })
    spec = await openApp({ mode, parts: () => ({ logger: pino(destination) }) })
    for (const run_id of ['a', 'b']) await spec.ingest(aDocument({ run_id, project: 'chat' }))
    const headers = { 'content-type': 'application/octet-stream' }
    await spec.sendAs('write')('PUT', `/cache/${KEY}`, { body: aBody({ output: 'shared' }), headers })
    const [member, viewer, root] = [
      await spec.addUser('ann'),
      await spec.addUser('vic', 'viewer'),
      await spec.addUser('root', 'admin'),
    ]
    const minted = await member.send('POST', '/apikeys', {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const { key } = minted.json<{ key: string }>()
    const cookie = `service_session=${member.token}`
    callers = {
      anonymous: {},
      'a read token': { authorization: `Bearer ${TOKENS.read}` },
      'a write token': { authorization: TOKENS.write },
      'an admin token': { authorization: `Bearer ${TOKENS.admin}` },
      'a session cookie': { cookie },
      'the session cookie of an admin': { cookie: `service_session=${root.token}` },
      'a session of a viewer in the header': { authorization: `Bearer ${viewer.token}` },
      'an API key': { authorization: `Bearer ${key}` },
      'an unknown token': { authorization: 'Bearer none' },
      'an unknown API key': { authorization: `Bearer ${KEY_PREFIX}${'0'.repeat(64)}` },
      'an unknown session cookie': { cookie: `service_session=${SESSION_PREFIX}${'0'.repeat(64)}` },
      'an unknown token with a session cookie': { authorization: 'Bearer none', cookie },
      'a session cookie from another site': { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      'an API key as a cookie': { cookie: `service_session=${key}` },
    }
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    for (const path of PATHS) {
      const { etag } = (await spec.sendAs('admin')('GET', path)).headers
      etags.set(path, String(etag))
    }
  })
  afterAll(async () => {
    unsubscribe(HANDLED, countHandled)
    await spec.close()
  })

  const send = (method: string, path: string, headers: Headers): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = spec.app.server.address() as AddressInfo
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            // Names and values in the order on the wire, without those that differ between any two answers.
            headers: answer.rawHeaders
              .flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1] ?? ''}`] : []))
              .filter((header) => !/^(?:date|x-request-id): /i.test(header)),
            body: Buffer.concat(chunks).toString('latin1'),
          }),
        )
      })
      sent.on('error', reject).end()
    })

  /** The request counts of the metrics by labels, without those of the metrics route. */
  const counts = async (): Promise<ReadonlyMap<string, number>> => {
    const { body } = await spec.sendAs('admin')('GET', '/metrics')
    const lines = body.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)
    return new Map(
      [...lines]
        .map(([, labels = '', count]) => [labels, Number(count)] as const)
        .filter(([labels]) => !labels.includes('route="/metrics"')),
    )
  }
  const countsSince = async (before: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> =>
    new Map(
      [...(await counts())]
        .map(([labels, count]) => [labels, count - (before.get(labels) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    )

  const exchanges = PATHS.flatMap((path) =>
    ['GET', 'HEAD'].flatMap((method) => [
      ...[null, '"other"', 'etag', 'W/etag', '*'].map((held) => ({ method, path, held })),
    ]),
  )

  /** Sends every exchange. The fast path ignores absolute targets (`http://x/…`), so Fastify answers them. */
  const sendAll = async (headers: Headers, toTarget: (path: string) => string) => {
    const before = await counts()
    const answers: Array<{ of: Exchange; answer: Answer; line: LogLine; isFromApp: boolean }> = []
    for (const exchange of exchanges) {
      const { method, path, held } = exchange
      const tag = held?.replace('etag', etags.get(path) ?? '')
      log = []
      handled = 0
      const sentHeaders = { 'x-request-id': 'same', ...headers, ...(tag === undefined ? {} : { 'if-none-match': tag }) }
      const answer = await send(method, toTarget(path), sentHeaders)
      while (log.length === 0) await setImmediate()
      const [{ time: _, latency_ms: latency, ...line } = {}, ...more] = log
      expect([typeof latency, ...more]).toEqual(['number'])
      answers.push({ of: exchange, answer, line, isFromApp: handled > 0 })
    }
    return { answers, counted: await countsSince(before) }
  }

  it('returns the same answer from memory and from the app, for all callers', async () => {
    for (const [caller, headers] of Object.entries(callers)) {
      // This puts credentials, answers and bodies into memory.
      await sendAll(headers, (path) => path)
      const fast = await sendAll(headers, (path) => path)
      const app = await sendAll(headers, (path) => `http://x${path}`)
      const withoutSource = ({ answers }: typeof fast) => answers.map(({ isFromApp: _, ...rest }) => rest)
      expect(withoutSource(fast), caller).toEqual(withoutSource(app))
      expect(fast.counted, caller).toEqual(app.counted)
      expect([...fast.counted.values()].reduce((sum, count) => sum + count, 0)).toBe(exchanges.length)

      // Without this check both answers could come from the app.
      const isLookedUp = caller.startsWith('an unknown API key') || caller === 'an unknown session cookie'
      for (const { of, answer, isFromApp } of fast.answers) {
        const isAnswered = answer.status === 200 || answer.status === 304
        // An unknown credential is read from the store each time.
        expect(isFromApp, `${caller} ${JSON.stringify(of)}`).toBe(isAnswered && isLookedUp)
      }
      for (const { answer, isFromApp } of app.answers)
        if (answer.status === 200 || answer.status === 304) expect(isFromApp).toBe(true)
    }
  })

  it('admits exactly the callers that the mode allows', async () => {
    const statusOf = async (headers: Headers, path: string): Promise<number> =>
      (await send('GET', path, headers)).status
    for (const [caller, headers] of Object.entries(callers)) {
      const isKnown = !/^anonymous$|unknown|as a cookie/.test(caller)
      for (const path of PATHS) {
        const isOpen = path.endsWith('/openapi.json')
        expect(await statusOf(headers, path), `${caller} ${path}`).toBe(
          isOpen || isKnown || mode !== 'closed' ? 200 : 401,
        )
      }
    }
  })

  it('writes one log line for each answer', async () => {
    log = []
    await send('GET', '/api/v1/runs/a', { ...callers['an admin token'], 'x-request-id': 'mine' })
    await send('GET', 'http://x/api/v1/runs/a?', { ...callers['an admin token'], 'x-request-id': 'mine' })
    while (log.length < 2) await setImmediate()
    for (const line of log)
      expect(line).toMatchObject({
        method: 'GET',
        path: '/api/v1/runs/a',
        request_id: 'mine',
        status: 200,
        msg: 'response',
      })
    expect(log).toHaveLength(2)
  })
})
