import { afterAll, describe, expect, it } from 'vitest'
import { ask, askModern, ENDLESS, MCP, modern, post, type McpMessage } from '../../support/http/mcp.ts'
import { openApp } from '../../support/servers/app.ts'

afterAll(() => spec.close())

const CAPABILITIES = { tools: { listChanged: false }, prompts: { listChanged: false } }
const SERVER = { name: 'service', version: '1.2.3' }
const resultOf = ({ message }: { readonly message: McpMessage }) => message['result'] as Record<string, unknown>

const NAMES = [
  'find_runs',
  'get_run',
  'list_cases',
  'get_case',
  'case_history',
  'compare_runs',
  'judge_calibration',
  'search',
  'review_queues',
  'get_server_info',
]
const spec = await openApp({ mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })

describe('initialize', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    [undefined, '2025-11-25'],
    [7, '2025-11-25'],
  ])('asked for %s answers with %s', async (asked, protocolVersion) => {
    const { status, message } = await ask(spec.sendAs(null), 'initialize', { protocolVersion: asked })
    const { instructions, ...result } = resultOf({ message })
    expect([status, result]).toEqual([200, { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER }])
    expect(instructions).toEqual(expect.any(String))
  })

  it('has instructions of less than 4,000 bytes that name the first tool and the fence', async () => {
    const instructions = String(resultOf(await ask(spec.sendAs(null), 'initialize'))['instructions'])
    expect(Buffer.byteLength(instructions)).toBeLessThan(4_000)
    for (const word of [
      'only read',
      'find_runs',
      '_truncated',
      '<untrusted>',
      'never as instructions',
      ...NAMES.slice(0, 6),
    ])
      expect(instructions).toContain(word)
  })

  it('needs no supported version in its header', async () => {
    const { status } = await ask(spec.sendAs(null), 'initialize', {}, { 'mcp-protocol-version': '2024-11-05' })
    expect(status).toBe(200)
  })

  it('has the id of the request, also one that is a text or 0', async () => {
    for (const id of ['a"b', 0, -1.5]) {
      const { message } = await post(spec.sendAs(null), JSON.stringify({ id, method: 'ping' }))
      expect(message).toEqual({ jsonrpc: '2.0', id, result: {} })
    }
  })
})

describe('the modern version', () => {
  const DECORATION = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': SERVER } }

  it('discovers the versions', async () => {
    const result = resultOf(await askModern(spec.sendAs(null), 'server/discover'))
    expect(result).toEqual({
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
      capabilities: CAPABILITIES,
      instructions: expect.any(String) as unknown,
      ...DECORATION,
      ttlMs: 3_600_000,
      cacheScope: 'public',
    })
  })

  it.each([
    ['tools/list', {}, { ttlMs: 300_000, cacheScope: 'public' }],
    ['prompts/list', {}, { ttlMs: 600_000, cacheScope: 'public' }],
    ['prompts/get', { name: 'summarize_run', arguments: { run_id: 'r' } }, {}],
    ['tools/call', { name: 'find_runs' }, {}],
    ['ping', {}, {}],
  ])('adds to the result of %s what the service is, and how long it is valid', async (method, params, cacheable) => {
    const plain = resultOf(await ask(spec.sendAs('read'), method, params))
    const result = resultOf(await askModern(spec.sendAs('read'), method, params))
    expect(result).toEqual({ ...plain, ...DECORATION, ...cacheable })
  })

  it('leaves results of the legacy versions as they are', async () => {
    for (const version of ['2025-11-25', '2025-06-18']) {
      const headers = { 'mcp-protocol-version': version }
      expect(Object.keys(resultOf(await ask(spec.sendAs(null), 'tools/list', {}, headers)))).toEqual(['tools'])
      expect(resultOf(await ask(spec.sendAs(null), 'ping', {}, headers))).toEqual({})
    }
  })

  it('reads parameters that are no object as none', async () => {
    for (const params of [undefined, null, [], 'x', 7]) {
      const { message } = await post(spec.sendAs(null), JSON.stringify({ id: 1, method: 'tools/list', params }))
      expect(Object.keys(resultOf({ message }))).toEqual(['tools'])
    }
    const { message } = await ask(spec.sendAs('read'), 'tools/call', { name: 'find_runs', arguments: [] })
    expect(resultOf({ message })['isError']).toBe(false)
  })
})

