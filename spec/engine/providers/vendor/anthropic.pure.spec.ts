import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseExact } from '../../../../domain/run/canonical-json.ts'
import { canonicalText } from '../../../../engine/cache/canonical.ts'
import type { Json } from '../../../../engine/json.ts'
import { messagesBody, readMessages } from '../../../../engine/providers/vendor/anthropic.ts'
import type { Tool, Turn } from '../../../../engine/suite/suite.ts'
import { messagesAnswer } from '../../../support/vendors/answers.ts'
import { anthropicSpec, callInput, providerOf } from '../../../support/vendors/suites.ts'
import { headerOf, startVendors, type Vendors } from '../../../support/vendors/vendors.ts'

const KEY = 'sk-canary-0123456789'
const NEVER = new AbortController().signal

const bodyOf = (messages: readonly Turn[], tools: readonly Tool[] = [], params = {}) =>
  messagesBody({ model: 'm-small', params }, { prompt: { messages }, tools })

describe('a provider of the messages API', () => {
  let vendors: Vendors
  beforeEach(async () => void (vendors = await startVendors()))
  afterEach(() => vendors[Symbol.asyncDispose]())

  it('sends exactly this request', async () => {
    const provider = providerOf(anthropicSpec({ base_url: vendors.url, params: { temperature: 0 } }), {
      env: { ANTHROPIC_API_KEY: ` ${KEY}\n` },
    })
    const response = await provider.prepare(callInput()).send(NEVER)
    const [request] = vendors.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      body: '{"temperature":0,"model":"m-small","messages":[{"role":"user","content":"How long can I return order A-77?"}],"max_tokens":4096}',
    })
    const own = request?.headers.filter(([name]) => /^(?:x-|content-type|anthropic|auth)/i.test(name))
    expect(own).toEqual([
      ['content-type', 'application/json'],
      ['anthropic-version', '2023-06-01'],
      ['x-api-key', KEY],
    ])
    expect(response).toMatchObject({ output: 'echo: How long can I return order A-77?', model: 'm-small-1' })
  })

  it('has the canonical request, the preview, the fingerprint and the address of the reference', () => {
    const provider = providerOf(anthropicSpec({ params: { temperature: 0 } }))
    const { canonical, preview } = provider.prepare(callInput())
    expect(canonicalText(canonical)).toBe(
      '{"body":{"max_tokens":4096,"messages":[{"content":"How long can I return order A-77?","role":"user"}],"model":"m-small","temperature":0},"headers":{"anthropic-version":"2023-06-01"},"method":"POST","path":"/v1/messages","transport":"http"}',
    )
    expect(preview).toEqual({
      transport: 'http',
      method: 'POST',
      url: 'https://api.anthropic.com/v1/messages',
      body: canonical?.['body'],
    })
    expect(canonicalText(provider.fingerprint)).toBe(
      '{"base_url":"https://api.anthropic.com","model":"m-small","params":{"temperature":0},"type":"anthropic"}',
    )
    expect(provider.address).toBe('https://api.anthropic.com/v1/messages')
  })

  it('adds the digest of declared headers', () => {
    const provider = providerOf(
      anthropicSpec({ request: { query: {}, headers: { 'x-tenant': '{{ env.TENANT }}' } } }),
      {
        env: { TENANT: 'acme' },
      },
    )
    expect(provider.prepare(callInput()).canonical?.['headers_digest']).toBe(
      'blake3:dcf719fb43ba08c05bca2639f3f401c506858457dd920f01dc3cac676f85b545',
    )
  })

  it('sends nothing without a prompt', () => {
    expect(() => providerOf(anthropicSpec()).prepare(callInput({ prompt: null }))).toThrow(
      expect.objectContaining({ errorClass: 'provider_request', retriable: false }),
    )
  })

  it('sends nothing without a credential, unless the suite says that none is needed', async () => {
    const spec = anthropicSpec({ base_url: vendors.url, api_key_env: ['A', 'B'] })
    await expect(
      providerOf(spec, { env: { A: ' ' } })
        .prepare(callInput())
        .send(NEVER),
    ).rejects.toMatchObject({
      errorClass: 'provider_auth',
      message: 'none of the environment variables `A`, `B` is set (or all are empty)',
    })
    expect(vendors.requests).toEqual([])
    await providerOf({ ...spec, request: { query: {}, headers: {}, auth: 'none' } })
      .prepare(callInput())
      .send(NEVER)
    expect(headerOf(vendors.requests[0], 'x-api-key')).toBeUndefined()
  })

  it('cannot read a response that is no JSON object', async () => {
    const provider = providerOf(anthropicSpec({ base_url: vendors.url }), { env: { ANTHROPIC_API_KEY: KEY } })
    for (const body of ['<html>', '', '[1]', '{"content":']) {
      vendors.script({ body })
      await expect(provider.prepare(callInput()).send(NEVER)).rejects.toMatchObject({
        errorClass: 'provider_protocol',
        retriable: false,
      })
    }
  })

  it('returns no credential that the API repeats', async () => {
    const provider = providerOf(anthropicSpec({ base_url: vendors.url }), { env: { ANTHROPIC_API_KEY: KEY } })
    vendors.script(messagesAnswer(`your key is ${KEY}`), { status: 401, body: `bad key ${KEY}` })
    const response = await provider.prepare(callInput()).send(NEVER)
    expect(response.output).toBe('your key is [redacted ANTHROPIC_API_KEY]')
    expect(JSON.stringify(response)).not.toContain(KEY)
    await expect(provider.prepare(callInput()).send(NEVER)).rejects.toMatchObject({
      message: 'HTTP 401: bad key [redacted ANTHROPIC_API_KEY]',
    })
  })
})

