import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiDocument } from '../../support/http/documented-answers.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { theExample } from '../../support/documents/documents.ts'
import { rawRequest } from '../../support/http/raw-request.ts'

// Every header, query and path that the service reads, as long as it may be, filled with what a parser may try again
// and again. Node takes 16 KiB of request line and headers together. A parse in quadratic time costs 100 ms of CPU and
// more there, a parse in linear time less than 5 ms.

const MAX_HEAD_BYTES = 16_000

const FILLS = [
  ' ',
  '\t',
  ' \t',
  ',',
  ', ',
  '"',
  '\\',
  '\\"',
  '%',
  '%25',
  '%61',
  '%C3%A9',
  '/',
  ';',
  '; ',
  '=',
  ':',
  '.',
  'a.',
  '-',
  '@',
  '[',
  '[::1],',
  '::1,',
  '127.0.0.1, ',
  '0',
  '+',
  '&',
  'a=1&',
  '*',
  'W/',
  '\xe9',
  'xn--a.',
  ';q=0.',
  'service_session=',
]

/** For the many parameters of queries, whose readers are few. */
const QUERY_FILLS = [' ', ',', '"', '\\', '%', '%25', '/', ':', '0', '-', '+', '&']

type Target = {
  readonly method: string
  readonly path: string
  readonly fields?: readonly string[]
  readonly body?: string
}
type Case = { readonly name: string; readonly text: (fill: string) => string }

const SESSION = { id: '' }
const cookie = (): string => `Cookie: service_session=${SESSION.id}`
const holding = (scope: keyof typeof TOKENS): string => `Authorization: Bearer ${TOKENS[scope]}`

/**
 * A request as it goes over the wire. `{}` in one of its parts is filled until the head has its largest size; what ends
 * in `x` ends no list.
 */
const textOf = ({ method, path, fields = [], body = '' }: Target, fill: string): string => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(fields.some((field) => field.startsWith('Host:')) ? [] : ['Host: x']),
    ...fields,
    'Connection: close',
    ...(body === '' ? [] : [`Content-Length: ${body.length}`]),
  ]
  const head = `${lines.join('\r\n')}\r\n\r\n`
  return head.replace('{}', () => `${fill.repeat(Math.floor((MAX_HEAD_BYTES - head.length) / fill.length))}x`) + body
}

/** What a target, where blanks and what is not ASCII cannot be, holds instead. */
const inTarget = (fill: string): string =>
  fill.replace(/[^\x21-\x7e]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** What each header begins with, so that its reader goes on, and a request whose handling reads it. */
const HEADERS: ReadonlyArray<readonly [name: string, starts: readonly string[], target: () => Target]> = [
  ['Cookie', ['a', 'a; service_session=', 'service_session=x'], () => ({ method: 'GET', path: '/health' })],
  ['Authorization', ['x', 'Bearer x', 'bearer'], () => ({ method: 'GET', path: '/health' })],
  ['X-Request-Id', ['x'], () => ({ method: 'GET', path: '/health' })],
  ['X-Forwarded-For', ['x', '127.0.0.1,', '[::1]:'], () => ({ method: 'GET', path: '/health' })],
  ['Expect', ['x'], () => ({ method: 'GET', path: '/health' })],
  ['If-None-Match', ['"x', 'W/'], () => ({ method: 'GET', path: '/' })],
  ['If-None-Match', ['"x', 'W/'], () => ({ method: 'GET', path: '/api/v1/meta' })],
  ['Accept-Encoding', ['x', 'gzip;'], () => ({ method: 'GET', path: '/' })],
  [
    'Origin',
    ['x', 'https://', 'https://x'],
    () => ({ method: 'POST', path: '/api/v1/auth/logout', fields: [cookie()] }),
  ],
  [
    'Referer',
    ['x', 'https://', 'https://x'],
    () => ({ method: 'POST', path: '/api/v1/auth/logout', fields: [cookie()] }),
  ],
  [
    'Host',
    ['x'],
    () => ({ method: 'POST', path: '/api/v1/auth/logout', fields: [cookie(), 'Origin: https://other.example'] }),
  ],
  [
    'Sec-Fetch-Site',
    ['cross-site', 'x'],
    () => ({ method: 'POST', path: '/api/v1/auth/logout', fields: [cookie(), 'Origin: https://other.example'] }),
  ],
  [
    'X-Forwarded-Proto',
    ['x', 'https'],
    () => ({
      method: 'POST',
      path: '/api/v1/runs',
      fields: [holding('write'), 'Content-Type: application/json'],
      body: JSON.stringify(theExample()),
    }),
  ],
  [
    'Content-Type',
    ['x', 'application/', 'application/json', 'application/x+json'],
    () => ({ method: 'POST', path: '/api/v1/runs', fields: [holding('write')], body: '{}' }),
  ],
  [
    'Content-Encoding',
    ['x', 'gzip'],
    () => ({
      method: 'POST',
      path: '/api/v1/runs',
      fields: [holding('write'), 'Content-Type: application/json'],
      body: '{}',
    }),
  ],
]

const PATHS = [
  '/{}',
  '/assets/{}',
  '/%61pi/{}',
  '/api/v1/{}',
  '/api/v1/runs/{}',
  '/api/v1/runs/x/cases/{}',
  '/api/v1/projects/{}/suites',
  '/api/v1/audit/{}',
  '/api/v1/cache/{}',
  'http://{}/health',
  'http://x/{}',
]

type Parameter = { readonly in: string; readonly name: string }

/**
 * Every parameter that the API's document names for a query, and a query of nothing but the fill. A name is read alike
 * wherever it is found, but for cursors.
 */
const queriesOf = (document: ApiDocument): string[] => {
  const queries = new Map([['', '/api/v1/runs?{}']])
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const { name, in: where } of (get?.parameters ?? []) as readonly Parameter[]) {
      if (where === 'query')
        queries.set(name === 'cursor' ? `${path} ${name}` : name, `${path.replace(/\{\w+\}/g, 'x')}?${name}={}`)
    }
  }
  return [...queries.values()]
}

