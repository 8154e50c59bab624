import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { MCP, ENDLESS, modern, post, type McpMessage } from '../../support/http/mcp.ts'
import { openApp } from '../../support/servers/app.ts'

// Each row of the checks fails, and in the same request everything that is checked later fails too. So a row that is
// missing, or out of its place, gives another answer.

afterAll(() => spec.close())

const META = modern('tools/list').body['params'] as McpMessage
const FOREIGN = { origin: 'https://evil.example' }
const UNSUPPORTED = { 'mcp-protocol-version': '2024-11-05' }
const MODERN = { 'mcp-protocol-version': '2026-07-28' }

type Row = {
  readonly name: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly code: number | null
  /** The id in the answer; missing if the answer has none. */
  readonly id?: string | number
  readonly data?: unknown
}

const body = (message: unknown): string => JSON.stringify(message)
const LARGE = 'x'.repeat(256 * 1024)

const ENVELOPES: ReadonlyArray<readonly [string, unknown]> = [
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
  ['a text', 'ping'],
  ['null', null],
  ['another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }],
  ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
]
const NAMED: ReadonlyArray<readonly [string, object]> = [
  ['tools/call', { name: 'find_runs' }],
  ['prompts/get', { name: 'find_runs' }],
  ['resources/read', { uri: 'find_runs' }],
]
const WRONG_NAMES: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
  ['no Mcp-Name', {}],
  ['another Mcp-Name', { 'mcp-name': 'get_run' }],
  ['an Mcp-Name that is not base64', { 'mcp-name': '=?base64?***?=' }],
  ['an Mcp-Name that is not UTF-8', { 'mcp-name': '=?base64?/w==?=' }],
]

const ROWS: readonly Row[] = [
  { name: '1: a body over 256 KiB', body: `${LARGE}x`, headers: FOREIGN, status: 413, code: null },
  {
    name: '1: a body over 256 KiB after decompression',
    body: gzipSync(`${LARGE}x`),
    headers: { ...FOREIGN, 'content-encoding': 'gzip' },
    status: 413,
    code: null,
  },
  { name: '2: a foreign origin', body: '{', headers: FOREIGN, status: 403, code: -32600 },
  { name: '2: an opaque origin', body: '{', headers: { origin: 'null' }, status: 403, code: -32600 },
  {
    name: '2: a foreign referer without an origin',
    body: '{',
    headers: { referer: 'https://evil.example/page' },
    status: 403,
    code: -32600,
  },
  {
    name: '2: the host of the request as the origin',
    body: '{',
    headers: { host: 'rebound.example', origin: 'http://rebound.example' },
    status: 403,
    code: -32600,
  },
  { name: '3: not JSON', body: '{', headers: UNSUPPORTED, status: 400, code: -32700 },
  { name: '3: not UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), headers: UNSUPPORTED, status: 400, code: -32700 },
  { name: '3: no body', body: '', headers: UNSUPPORTED, status: 400, code: -32700 },
  ...ENVELOPES.map(([name, message]) => ({
    name: `4: ${name}`,
    body: body(message),
    headers: UNSUPPORTED,
    status: 400,
    code: -32600,
  })),
  {
    name: '4: a body nested too deep',
    body: `${'['.repeat(100)}${']'.repeat(100)}`,
    headers: UNSUPPORTED,
    status: 400,
    code: -32600,
  },
  {
    name: '5: an unsupported version',
    body: body({ jsonrpc: '2.0', id: 7, method: 'no/such' }),
    headers: UNSUPPORTED,
    status: 400,
    code: -32022,
    id: 7,
    data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested: '2024-11-05' },
  },
  {
    name: '5: an unsupported version of a notification',
    body: body({ jsonrpc: '2.0', method: 'notifications/cancelled' }),
    headers: UNSUPPORTED,
    status: 400,
    code: -32022,
    data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested: '2024-11-05' },
  },
  {
    name: '7: no _meta',
    body: body({ jsonrpc: '2.0', id: 'a', method: 'no/such' }),
    headers: MODERN,
    status: 400,
    code: -32602,
    id: 'a',
  },
  {
    name: '7: a version that is no text',
    body: body({
      id: 1,
      method: 'no/such',
      params: { _meta: { ...(META['_meta'] as object), 'io.modelcontextprotocol/protocolVersion': 1 } },
    }),
    headers: MODERN,
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    name: '7: capabilities that are no object',
    body: body({
      id: 1,
      method: 'no/such',
      params: { _meta: { ...(META['_meta'] as object), 'io.modelcontextprotocol/clientCapabilities': [] } },
    }),
    headers: MODERN,
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    name: '8: another version in the body',
    body: body({
      id: 1,
      method: 'no/such',
      params: { _meta: { ...(META['_meta'] as object), 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } },
    }),
    headers: { ...MODERN, 'mcp-method': 'no/such' },
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: '8: no Mcp-Method',
    body: body({ id: 1, method: 'no/such', params: META }),
    headers: MODERN,
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: '8: another Mcp-Method',
    body: body({ id: 1, method: 'no/such', params: META }),
    headers: { ...MODERN, 'mcp-method': 'tools/list' },
    status: 400,
    code: -32020,
    id: 1,
  },
  ...WRONG_NAMES.flatMap(([name, header]) =>
    NAMED.map(([method, named]) => ({
      name: `8: ${name} for ${method}`,
      body: body({ id: 1, method, params: { ...META, ...named } }),
      headers: { ...MODERN, 'mcp-method': method, ...header },
      status: 400,
      code: -32020,
      id: 1,
    })),
  ),
  {
    name: '9: an unknown method',
    body: body({ id: 1, method: 'no/such', params: META }),
    headers: { ...MODERN, 'mcp-method': 'no/such' },
    status: 404,
    code: -32601,
    id: 1,
  },
  ...['constructor', '__proto__', 'toString'].map((method) => ({
    name: `9: a method named like a member of every object, ${method}`,
    body: body({ id: 1, method, params: META }),
    headers: { ...MODERN, 'mcp-method': method },
    status: 404,
    code: -32601,
    id: 1,
  })),
  {
    name: '9: resources/read, whose Mcp-Name is its uri',
    body: body({ id: 1, method: 'resources/read', params: { ...META, uri: 'file:///x', name: 'other' } }),
    headers: { ...MODERN, 'mcp-method': 'resources/read', 'mcp-name': 'file:///x' },
    status: 404,
    code: -32601,
    id: 1,
  },
  { name: '3: not JSON, and deep', body: `${'['.repeat(70)}x`, headers: UNSUPPORTED, status: 400, code: -32700 },
  {
    name: '4: nested deeper than 64 levels',
    body: `${'['.repeat(65)}${']'.repeat(65)}`,
    headers: UNSUPPORTED,
    status: 400,
    code: -32600,
  },
  {
    name: '9: an unknown method without a version',
    body: body({ jsonrpc: '2.0', id: 1, method: 'resources/list' }),
    headers: {},
    status: 404,
    code: -32601,
    id: 1,
  },
]
const spec = await openApp({ mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })

describe('the checks of a request, in their order', () => {
  it.each(ROWS)('$name', async ({ body: sent, headers, status, code, id, data }) => {
    const answer = await post(spec.sendAs(null), sent, headers)
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json'])
    if (code === null) return expect(answer.message).toEqual({ error: 'the request body is larger than 262144 bytes' })
    const error = answer.message['error'] as Record<string, unknown>
    expect(answer.message).toEqual({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      error: { code, message: error['message'], ...(data === undefined ? {} : { data }) },
    })
    expect(error['message']).toMatch(/\w/)
  })

  it('6: a notification is accepted, whatever it is about', async () => {
    for (const [method, headers] of [
      ['notifications/initialized', UNSUPPORTED],
      ['notifications/initialized', {}],
      ['notifications/cancelled', MODERN],
      ['tools/call', MODERN],
      ['no/such', {}],
    ] as const) {
      const { status, text, headers: received } = await post(spec.sendAs(null), body({ method }), headers)
      expect([method, status, text, received['content-type']]).toEqual([method, 202, '', undefined])
    }
  })

  it('0: a cookie from another site is refused before everything else', async () => {
    const { token } = await spec.addUser('cora')
    const { status, message } = await post(spec.sendAs(null), `${LARGE}x`, {
      cookie: `service_session=${token}`,
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    })
    expect([status, message]).toEqual([
      403,
      { error: expect.stringContaining('cross-origin request rejected') as unknown },
    ])
  })
})

describe('what is not checked', () => {
  const ping = body({ jsonrpc: '2.0', id: 1, method: 'ping' })

  it('a body of exactly 256 KiB', async () => {
    const padded = body({ id: 1, method: 'ping', params: { pad: '' } })
    const exact = body({ id: 1, method: 'ping', params: { pad: 'x'.repeat(256 * 1024 - padded.length) } })
    expect(exact.length).toBe(256 * 1024)
    expect((await post(spec.sendAs(null), exact)).status).toBe(200)
    expect((await post(spec.sendAs(null), gzipSync(exact), { 'content-encoding': 'gzip' })).status).toBe(200)
  })

  it.each([
    ['a Content-Type', { 'content-type': 'text/plain' }],
    ['an Accept', { accept: 'text/html' }],
    ['a session', { 'mcp-session-id': 'x', 'last-event-id': '4' }],
    ['a parameter in a header', { 'mcp-param-region': 'us' }],
    ['an Mcp-Method of a legacy version', { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'x' }],
    ['a page of this machine', { origin: 'http://localhost:5173' }],
    ['a page of this machine by its address', { origin: 'http://127.0.0.1:1' }],
    ['a page of this machine by its IPv6 address', { origin: 'http://[::1]:1' }],
  ])('%s', async (_, headers) => {
    const { status, message, headers: received } = await post(spec.sendAs(null), ping, headers)
    expect([status, message]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }])
    expect(received['mcp-session-id']).toBeUndefined()
  })

  it('the case of a header of the modern version, and a name in base64', async () => {
    const params = { ...META, name: 'no such tool ☃' }
    const encoded = `=?base64?${Buffer.from(params.name).toString('base64')}?=`
    const { message } = await post(spec.sendAs('read'), body({ id: 1, method: 'tools/call', params }), {
      ...MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': encoded,
    })
    expect(message['error']).toMatchObject({ code: -32601 })
  })
})

it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'] as const)(
  'other methods of HTTP %s is not allowed',
  async (method) => {
    const { statusCode, headers } = await spec.sendAs(null)(method, '/mcp')
    expect([statusCode, headers['allow']]).toEqual([405, 'POST'])
  },
)