describe('messagesBody', () => {
  it('is the worked example of the reference', () => {
    const tools: readonly Tool[] = [{ name: 'weather' }]
    const turns: readonly Turn[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Graz?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'need tool', signature: 's1' },
          { type: 'text', text: 'Looking.' },
        ],
        tool_calls: [{ name: 'weather', arguments: { city: 'Graz' } }],
      },
      { role: 'tool', content: '21 C' },
    ]
    expect(canonicalText(bodyOf(turns, tools, { temperature: 0 }))).toBe(
      '{"max_tokens":4096,"messages":[{"content":"Weather in Graz?","role":"user"},{"content":[{"signature":"s1","thinking":"need tool","type":"thinking"},{"text":"Looking.","type":"text"},{"id":"service_call_2_0","input":{"city":"Graz"},"name":"weather","type":"tool_use"}],"role":"assistant"},{"content":[{"content":"21 C","tool_use_id":"service_call_2_0","type":"tool_result"}],"role":"user"}],"model":"m-small","system":"Be brief.","temperature":0,"tools":[{"description":"","input_schema":{"type":"object"},"name":"weather"}]}',
    )
  })

  it('loses params to the members that it writes, but for max_tokens', () => {
    const params = { model: 'x', messages: [], system: 'params', max_tokens: 9, top_k: 1 }
    const body = bodyOf([{ role: 'user', content: 'a' }], [], params)
    expect(body).toEqual({ ...params, model: 'm-small', messages: [{ role: 'user', content: 'a' }] })
  })

  it('joins all system turns, wherever they are', () => {
    const body = bodyOf([
      { role: 'system', content: 'one' },
      { role: 'user', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'two' }] },
    ])
    expect(body['system']).toBe('one\n\ntwo')
    expect(body['messages']).toEqual([{ role: 'user', content: 'a' }])
  })

  it('leaves out blank text before calls, and writes null arguments as {}', () => {
    const body = bodyOf([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: ' ', tool_calls: [{ id: 'own', name: 'f', arguments: null }] },
      { role: 'assistant', tool_calls: [{ name: 'g', arguments: { a: 1 } }] },
      { role: 'assistant', content: 'b', tool_calls: [{ name: 'h', arguments: {} }] },
    ])
    expect((body['messages'] as readonly Json[]).slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'own', name: 'f', input: {} }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'service_call_2_0', name: 'g', input: { a: 1 } }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'b' },
          { type: 'tool_use', id: 'service_call_3_0', name: 'h', input: {} },
        ],
      },
    ])
  })

  it('makes one message of a run of results, and uses a round of ids once', () => {
    const body = bodyOf([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'one', name: 'f', arguments: {} },
          { name: 'f', arguments: {} },
        ],
      },
      { role: 'tool', content: 'r0' },
      { role: 'tool', content: 'r1' },
      { role: 'tool', content: 'r2' },
      { role: 'user', content: 'more' },
      { role: 'tool', content: 'r3' },
      { role: 'tool', content: 'r4', tool_call_id: 'mine' },
    ])
    const result = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content })
    expect((body['messages'] as readonly Json[]).slice(1)).toEqual([
      {
        role: 'user',
        content: [result('one', 'r0'), result('service_call_0_1', 'r1'), result('service_call_1_2', 'r2')],
      },
      { role: 'user', content: 'more' },
      { role: 'user', content: [result('service_call_5_0', 'r3'), result('mine', 'r4')] },
    ])
  })

  it('preserves numbers that no double holds', () => {
    const big = parseExact('12345678901234567890') as Json
    expect(JSON.stringify(bodyOf([{ role: 'user', content: 'a' }], [], { seed: big }))).toContain(
      '"seed":12345678901234567890',
    )
  })
})