let spec: SpecApp
let port: number
let document: ApiDocument
beforeAll(async () => {
  spec = await openApp({ trustedProxies: ['127.0.0.1', '::1'] })
  expect((await spec.ingest(theExample())).statusCode).toBe(201)
  document = (await spec.as(null)('GET', '/openapi.json')).json<ApiDocument>()
  SESSION.id = (await spec.addUser('ada')).token
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
  port = (spec.app.server.address() as AddressInfo).port
})
afterAll(() => spec.close())

/** CPU milliseconds of one request, in all threads: it does not grow while the machine does something else. */
const costOf = async (text: string): Promise<number> => {
  const before = process.cpuUsage()
  const answer = await rawRequest(port, text)
  const { user, system } = process.cpuUsage(before)
  expect(answer, text.slice(0, 100)).toMatch(/^HTTP\/1\.1 [24]/)
  // Too large is what nothing read.
  expect(answer, text.slice(0, 100)).not.toMatch(/^HTTP\/1\.1 431/)
  return (user + system) / 1000
}

/**
 * The least of several: what else the process does falls into some of them, a slow parse into all. Ends with the first
 * that is within a bound.
 */
const leastCost = async (text: string, enough: number, times = 6): Promise<number> => {
  let least = Infinity
  for (let n = 0; n < times && least > enough; n++) least = Math.min(least, await costOf(text))
  return least
}

const FLOOR_MS = 40
const MAX_TIMES = 10

/** Enough to show what is wrong. */
const MAX_SHOWN = 2

/** Which fills cost more than so many times what plain text of that length costs. */
const slowAmong = async (cases: readonly Case[], fills: readonly string[]): Promise<string[]> => {
  const slow: string[] = []
  for (const { name, text } of cases) {
    const bound = FLOOR_MS + MAX_TIMES * (await leastCost(text('a'), 1))
    for (const fill of fills) {
      if (slow.length >= MAX_SHOWN) return slow
      const cost = await leastCost(text(fill), bound)
      if (cost > bound) slow.push(`${name} of ${JSON.stringify(fill)}: ${cost} ms, where ${bound} ms would do`)
    }
  }
  return slow
}

describe('what a client sends of the largest size is read in linear time:', () => {
  it.each(HEADERS)('%s after any of %j', async (name, starts, target) => {
    const cases = starts.map((start): Case => {
      const { fields = [], ...rest } = target()
      return {
        name: `${name}: ${start}`,
        text: (fill) => textOf({ ...rest, fields: [...fields, `${name}: ${start}{}`] }, fill),
      }
    })
    expect(await slowAmong(cases, FILLS)).toEqual([])
  })

  it.each(PATHS)('the target %s', async (path) => {
    const text = (fill: string): string => textOf({ method: 'GET', path, fields: [holding('admin')] }, inTarget(fill))
    expect(await slowAmong([{ name: path, text }], FILLS)).toEqual([])
  })

  it('every parameter of every query', async () => {
    const cases = queriesOf(document).map((path): Case => ({
      name: path,
      text: (fill) => textOf({ method: 'GET', path, fields: [holding('admin')] }, inTarget(fill)),
    }))
    expect(cases.length).toBeGreaterThan(30)
    expect(await slowAmong(cases, QUERY_FILLS)).toEqual([])
  })
})