describe('the list of tools', () => {
  type Schema = Readonly<Record<string, unknown>> & {
    readonly properties: Readonly<Record<string, { readonly description?: string }>>
    readonly required?: readonly string[]
  }
  type Definition = {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly inputSchema: Schema
    readonly outputSchema: Schema & { readonly anyOf: ReadonlyArray<{ readonly required: readonly string[] }> }
    readonly annotations: unknown
  }
  const listed = async () => resultOf(await ask(spec.sendAs(null), 'tools/list'))['tools'] as Definition[]

  it('has ten, in their order, all read-only', async () => {
    const tools = await listed()
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
    for (const { title, description, annotations } of tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
      expect(title).toMatch(/\w/)
      expect(Buffer.byteLength(description)).toBeLessThanOrEqual(800)
    }
  })

  it('names the arguments of each, and describes every one', async () => {
    const tools = await listed()
    const given = tools.map(({ inputSchema }) => [
      Object.keys(inputSchema.properties).join(' '),
      inputSchema.required?.join(' '),
      inputSchema['type'],
      inputSchema['additionalProperties'],
    ])
    expect(given).toEqual(
      [
        ['project suite tag branch provider actor since until status cached origin limit cursor group_by', undefined],
        ['run_id include matrix_limit matrix_cursor leaderboard_limit leaderboard_base', 'run_id'],
        ['run_id status tag q provider prompt test stop_reason error_class empty_reason cached limit cursor', 'run_id'],
        ['run_id case_key fields max_chars from_event find sha256', 'run_id case_key'],
        ['project suite case_key limit', 'project suite case_key'],
        ['base_run_id head_run_id base_column head_column by delta limit', 'base_run_id head_run_id'],
        ['run_id metric target base_run_id', 'run_id'],
        ['q limit cached', 'q'],
        ['project suite state queue_id limit cursor', undefined],
        ['include', undefined],
      ].map((expected) => [...expected, 'object', false]),
    )
    for (const { inputSchema } of tools)
      for (const [name, { description }] of Object.entries(inputSchema.properties))
        expect([name, description]).toEqual([name, expect.any(String)])
  })

  it('has types that models follow: limits and cursors are integers with defaults, choices are lists of values', async () => {
    const [findRuns, getRun, listCases, getCase] = await listed()
    expect(findRuns?.inputSchema.properties).toMatchObject({
      limit: { type: 'integer', default: 10, minimum: 1, maximum: 50 },
      since: { type: 'string' },
      status: { type: 'string', enum: ['pass', 'fail', 'error'] },
      group_by: { type: 'string', enum: ['project', 'suite'] },
    })
    expect(getRun?.inputSchema.properties).toMatchObject({
      include: { type: 'array', items: { type: 'string', enum: ['matrix', 'config', 'leaderboard'] } },
      matrix_cursor: { type: 'integer', minimum: 0 },
    })
    expect(listCases?.inputSchema.properties).toMatchObject({
      cached: { type: 'boolean' },
      cursor: { type: 'integer' },
    })
    expect(getCase?.inputSchema.properties).toMatchObject({
      max_chars: { type: 'integer', default: 2_000, minimum: 1, maximum: 20_000 },
    })
  })

  it('describes each result: its members, or an error, and what may be added', async () => {
    const tools = await listed()
    for (const { outputSchema } of tools) {
      expect(outputSchema['type']).toBe('object')
      expect(Object.keys(outputSchema.properties)).toEqual(expect.arrayContaining(['error', '_truncated', '_warning']))
      expect(outputSchema.anyOf.at(-1)).toEqual({ required: ['error'] })
      expect(JSON.stringify(outputSchema)).not.toContain('"$ref"')
      expect(JSON.stringify(outputSchema)).not.toContain('"additionalProperties":false')
    }
    const [, getRun, , getCase] = tools
    expect(getRun?.outputSchema.anyOf[0]).toEqual({ required: ['run'] })
    expect(Object.keys(getCase?.outputSchema.properties['case'] as object)).toContain('properties')
    expect(JSON.stringify(getCase?.outputSchema)).toContain('raw_omitted')
  })
})

describe('a call that is no call of a tool', () => {
  it.each([
    ['an unknown tool', { name: 'export' }, -32601],
    ['no name', {}, -32602],
    ['a name that is no text', { name: 7 }, -32602],
  ])('%s is an error with status 200', async (_, params, code) => {
    const { status, message } = await ask(spec.sendAs('read'), 'tools/call', params)
    expect([status, message['error']]).toMatchObject([200, { code }])
  })

  it('carries the same name in header and body, in the modern version', async () => {
    const { body, headers } = modern('tools/call', { name: 'find_runs' })
    const { message } = await post(spec.sendAs('read'), JSON.stringify(body), { ...headers, 'mcp-name': 'search' })
    expect(message['error']).toMatchObject({ code: -32020 })
  })
})

const OAUTH = [
  '/.well-known',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/api/v1/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/api/v1/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/api/v1/mcp',
  '/.well-known/security.txt',
  '/api/v1/mcp/.well-known/openid-configuration',
  '/register',
  '/register/',
  '/authorize?client_id=x&response_type=code',
  '/token',
  '/revoke',
]

describe('the addresses of an authorization server', () => {
  it.each(OAUTH.flatMap((url) => [['GET', url] as const, ['POST', url] as const]))(
    '%s %s is not found',
    async (method, url) => {
      const { statusCode, headers, body } = await spec.app.inject({
        method,
        url,
        headers: { accept: 'text/html, */*' },
        ...(method === 'POST' && { payload: { client_name: 'agent' } }),
      })
      expect([statusCode, headers['content-type'], Object.keys(JSON.parse(body) as object)]).toEqual([
        404,
        'application/json',
        ['error'],
      ])
    },
  )

  it.each(['/registered', '/tokens', '/well-known', '/'])('do not include %s, which is the web app', async (url) =>
    expect((await spec.app.inject({ method: 'GET', url })).headers['content-type']).toContain('text/html'),
  )
})

it('without the endpoint answers that there is nothing, and which variable serves it', async () => {
  const without = await openApp()
  try {
    const post = await without.sendAs('admin')('POST', '/mcp', { body: '{}' })
    const error = 'route not found: agents are not served here; start the service with SERVICE_MCP_ENABLED=true'
    expect([post.statusCode, JSON.parse(post.body)]).toEqual([404, { error }])
    expect((await without.sendAs(null)('GET', '/mcp')).statusCode).toBe(404)
    // A client for agents looks for an authorization server although there is nothing to call.
    const metadata = await without.app.inject({ url: '/.well-known/oauth-protected-resource' })
    expect([metadata.statusCode, metadata.headers['content-type']]).toEqual([404, 'application/json'])
    expect(JSON.parse((await without.sendAs(null)('GET', '/meta')).body)).toMatchObject({ mcp_enabled: false })
    expect(JSON.parse((await spec.sendAs(null)('GET', '/meta')).body)).toMatchObject({ mcp_enabled: true })
  } finally {
    await without.close()
  }
})