describe('readMessages', () => {
  it('reads text, thinking, calls, usage, model and stop reason', () => {
    const payload = {
      model: 'm-1',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'a' },
        { type: 'text', text: 'one ' },
        { type: 'thinking', thinking: 'b' },
        { type: 'text', text: 'two' },
        { type: 'tool_use', id: 't', name: 'f', input: { x: 1 } },
        { type: 'tool_use', id: 'nameless', input: {} },
        { type: 'tool_use', name: 'g' },
      ],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        cache_creation: { ephemeral_1h_input_tokens: 2 },
      },
    }
    expect(readMessages(payload)).toEqual({
      output: 'one two',
      reasoning: 'ab',
      tool_calls: [
        { id: 't', name: 'f', arguments: { x: 1 } },
        { name: 'g', arguments: null },
      ],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_tokens: 3,
        cache_write_tokens: 4,
        cache_write_1h_tokens: 2,
      },
      model: 'm-1',
      stop_reason: 'tool_use',
      raw: payload,
    })
  })

  it.each([
    [{ content: [] }, 'no_content_blocks'],
    [{}, 'no_content_blocks'],
    [{ content: [], stop_reason: 'max_tokens' }, 'truncated'],
    [{ content: [], stop_reason: ' REFUSAL ' }, 'refusal'],
    [{ content: [{ type: 'tool_use', name: 'f' }], stop_reason: 'end_turn' }, 'tool_use_only'],
    [{ content: [{ type: 'tool_use', name: 'f' }], stop_reason: 'max_tokens' }, 'truncated'],
    [{ content: [{ type: 'thinking', thinking: 'x' }] }, 'thinking_only'],
    [{ content: [{ type: 'redacted_thinking', data: 'x' }] }, 'thinking_only'],
    [
      {
        content: [
          { type: 'thinking', thinking: 'x' },
          { type: 'tool_use', name: 'f' },
        ],
      },
      'tool_use_only',
    ],
    [{ content: [{ type: 'text', text: ' \n' }] }, 'blank'],
    [{ content: [{ type: 'text', text: 'a' }], stop_reason: 'max_tokens' }, undefined],
  ])('classifies %j as %s', (payload, reason) => {
    expect(readMessages(payload).empty_reason).toBe(reason)
  })
})
