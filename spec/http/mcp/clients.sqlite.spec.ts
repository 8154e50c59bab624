import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { ENDLESS, MCP } from '../../support/http/mcp.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'

// The official clients over a socket. They validate each result, also one with `isError`, against the tool's outputSchema
// once they have listed the tools, and reject one that does not match.

const CASE = aCase({ status: 'fail', output: 'long '.repeat(2_000), raw: { big: true }, prompt: { text: 'Why?' } })
afterAll(() => spec.close())

const IMPLEMENTATION = { name: 'spec', version: '1.0.0' }
const withToken = (token: string | null) =>
  token === null ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }

/** Connects a client of the current SDK. Without versions it offers all that it knows; `auto` prefers the modern one. */
const connectModern = async (token: string | null, options: ConstructorParameters<typeof ModernClient>[1]) => {
  const client = new ModernClient(IMPLEMENTATION, options)
  const transport = new ModernTransport(endpoint, withToken(token))
  await client.connect(transport)
  return { client, version: client.getNegotiatedProtocolVersion() }
}

const connectEarlier = async (token: string | null) => {
  const client = new EarlierClient(IMPLEMENTATION)
  const transport = new EarlierTransport(endpoint, withToken(token))
  await client.connect(transport)
  return { client, version: transport.protocolVersion }
}

const CLIENTS = [
  {
    name: 'the current SDK',
    version: '2026-07-28',
    connect: (token: string | null) => connectModern(token, { versionNegotiation: { mode: 'auto' } }),
  },
  {
    name: 'the current SDK by default',
    version: '2025-11-25',
    connect: (token: string | null) => connectModern(token, {}),
  },
  {
    name: 'the current SDK with an older version',
    version: '2025-06-18',
    connect: (token: string | null) => connectModern(token, { supportedProtocolVersions: ['2025-06-18'] }),
  },
  { name: 'the earlier SDK', version: '2025-11-25', connect: connectEarlier },
]

const [run_id, case_key, set] = ['head', CASE.case_key, { project: 'chat', suite: 'smoke' }]
const CALLS: ReadonlyArray<readonly [name: string, given: Record<string, unknown>]> = [
  ['find_runs', {}],
  ['find_runs', { group_by: 'project' }],
  ['find_runs', { group_by: 'suite', project: 'chat' }],
  ['get_run', { run_id, include: ['matrix', 'leaderboard', 'config'] }],
  ['list_cases', { run_id }],
  ['get_case', { run_id, case_key }],
  ['get_case', { run_id, case_key, fields: ['raw', 'prompt'], max_chars: 20_000 }],
  ['case_history', { ...set, case_key }],
  ['compare_runs', { base_run_id: 'base', head_run_id: run_id, delta: ['still_failing'] }],
  ['search', { q: 'long' }],
  ['judge_calibration', { run_id }],
  ['review_queues', set],
  ['get_server_info', { include: ['cache'] }],
]
const FAILING: ReadonlyArray<readonly [name: string, given: Record<string, unknown>, text: string]> = [
  ['find_runs', { limit: 'ten' }, 'limit'],
  ['find_runs', { group_by: 'suite' }, 'project'],
  ['get_run', { run_id: 'no-such-run' }, 'no-such-run'],
  ['list_cases', {}, 'run_id'],
  ['get_case', { run_id, case_key: 'no-such-case' }, 'no-such-case'],
  ['case_history', { ...set, suite: 'none', case_key }, 'none'],
  ['compare_runs', { base_run_id: 'base', head_run_id: run_id, delta: ['better'] }, 'delta'],
  ['search', { q: ' ' }, 'q'],
  ['judge_calibration', { run_id: 'no-such-run' }, 'no-such-run'],
  ['review_queues', { limit: 'ten' }, 'limit'],
  ['get_server_info', { include: ['logs'] }, 'include'],
]
const spec = await openApp({
  mode: 'closed',
  mcp: MCP,
  publicUrl: 'https://evals.example',
  parts: () => ({ callBudget: ENDLESS }),
})
for (const run_id of ['base', 'head'])
  await spec.ingest(aDocument({ run_id, project: 'chat', suite: 'smoke', cases: [CASE], config: { models: ['m'] } }))
const endpoint = new URL('/api/v1/mcp', await spec.app.listen({ host: '127.0.0.1', port: 0 }))

describe.each(CLIENTS)('$name, version $version', ({ version, connect }) => {
  it('negotiates the version, and lists tools and prompts', async () => {
    const { client, version: negotiated } = await connect(TOKENS.read)
    expect(negotiated).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: 'service' })
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false }, prompts: { listChanged: false } })
    expect(client.getInstructions()).toContain('find_runs')
    expect(new Set(CALLS.map(([name]) => name))).toEqual(
      new Set((await client.listTools()).tools.map(({ name }) => name)),
    )
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'triage_regression',
      'investigate_case',
      'summarize_run',
    ])
    const { messages } = await client.getPrompt({ name: 'summarize_run', arguments: { run_id } })
    expect(JSON.stringify(messages)).toContain(run_id)
    await client.close()
  })

  it('gets results that match the schemas of the tools', async () => {
    const { client } = await connect(TOKENS.read)
    await client.listTools()
    for (const [name, given] of CALLS) {
      const result = await client.callTool({ name, arguments: given })
      expect([name, given, result.isError]).toEqual([name, given, false])
    }
    const { structuredContent } = await client.callTool({ name: 'get_case', arguments: { run_id, case_key } })
    expect(structuredContent).toMatchObject({
      case: { raw_omitted: expect.any(String) as unknown },
      _truncated: [{ path: '/case/output', kept: 2_000, total: 10_000 }],
    })
    await client.close()
  })

  it('gets results that say what was wrong', async () => {
    const { client } = await connect(TOKENS.read)
    await client.listTools()
    for (const [name, given, text] of FAILING) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: given })
      expect([name, isError, structuredContent]).toEqual([
        name,
        true,
        { error: expect.stringContaining(text) as unknown },
      ])
    }
    await client.close()
  })

  it('gets errors for what does not exist', async () => {
    const { client } = await connect(TOKENS.read)
    await expect(client.callTool({ name: 'delete_run', arguments: {} })).rejects.toMatchObject({ code: -32_601 })
    await expect(client.getPrompt({ name: 'haiku' })).rejects.toMatchObject({ code: -32_602 })
    await expect(client.getPrompt({ name: 'summarize_run' })).rejects.toMatchObject({ code: -32_602 })
    await client.close()
  })

  it('connects without a credential, and cannot call a tool', async () => {
    const { client } = await connect(null)
    expect((await client.listTools()).tools).toHaveLength(10)
    await expect(client.callTool({ name: 'find_runs', arguments: {} })).rejects.toThrow('-31001')
    await client.close()
  })
})
