import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiDocument } from '../../support/http/documented-answers.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { theExample } from '../../support/documents/documents.ts'
import { rawRequest } from '../../support/http/raw-request.ts'

// Every header, query and path that the service reads, at maximum length, filled with text that a parser may scan
// repeatedly. Node accepts 16 KiB of request line and headers together. At that length a quadratic parse costs 100 ms
// of CPU and more, a linear parse less than 5 ms.

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

/** For the many query parameters, which share a few parsers. */
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
 * A request as sent over the wire. `{}` in one of its parts is filled until the head has its maximum size. The fill
 * ends in `x`, so that no list ends with a separator.
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

/** Percent-encodes blanks and non-ASCII characters, which a target cannot contain. */
const inTarget = (fill: string): string =>
  fill.replace(/[^\x21-\x7e]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/**
 * For each header: texts to put before the fill, so that the parser of the header reads on, and a request that makes
 * the service parse the header.
 */
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
 * Every query parameter that the OpenAPI document names, and a query of only the fill. A name has the same parser on
 * all paths, so one path is enough. Only `cursor` has several parsers, so it is listed for every path.
 */
const queriesOf = (document: ApiDocument): string[] => {
  const queries = new Map([['', '/api/v1/runs?{}']])
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const { name, in: location } of (get?.parameters ?? []) as readonly Parameter[]) {
      if (location === 'query')
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
  document = (await spec.sendAs(null)('GET', '/openapi.json')).json<ApiDocument>()
  SESSION.id = (await spec.addUser('ada')).token
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
  port = (spec.app.server.address() as AddressInfo).port
})
afterAll(() => spec.close())

/** CPU milliseconds of one request in all threads: other work of the machine does not count. */
const costOf = async (text: string): Promise<number> => {
  const before = process.cpuUsage()
  // The body of a stream has no end, so this reads no further than the head, which follows every parse.
  const answer = await rawRequest(port, text, /\r\n\r\n/)
  const { user, system } = process.cpuUsage(before)
  expect(answer, text.slice(0, 100)).toMatch(/^HTTP\/1\.1 [24]/)
  // 431 means that the service parsed nothing.
  expect(answer, text.slice(0, 100)).not.toMatch(/^HTTP\/1\.1 431/)
  return (user + system) / 1000
}

/**
 * The minimum of several costs: other work of the process falls into some of them, a slow parse into all. Stops at the
 * first cost within the bound.
 */
const leastCost = async (text: string, boundMs: number, times = 40): Promise<number> => {
  let minimum = Infinity
  for (let n = 0; n < times && minimum > boundMs; n++) minimum = Math.min(minimum, await costOf(text))
  return minimum
}

const FLOOR_MS = 40
const MAX_TIMES = 10

/** How many failures to report. */
const MAX_SHOWN = 2

/** Returns the fills that cost much more than plain text of the same length. */
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

describe('a request of maximum size is parsed in linear time:', () => {
  it.each(HEADERS)('%s with a value that starts with any of %j', async (name, starts, target) => {
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
